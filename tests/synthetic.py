"""A small generated datacenter for tests: two clusters, a daily rhythm, queues, a quota that changes."""

from pathlib import Path

import numpy as np
import pandas as pd

from tests.stored_trace import JOBS, store

TIMEZONE = "Asia/Shanghai"
VCS = {"Venus": {"vcA": 64, "vcB": 32}, "Earth": {"vcC": 48, "vcD": 16}}


def synthetic_jobs(days: int = 14, seed: int = 7) -> pd.DataFrame:
    """Jobs of two clusters over ``days`` days of September 2020, in the canonical columns, times in UTC."""
    random = np.random.default_rng(seed)
    parts = []
    for cluster, vcs in VCS.items():
        for vc, gpus in vcs.items():
            parts.append(_vc_jobs(random, cluster, vc, gpus, days))
    return pd.concat(parts, ignore_index=True)


def write(data: Path, trace: str = "demo", *, generated: bool = True, rolled_up: bool = True) -> None:
    """Store the synthetic datacenter under ``data``; one VC gets more GPUs on the eighth day."""
    quota = [(cluster, vc, "2020-09-01", gpus) for cluster, vcs in VCS.items() for vc, gpus in vcs.items()]
    quota.append(("Earth", "vcD", "2020-09-08", 32))
    store(data, trace, synthetic_jobs(), quota, timezone=TIMEZONE, generated=generated, rolled_up=rolled_up)


def _vc_jobs(random: np.random.Generator, cluster: str, vc: str, gpus: int, days: int) -> pd.DataFrame:
    number = days * 60
    hours = np.sort(random.uniform(0, days * 24, number))
    hours = hours[random.random(number) < 0.45 + 0.5 * np.sin((hours % 24 - 8) / 24 * 2 * np.pi).clip(0)]
    number = len(hours)
    gpu_num = random.choice([0, 1, 2, 4, 8, 16], number, p=[0.35, 0.3, 0.12, 0.1, 0.1, 0.03]).astype(float)
    duration_s = np.round(random.lognormal(6.3, 2.2, number)).clip(1, 4e5)
    delay_s = np.where(
        gpu_num > 0, np.round(random.exponential(2000, number) * (random.random(number) < 0.35)), 0.0
    )
    submit = pd.Timestamp("2020-08-31 16:00") + pd.to_timedelta(np.round(hours * 3600), unit="s")
    start = submit + pd.to_timedelta(delay_s, unit="s")
    states = random.choice(["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT"], number, p=[0.6, 0.22, 0.15, 0.03])
    columns = {
        "cluster": cluster,
        "vc": vc,
        "user": [f"u{user:02d}" for user in random.integers(0, 20, number)],
        "gpu_num": gpu_num,
        "cpu_num": 4,
        "node_num": 1,
        "state": states,
        "submit_time": submit,
        "start_time": start,
        "end_time": start + pd.to_timedelta(duration_s, unit="s"),
        "duration_s": duration_s,
        "queueing_delay_s": delay_s,
        "flags": [[] for _ in range(number)],
    }
    return pd.DataFrame(columns).reindex(columns=JOBS.names)
