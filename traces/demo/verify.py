"""The demo against the published figures, statistic by statistic."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from traces.demo import statistics
from traces.demo.clusters import (
    CLUSTERS,
    RUNNING_GPUS_AUTOCORRELATION,
    STATE_GROUPS,
    STATE_SHARES_BY_GPU_NUM,
    ClusterProfile,
)
from traces.demo.comparison import Statistic
from traces.demo.raking import Floats
from traces.demo.statistics import GpuJobs

ALL = "*"


def verify(
    tables: Iterable[tuple[str, pd.DataFrame, pd.DataFrame]], scale: float = 1.0
) -> list[dict[str, Any]]:
    """Compare clusters with what is published of them; first what was fed in, then what was not.

    `tables` gives (cluster, jobs, quota) with the columns of `traces.schema`, one cluster at a time; it may
    be a generator. At `scale` below 1 job counts are compared with `scale` × the published ones.
    """
    profiles = {profile.name: profile for profile in CLUSTERS}
    everywhere = _Everywhere()
    rows: list[Statistic] = []
    for name, jobs, quota in tables:
        profile, gpu = profiles[name], statistics.gpu_jobs(jobs)
        cpu = jobs[jobs["gpu_num"] == 0]
        rows += [
            *_counts(profile, len(gpu.gpu_num), len(cpu), scale),
            *_gpu_inputs(profile, gpu),
            *_cpu_inputs(profile, cpu),
            *_utilization(profile, gpu, quota),
            *_queueing(profile, gpu),
            *_concentration(profile, gpu, cpu),
        ]
        everywhere.add(name, gpu)
    rows += everywhere.rows()
    rows.sort(key=lambda row: not row.fed_in)
    return [row.document(scale) for row in rows]


def _counts(profile: ClusterProfile, gpu: int, cpu: int, scale: float) -> Iterator[Statistic]:
    for name, published, found in (("gpu_jobs", profile.gpu_jobs, gpu), ("cpu_jobs", profile.cpu_jobs, cpu)):
        yield Statistic(name, profile.name, published * scale, found, 0.02, "relative", True)


def _gpu_inputs(profile: ClusterProfile, jobs: GpuJobs) -> Iterator[Statistic]:
    count = len(jobs.gpu_num)
    hours = np.array(profile.gpu_jobs_by_hour)
    months = np.array(profile.single_gpu_jobs_by_month) + np.array(profile.multi_gpu_jobs_by_month)
    yield _farthest(
        "gpu_jobs_by_hour", profile, hours / hours.sum(), statistics.hour_shares(jobs.submit_s), 0.005, count
    )
    yield _farthest(
        "gpu_jobs_by_month",
        profile,
        months / months.sum(),
        statistics.month_shares(jobs.submit_s),
        0.03,
        count,
    )
    cdf = np.array(profile.gpu_num_cdf_pct[:-1]) / 100
    yield _farthest("gpu_num_cdf", profile, cdf, statistics.gpu_num_cdf(jobs.gpu_num), 0.01, count)
    cdf = np.array(profile.gpu_duration_cdf_pct) / 100
    yield _farthest("gpu_duration_cdf", profile, cdf, statistics.duration_cdf(jobs.duration_s), 0.02, count)
    yield _mean("gpu_num_mean", profile, _mean_gpu_num(profile), jobs.gpu_num)
    yield _mean("gpu_duration_mean_s", profile, profile.mean_gpu_duration_s, jobs.duration_s)
    yield from _states("gpu_jobs", profile, profile.gpu_states, statistics.group_shares(jobs.state), count)


def _cpu_inputs(profile: ClusterProfile, cpu: pd.DataFrame) -> Iterator[Statistic]:
    duration = cpu["duration_s"].to_numpy(dtype=float)
    cdf = np.array(profile.cpu_duration_cdf_pct) / 100
    yield _farthest("cpu_duration_cdf", profile, cdf, statistics.duration_cdf(duration), 0.02, len(cpu))
    yield _mean("cpu_duration_mean_s", profile, profile.mean_cpu_duration_s, duration)
    shares = statistics.group_shares(statistics.state_groups(cpu["state"]))
    yield from _states("cpu_jobs", profile, profile.cpu_states, shares, len(cpu))


def _states(
    what: str, profile: ClusterProfile, published: tuple[float, ...], found: Floats, count: int
) -> Iterator[Statistic]:
    wanted = np.array(published) / sum(published)
    for group, share, other in zip(STATE_GROUPS, wanted.tolist(), found.tolist(), strict=True):
        error = float(np.sqrt(share * (1 - share) / count))
        yield Statistic(
            f"{what}_{group.lower()}", profile.name, share, other, 0.01, "difference", True, error
        )


def _utilization(profile: ClusterProfile, jobs: GpuJobs, quota: pd.DataFrame) -> Iterator[Statistic]:
    running, present = statistics.running_gpus(jobs), statistics.present_gpus(quota)
    by_month = statistics.utilization_by(statistics.month_of_slot(), running, present)
    by_hour = statistics.utilization_by(statistics.hour_of_slot(), running, present)
    error = float(by_month.std(ddof=1) / np.sqrt(len(by_month)))
    mean = float(running.sum() / present.sum())
    cluster = profile.name
    yield Statistic("utilization", cluster, profile.mean_utilization, mean, 0.04, "difference", False, error)
    published = np.array(profile.utilization_pct_by_hour) / 100
    yield Statistic(
        "utilization_by_hour_distance",
        cluster,
        0.0,
        _most(published, by_hour),
        0.04,
        "difference",
        False,
        error,
    )
    for lag_h, value in RUNNING_GPUS_AUTOCORRELATION.get(cluster, {}).items():
        found = statistics.autocorrelation(running, lag_h)
        name = f"running_gpus_autocorrelation_{lag_h}h"
        yield Statistic(name, cluster, value, found, 0.15, "difference", False)


def _queueing(profile: ClusterProfile, jobs: GpuJobs) -> Iterator[Statistic]:
    wait, cluster = jobs.wait_s, profile.name
    error = statistics.month_to_month_error(wait, jobs.submit_s)
    yield Statistic(
        "gpu_queueing_delay_mean_s",
        cluster,
        profile.mean_gpu_wait_s,
        float(wait.mean()),
        2.0,
        "factor",
        False,
        error,
    )
    completed = jobs.state == 0
    waited = (wait[completed] >= 1).astype(float)
    error = statistics.month_to_month_error(waited, jobs.submit_s[completed])
    yield Statistic(
        "completed_gpu_jobs_waiting",
        cluster,
        profile.gpu_jobs_waiting,
        float(waited.mean()),
        0.1,
        "difference",
        False,
        error,
    )


def _concentration(profile: ClusterProfile, jobs: GpuJobs, cpu: pd.DataFrame) -> Iterator[Statistic]:
    cluster = profile.name
    share = statistics.top_share(jobs.user, jobs.gpu_time)
    yield Statistic("top_users_gpu_time", cluster, profile.top_gpu_time, share, 0.04, "difference", False)
    cpu_time = cpu["cpu_num"].to_numpy(dtype=float) * cpu["duration_s"].to_numpy(dtype=float)
    share = statistics.top_share(np.asarray(pd.factorize(cpu["user"])[0]), cpu_time)
    yield Statistic("top_users_cpu_time", cluster, profile.top_cpu_time, share, 0.04, "difference", False)
    found = statistics.group_shares(jobs.state, jobs.gpu_time).tolist()
    jobs_worth = jobs.gpu_time.sum() ** 2 / (jobs.gpu_time**2).sum()  # so many equal jobs would err as much
    for group, share, other in zip(STATE_GROUPS, profile.gpu_time_by_state, found, strict=True):
        error = float(np.sqrt(share * (1 - share) / jobs_worth))
        name = f"gpu_time_{group.lower()}"
        yield Statistic(name, cluster, share, other, 0.05, "difference", False, error)


@dataclass
class _Everywhere:
    """What is known only of all clusters together."""

    gpu_num: list[Floats] = field(default_factory=list)
    state: list[Floats] = field(default_factory=list)
    waits: dict[str, float] = field(default_factory=dict)

    def add(self, cluster: str, jobs: GpuJobs) -> None:
        self.gpu_num.append(jobs.gpu_num)
        self.state.append(jobs.state.astype(np.float64))
        self.waits[cluster] = float(jobs.wait_s.mean())

    def rows(self) -> Iterator[Statistic]:
        """Final states by GPU count, and the order of the clusters by queueing; nothing for a part of
        them."""
        if set(self.waits) != {profile.name for profile in CLUSTERS}:
            return
        gpu_num, state = np.concatenate(self.gpu_num), np.concatenate(self.state).astype(np.int64)
        for size, shares in STATE_SHARES_BY_GPU_NUM.items():
            chosen = statistics.of_size(gpu_num, size)
            published = np.array(shares) / sum(shares)
            found = _most(published, statistics.group_shares(state[chosen])) if chosen.any() else None
            error = float(0.5 / np.sqrt(chosen.sum())) if chosen.any() else None
            name = f"gpu_job_states_{size}_gpus{'_or_more' if size == 64 else ''}_distance"
            yield Statistic(name, ALL, 0.0, found, 0.01, "difference", True, error)
        real = {profile.name: profile.mean_gpu_wait_s for profile in CLUSTERS}
        yield Statistic("queueing_delay_order", ALL, _order(real), _order(self.waits), 0.0, "order", False)


def _order(values: dict[str, float]) -> str:
    return " > ".join(sorted(values, key=lambda name: -values[name]))


def _mean_gpu_num(profile: ClusterProfile) -> float:
    """The published mean GPUs per GPU job, from its classes."""
    shares = np.diff(np.array(profile.gpu_num_cdf_pct) / 100, prepend=0.0)
    upper = np.array([1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, profile.mean_gpus_beyond_64])
    return float(shares @ upper)


def _mean(name: str, profile: ClusterProfile, published: float, values: Floats) -> Statistic:
    error = float(values.std() / np.sqrt(len(values)))
    return Statistic(name, profile.name, published, float(values.mean()), 0.05, "relative", True, error)


def _farthest(
    name: str, profile: ClusterProfile, published: Floats, found: Floats, tolerance: float, count: int
) -> Statistic:
    """The largest difference of two curves; published is 0, the error that of a sample of `count`."""
    error = float(0.87 / np.sqrt(count))  # the mean Kolmogorov–Smirnov distance of a sample from its source
    return Statistic(
        f"{name}_distance", profile.name, 0.0, _most(published, found), tolerance, "difference", True, error
    )


def _most(published: Floats, found: Floats) -> float:
    return float(np.abs(published - found).max())
