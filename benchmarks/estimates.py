"""How fast QSSF's estimates are made. CPU time of one core; the best of several rounds.

- ``estimates_rolling_jobs_per_s``: rolling estimates as of submission of a made-up month of 105,000 jobs
  (seeded) with 200 users and 40,000 different job names, names and all, from a frame to the arrays;
- ``estimates_statistics_jobs_per_s``: the same with the statistics that the boosted model sees;
- ``estimates_fit_s``: fitting the boosted model on these jobs;
- ``estimates_boosted_jobs_per_s``: asking it about them.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from scheduling.estimates import Rolling, boosted, known_at_submission

ROUNDS = 3
FAMILIES = ("resnet", "bert", "gpt", "yolo", "vit", "unet", "pointnet", "transformer")
TASKS = ("debug", "test", "eval", "train", "finetune", "pretrain", "search", "distill")


def month(jobs: int = 105_000, seed: int = 9) -> pd.DataFrame:
    """A made-up month: a name's family and task tell how long its jobs run."""
    rng = np.random.default_rng(seed)
    family, task, run = (rng.integers(0, high, jobs) for high in (len(FAMILIES), len(TASKS), 800))
    submit_s = np.sort(rng.uniform(0, 30 * 86_400, jobs))
    duration_s = 60.0 * 2.0**task * rng.lognormal(0, 1.2, jobs)
    names = [f"{FAMILIES[f]}_{TASKS[t]}_run{r}" for f, t, r in zip(family, task, run, strict=True)]
    return pd.DataFrame(
        {
            "submit_s": submit_s,
            "end_s": submit_s + rng.exponential(600, jobs) + duration_s,
            "duration_s": duration_s,
            "gpu_num": rng.choice([1.0, 2.0, 4.0, 8.0, 16.0], jobs),
            "user": pd.Series(rng.integers(0, 200, jobs)).astype(str),
            "vc": pd.Series(rng.integers(0, 28, jobs)).astype(str),
            "job_name": names,
        }
    )


def _best_s(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def measure() -> dict[str, float | None]:
    """Every number of this file's docstring, by name."""
    jobs = month()
    known = known_at_submission(jobs, Rolling(), with_statistics=True)
    seen, duration_s = boosted.features(jobs, known, 0.0), jobs["duration_s"].to_numpy(dtype=float)
    model = boosted.fit(seen, duration_s)
    return {
        "estimates_rolling_jobs_per_s": len(jobs) / _best_s(lambda: known_at_submission(jobs, Rolling())),
        "estimates_statistics_jobs_per_s": len(jobs)
        / _best_s(lambda: known_at_submission(jobs, Rolling(), with_statistics=True)),
        "estimates_fit_s": _best_s(lambda: boosted.fit(seen, duration_s), rounds=1),
        "estimates_boosted_jobs_per_s": len(jobs) / _best_s(lambda: boosted.expected(model, seen), rounds=1),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value and round(value, 1)}")
