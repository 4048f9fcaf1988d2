"""How fast jobs are replayed. Compiled; CPU time of one core; the best of several rounds.

- ``replay_<policy>_philly_jobs_per_s``: the whole replay, from a frame of jobs to the outcome with its table
  of jobs (that of the load is made when it is first read), of the Philly jobs of October and November 2017 on
  11 VCs that hardly ever queue; null without the reference material;
- ``kernel_<policy>_philly_jobs_per_s``: the same jobs, event loop alone;
- ``replay_<policy>_congested_jobs_per_s``: the whole replay of 105,000 made-up jobs (seeded) on 28 VCs with
  262 nodes in all, whose GPU time is 0.95 of what is present in the month, so that queues are long;
- ``replay_<policy>_saturn_jobs_per_s``: the same of the demo trace's Saturn in September at scale 1 (seed
  2020), with jobs resampled (seed 9) until their GPU time is 0.95 of what is present; to generate it takes
  half a minute;
- ``saturn_fifo_utilization``: share of the GPUs that FIFO has in use in that month. Head-of-line blocking and
  VCs of unequal load keep it below 0.95 under any load factor;
- ``replay_fifo_backfill_saturn_jobs_per_s``: FIFO with backfill;
- ``saturn_metrics_ms``: FIFO's replay and every number of its result rows;
- ``saturn_metrics_mib``: memory beyond the jobs' own at the peak of that;
- ``saturn_waiting_ms``: why each of those jobs waited and behind whom, after the replay;
- ``estimates_recorded_per_s``: rolling estimates of QSSF from recorded ends, of the congested jobs;
- ``result_rows_philly_ms``: the rows of numbers of the Philly replay;
- ``new_process_s``: time in which a new process, its modules imported, has loaded all compiled kernels from
  the disk and answered its first replays.
"""

import ctypes
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from runs.load import scaled
from scheduling import POLICIES, compile_kernels, replay
from scheduling.capacity import fleets
from scheduling.engine import replay_by_priority
from scheduling.estimate import recorded_estimates
from scheduling.metrics import result_rows, series
from scheduling.orders import BY_PRIORITY
from scheduling.placement import CONSOLIDATE, room_for_placements
from scheduling.rolling import no_means
from scheduling.schedule import empty_schedule
from scheduling.waiting import explained
from scheduling.workload import Rules, Standing, Workload
from traces.demo.clusters import CLUSTERS
from traces.demo.generate import DEFAULT_SEED, cluster_import

SHARED = Path(__file__).resolve().parents[2] / "shared"
ROUNDS = 5
MONTH_S = 30 * 86_400.0
OFFERED_LOAD = 0.95
LOAD_SEED = 9
RULES = Rules(CONSOLIDATE, BY_PRIORITY, False, False, np.inf, np.inf, np.zeros(0))
NEW_PROCESS = """
import time, scheduling
begin = time.perf_counter()
scheduling.compile_kernels()
print(time.perf_counter() - begin)
"""
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


def saturn() -> tuple[pd.DataFrame, dict[str, int]]:
    """The congested month of the demo trace: September of Saturn at scale 1, with more load."""
    profile = next(each for each in CLUSTERS if each.name == "Saturn")
    made = cluster_import(profile, 1.0, DEFAULT_SEED, replay)
    begin = pd.Timestamp("2020-08-31 16:00")  # midnight in Shanghai
    jobs = made.jobs.assign(submit_s=(made.jobs["submit_time"] - begin).dt.total_seconds())
    jobs = jobs[(jobs["gpu_num"] > 0) & jobs["submit_s"].between(0, MONTH_S, inclusive="left")]
    columns = ["job_id", "user", "vc", "gpu_num", "duration_s", "submit_s"]
    jobs = jobs[columns].reset_index(drop=True)
    last = made.quota.sort_values("date").groupby("vc")["gpus"].last()
    capacity = {str(vc): int(gpus) for vc, gpus in last.items()}
    offered = (jobs["gpu_num"] * jobs["duration_s"]).sum() / (sum(capacity.values()) * MONTH_S)
    return scaled(jobs.assign(end_s=np.nan), OFFERED_LOAD / offered, LOAD_SEED), capacity


def best_s(work: Callable[[], Any]) -> float:
    """CPU time of the shortest of several rounds, in s."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def peak_mib(work: Callable[[], Any]) -> float | None:
    """Memory at the peak of some work beyond what the process has before, in MiB; only Linux tells."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    work()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    reset.write_text("5")  # the peak so far is forgotten
    before = _kib(status, "VmRSS")
    work()
    return (_kib(status, "VmHWM") - before) / 1024


def _kib(status: Path, name: str) -> int:
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(name))


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
            standing = Standing(columns[:, 1].copy(), np.zeros(len(own), np.int64), np.zeros(len(own)))
            placed, schedule = room_for_placements(gpus, nodes.size.size), empty_schedule(len(own))
            changes = fleet.changes()
            begin = time.process_time()
            replay_by_priority(work, standing, nodes, changes, placed, RULES, no_means(), schedule)
            times[turn] += time.process_time() - begin
    return float(times.min())


def rates(jobs: pd.DataFrame, capacity: dict[str, int], name: str) -> dict[str, float | None]:
    """Jobs per second of every policy's whole replay."""
    own = jobs.assign(priority=jobs["gpu_num"])
    return {
        f"replay_{policy}_{name}_jobs_per_s": len(own)
        / best_s(lambda p=policy: replay(own, capacity, policy=p))
        for policy in POLICIES
    }


def measure() -> dict[str, float | None]:
    """Every number of this file's docstring, by name."""
    compile_kernels()
    results: dict[str, float | None] = {}
    real = philly()
    names = [f"replay_{policy}_philly_jobs_per_s" for policy in POLICIES]
    results |= rates(*real, "philly") if real else dict.fromkeys(names)
    for policy in ("fifo", "sjf"):
        results[f"kernel_{policy}_philly_jobs_per_s"] = real and len(real[0]) / event_loop_s(*real, policy)
    made_up = congested()
    results |= rates(*made_up, "congested") | saturn_numbers()
    ended = made_up[0].assign(end_s=made_up[0]["submit_s"] + made_up[0]["duration_s"])
    results["estimates_recorded_per_s"] = len(ended) / best_s(lambda: recorded_estimates(ended))
    outcome = real and replay(*real, policy="fifo")
    results["result_rows_philly_ms"] = outcome and 1000 * best_s(lambda: result_rows({"philly": outcome}))
    fresh = subprocess.run([sys.executable, "-c", NEW_PROCESS], check=True, capture_output=True, text=True)
    results["new_process_s"] = float(fresh.stdout)
    return results


def saturn_numbers() -> dict[str, float | None]:
    """The numbers of the demo's congested month."""
    jobs, capacity = saturn()
    outcome = replay(jobs, capacity, policy="fifo")
    running = series(outcome.steps, slot_s=MONTH_S, end_s=MONTH_S)["running_gpus"].iloc[0]

    def whole() -> Any:
        return result_rows({"Saturn": replay(jobs, capacity, policy="fifo")})

    filled_s = best_s(lambda: replay(jobs, capacity, policy="fifo", backfill=True))
    whole_s = best_s(whole)
    return rates(jobs, capacity, "saturn") | {
        "saturn_fifo_utilization": float(running) / sum(capacity.values()),
        "replay_fifo_backfill_saturn_jobs_per_s": len(jobs) / filled_s,
        "saturn_metrics_ms": 1000 * whole_s,
        "saturn_metrics_mib": peak_mib(whole),
        "saturn_waiting_ms": 1000 * best_s(lambda: explained(outcome)),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value and round(value, 1)}")
