"""How fast jobs are replayed. Compiled; CPU time of one core; the best of several rounds.

- ``replay_<policy>_philly_jobs_per_s``: the whole replay, from a frame of jobs to the outcome with its
  tables, of the Philly jobs of October and November 2017 on 11 VCs that hardly ever queue; null without the
  reference material;
- ``kernel_<policy>_philly_jobs_per_s``: the same jobs, event loop alone;
- ``replay_<policy>_congested_jobs_per_s``: the whole replay of 105,000 made-up jobs (seeded) on 28 VCs with
  262 nodes in all, whose GPU time is 0.95 of what is present in the month, so that queues are long;
- ``estimates_recorded_per_s``: rolling estimates of QSSF from recorded ends, of the congested jobs;
- ``result_rows_philly_ms``: the rows of numbers of the Philly replay.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scheduling import POLICIES, compile_kernels, replay
from scheduling.capacity import fleets
from scheduling.engine import Workload, empty_schedule, replay_by_priority
from scheduling.estimate import recorded_estimates
from scheduling.metrics import result_rows
from scheduling.placement import CONSOLIDATE, room_for_placements
from scheduling.rolling import no_means

SHARED = Path(__file__).resolve().parents[2] / "shared"
ROUNDS = 5
GANGS = [1, 2, 4, 8, 16, 32, 64]
SHARES = [0.62, 0.09, 0.09, 0.14, 0.035, 0.02, 0.005]


def philly() -> tuple[pd.DataFrame, dict[str, int]] | None:
    """The real jobs and the GPUs of each VC, or None where they are not at hand."""
    folder = SHARED / "data" / "philly"
    if not folder.is_dir():
        return None
    jobs = pd.read_csv(folder / "jobs.csv", dtype={"cluster": str}, parse_dates=["timestamp"])
    jobs = jobs.rename(columns={"cluster": "vc", "num_gpus": "gpu_num", "duration": "duration_s"})
    jobs["submit_s"] = (jobs["timestamp"] - pd.Timestamp("2017-10-01")).dt.total_seconds()
    jobs["job_id"] = jobs.index.astype(str)
    nodes = pd.read_csv(folder / "vc_nodes.csv", dtype={"vc": str}).set_index("vc")["nodes"]
    capacity = {str(vc): 8 * int(count) for vc, count in nodes.items()}
    in_window = (jobs["submit_s"] >= 0) & jobs["vc"].isin(capacity)
    jobs = jobs[in_window].sort_values("submit_s", kind="stable").reset_index(drop=True)
    return jobs[["job_id", "vc", "gpu_num", "duration_s", "submit_s"]], capacity


def congested(jobs: int = 105_000, load: float = 0.95, seed: int = 9) -> tuple[pd.DataFrame, dict[str, int]]:
    """A made-up month: offered GPU time is ``load`` of what is present in each VC."""
    rng = np.random.default_rng(seed)
    names = [f"vc{i:02}" for i in range(28)]
    nodes = np.full(28, 9)
    nodes[:10] += 1
    vc = rng.choice(28, jobs, p=nodes / nodes.sum())
    frame = pd.DataFrame(
        {
            "job_id": np.arange(jobs).astype(str),
            "vc": np.array(names)[vc],
            "user": rng.integers(0, 200, jobs).astype(str),
            "gpu_num": rng.choice(GANGS, jobs, p=SHARES).astype(float),
            "duration_s": np.minimum(rng.lognormal(0, 2.0, jobs), 100),
            "submit_s": np.sort(np.floor(rng.uniform(0, 30 * 86_400, jobs))),
        }
    )
    capacity = {name: int(8 * count) for name, count in zip(names, nodes, strict=True)}
    gpu_time = (frame["gpu_num"] * frame["duration_s"]).groupby(frame["vc"]).sum()
    scale = pd.Series(capacity) * 30 * 86_400 * load / gpu_time
    frame["duration_s"] = np.floor(frame["duration_s"] * frame["vc"].map(scale))
    return frame, capacity


def best_s(work: Callable[[], Any]) -> float:
    """CPU time of the shortest of several rounds, in s."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def event_loop_s(jobs: pd.DataFrame, capacity: dict[str, int], policy: str) -> float:
    """CPU seconds of the event loops of all VCs, without any table."""
    times = np.full(ROUNDS, 0.0)
    for vc, own in jobs.groupby("vc"):
        columns = own[["submit_s", "duration_s"]].to_numpy(dtype=float)
        gpus, priority = own["gpu_num"].to_numpy(dtype=np.int64, copy=True), POLICIES[policy].priority(own)
        for turn in range(ROUNDS):
            fleet = fleets(capacity, 8)[str(vc)]
            nodes = fleet.idle_nodes(fleet.periods[1][0])
            work = Workload(
                columns[:, 0].copy(),
                columns[:, 1].copy(),
                gpus,
                np.zeros(len(own), np.int64),
                np.array(priority, dtype=float),
                np.full(len(own), np.inf),
            )
            placed, schedule = room_for_placements(gpus, nodes.size.size), empty_schedule(len(own))
            begin = time.process_time()
            replay_by_priority(work, nodes, fleet.changes(), placed, CONSOLIDATE, no_means(), schedule)
            times[turn] += time.process_time() - begin
    return float(times.min())


def measure() -> dict[str, float | None]:
    """Every number of this file's docstring, by name."""
    compile_kernels()
    results: dict[str, float | None] = {}
    real = philly()
    for policy in POLICIES:
        name = f"replay_{policy}_philly_jobs_per_s"
        results[name] = real and len(real[0]) / best_s(lambda p=policy: replay(*real, policy=p))
    for policy in ("fifo", "sjf"):
        results[f"kernel_{policy}_philly_jobs_per_s"] = real and len(real[0]) / event_loop_s(*real, policy)
    made_up = congested()
    for policy in POLICIES:
        seconds = best_s(lambda p=policy: replay(*made_up, policy=p))
        results[f"replay_{policy}_congested_jobs_per_s"] = len(made_up[0]) / seconds
    ended = made_up[0].assign(end_s=made_up[0]["submit_s"] + made_up[0]["duration_s"])
    results["estimates_recorded_per_s"] = len(ended) / best_s(lambda: recorded_estimates(ended))
    outcome = real and replay(*real, policy="fifo")
    results["result_rows_philly_ms"] = outcome and 1000 * best_s(lambda: result_rows({"philly": outcome}))
    return results


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value and round(value, 1)}")
