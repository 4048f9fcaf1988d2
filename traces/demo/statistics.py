"""What is measured on a cluster's tables to compare it with the published figures.

Everything is read from the canonical tables (jobs, quota), nothing from the generator, so that a real import
of the same clusters can be measured too.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from traces.demo.calendar import BEGIN, BEGIN_UTC, DAYS, MONTH_OF_DAY, MONTHS, PERIOD_S
from traces.demo.clusters import DURATION_EDGES_S, GPU_NUM_BUCKETS, STATE_GROUPS
from traces.demo.raking import Floats, Ints, Mask, sums

SLOT_S = 600
SLOTS_PER_DAY = 144


@dataclass(frozen=True)
class GpuJobs:
    """The GPU jobs of a cluster as arrays; times are s after local midnight of 1 April 2020."""

    gpu_num: Floats
    duration_s: Floats
    submit_s: Floats
    start_s: Floats
    state: Ints
    user: Ints

    @property
    def wait_s(self) -> Floats:
        """Queueing delays in s."""
        return np.asarray(self.start_s - self.submit_s)

    @property
    def gpu_time(self) -> Floats:
        """GPU time of each job, in GPU × s."""
        return np.asarray(self.gpu_num * self.duration_s)


def gpu_jobs(jobs: pd.DataFrame) -> GpuJobs:
    """The jobs on GPUs that have started and ended."""
    ran = jobs[(jobs["gpu_num"] > 0) & jobs["start_time"].notna() & jobs["duration_s"].notna()]
    return GpuJobs(
        gpu_num=ran["gpu_num"].to_numpy(dtype=float),
        duration_s=ran["duration_s"].to_numpy(dtype=float),
        submit_s=_seconds(ran["submit_time"]),
        start_s=_seconds(ran["start_time"]),
        state=state_groups(ran["state"]),
        user=np.asarray(pd.factorize(ran["user"])[0]),
    )


def state_groups(state: pd.Series) -> Ints:
    """Positions in STATE_GROUPS: every final state but COMPLETED and CANCELLED counts as failed."""
    return np.asarray(state.map({name: i for i, name in enumerate(STATE_GROUPS)}).fillna(2), dtype=np.int64)


def group_shares(group: Ints, weight: Floats | None = None) -> Floats:
    """Shares of the three state groups, by jobs or by `weight`."""
    total = sums(group, np.ones(len(group)) if weight is None else weight, 3)
    return np.asarray(total / total.sum())


def hour_shares(submit_s: Floats) -> Floats:
    """Shares of the 24 hours of the local day."""
    return np.bincount((submit_s % 86_400 // 3600).astype(np.int64), minlength=24) / len(submit_s)


def month_shares(submit_s: Floats) -> Floats:
    """Shares of the six months, April … September; times outside count to the nearest."""
    day = np.clip(submit_s // 86_400, 0, DAYS - 1).astype(np.int64)
    return np.bincount(MONTH_OF_DAY[day], minlength=MONTHS) / len(submit_s)


def gpu_num_cdf(gpu_num: Floats) -> Floats:
    """Share of jobs with at most each of GPU_NUM_BUCKETS."""
    return _cdf(gpu_num, np.array(GPU_NUM_BUCKETS, float))


def duration_cdf(duration_s: Floats) -> Floats:
    """Share of jobs that ran at most each of DURATION_EDGES_S."""
    return _cdf(duration_s, np.array(DURATION_EDGES_S, float))


def top_share(user: Ints, amount: Floats) -> float:
    """Share of `amount` held by the top 5 % of the users who have jobs here (at least one user)."""
    held = np.sort(sums(user, amount))[::-1]
    return float(held[: max(1, round(0.05 * len(held)))].sum() / held.sum())


def running_gpus(jobs: GpuJobs) -> Floats:
    """Mean number of GPUs in use in each 10-minute slot of the period; intervals are [start, end)."""
    grid = np.arange(0, PERIOD_S + 1, SLOT_S, dtype=float)
    used = _integral(jobs.start_s, jobs.gpu_num, grid)
    used -= _integral(jobs.start_s + jobs.duration_s, jobs.gpu_num, grid)
    return np.asarray(np.diff(used) / SLOT_S)


def present_gpus(quota: pd.DataFrame) -> Floats:
    """GPUs present in each 10-minute slot: the sum of the VCs' quotas of that day."""
    dates = pd.to_datetime(quota["date"])
    table = quota.assign(date=dates).pivot_table(index="date", columns="vc", values="gpus", aggfunc="last")
    days = pd.date_range(BEGIN, periods=DAYS)
    daily = table.reindex(table.index.union(days)).ffill().bfill().loc[days].sum(axis=1)
    return np.repeat(daily.to_numpy(dtype=float), SLOTS_PER_DAY)


def utilization_by(keys: Ints, running: Floats, present: Floats) -> Floats:
    """GPUs in use ÷ GPUs present over the slots of each key 0, 1, …"""
    return np.asarray(sums(keys, running) / sums(keys, present))


def hour_of_slot() -> Ints:
    """The hour of day of each slot."""
    return np.tile(np.repeat(np.arange(24), SLOTS_PER_DAY // 24), DAYS)


def month_of_slot() -> Ints:
    """The month (0 = April) of each slot."""
    return np.repeat(MONTH_OF_DAY, SLOTS_PER_DAY)


def autocorrelation(running: Floats, lag_h: int) -> float:
    """Correlation of the running GPUs with themselves `lag_h` hours earlier."""
    lag = lag_h * 3600 // SLOT_S
    return float(np.corrcoef(running[:-lag], running[lag:])[0, 1])


def month_to_month_error(values: Floats, submit_s: Floats) -> float:
    """Standard error of the mean of `values`, from how much the means of the months differ."""
    month = MONTH_OF_DAY[np.clip(submit_s // 86_400, 0, DAYS - 1).astype(np.int64)]
    count = np.bincount(month, minlength=MONTHS)
    means = sums(month, values, MONTHS)[count > 0] / count[count > 0]
    return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0


def of_size(gpu_num: Floats, size: int) -> Mask:
    """Jobs that a row of figure 7b speaks of: `size` GPUs, or for 64 that many and more."""
    return np.asarray(gpu_num >= 64 if size == 64 else gpu_num == size)


def _cdf(values: Floats, edges: Floats) -> Floats:
    return np.searchsorted(np.sort(values), edges, side="right") / len(values)


def _integral(times_s: Floats, amount: Floats, grid: Floats) -> Floats:
    """For each grid time the integral of the amounts that have begun: Σ amount × (time − begin)."""
    order = np.argsort(times_s, kind="stable")
    begun = np.searchsorted(times_s[order], grid, side="right")
    total = np.concatenate([[0.0], np.cumsum(amount[order])])
    moment = np.concatenate([[0.0], np.cumsum(amount[order] * times_s[order])])
    return np.asarray(total[begun] * grid - moment[begun])


def _seconds(times: pd.Series) -> Floats:
    return np.asarray((times - BEGIN_UTC).dt.total_seconds(), dtype=float)
