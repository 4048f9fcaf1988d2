"""How completion times and queueing delays are distributed over the jobs of a result row, and by kind of job.

Only jobs that ended count. What is undefined is None.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SLOWDOWN_BOUND_S = 10.0
"""Slowdown is JCT ÷ max(duration, this), and 1 at least: bounded slowdown (Feitelson 2001)."""

PERCENTILES = {"median": 50, "p90": 90, "p95": 95, "p99": 99}

DURATION_GROUPS = {"short": 900.0, "middle": 21_600.0, "long": np.inf}
"""Upper end of each group of durations, in s: below 15 minutes, below 6 hours, longer (as in Helios)."""

SIZE_CLASSES = {"1": 1.0, "2-8": 8.0, "9-32": 32.0, "33+": np.inf}
"""Largest number of GPUs of each size class; part of a GPU is in the first."""


class Ended(NamedTuple):
    """The jobs of a result row that ended."""

    submit_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    delay_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    gpu_num: NDArray[np.float64]

    @property
    def jct_s(self) -> NDArray[np.float64]:
        """Job completion times."""
        return self.end_s - self.submit_s


class Jobs(NamedTuple):
    """The columns of ``Outcome.jobs``, or of some of its rows, that numbers are made of."""

    submit_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    delay_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    gpu_num: NDArray[np.float64]
    left_s: NDArray[np.float64]
    preemptions: NDArray[np.int64]
    rejected: NDArray[np.bool_]

    def chosen(self, rows: NDArray[Any]) -> "Jobs":
        """Some of the jobs."""
        return Jobs(*[column[rows] for column in self])  # type: ignore[arg-type]

    def ended(self) -> Ended:
        """Those that ended."""
        done = ~self.rejected & ~np.isnan(self.end_s)
        columns = self[:5] if done.all() else tuple(column[done] for column in self[:5])
        return Ended(*columns)


def columns_of(jobs: pd.DataFrame) -> Jobs:
    """The columns of ``Outcome.jobs`` as arrays."""
    numbers = ("submit_s", "end_s", "queueing_delay_s", "duration_s", "gpu_num")
    left_s = jobs["left_s"].to_numpy(dtype=float) if "left_s" in jobs.columns else np.zeros(len(jobs))
    submit_s, end_s, delay_s, duration_s, gpu_num = (jobs[name].to_numpy(dtype=float) for name in numbers)
    preemptions, rejected = jobs["preemptions"].to_numpy(), jobs["rejected"].notna().to_numpy()
    return Jobs(submit_s, end_s, delay_s, duration_s, gpu_num, left_s, preemptions, rejected)


def mean(values: NDArray[np.float64]) -> float | None:
    """The mean, None of nothing."""
    return float(values.mean()) if values.size else None


def distribution(jobs: Ended) -> dict[str, Any]:
    """Percentiles of JCT and queueing delay (linear interpolation), mean bounded slowdown, and the numbers by
    duration group and size class: keys ``{median,p90,p95,p99}_{jct,queueing_delay}_s``, ``avg_slowdown``,
    ``by_duration`` and ``by_size``."""
    numbers: dict[str, Any] = {}
    for name, values in (("jct", jobs.jct_s), ("queueing_delay", jobs.delay_s)):
        found = np.percentile(values, list(PERCENTILES.values())) if values.size else [None] * 4
        for short, value in zip(PERCENTILES, found, strict=True):
            numbers[f"{short}_{name}_s"] = None if value is None else float(value)
    numbers["avg_slowdown"] = mean(_slowdown(jobs))
    # Groups of durations are open above (15 minutes are no longer short), size classes closed.
    numbers["by_duration"] = _by(jobs, DURATION_GROUPS, jobs.duration_s, "right")
    numbers["by_size"] = _by(jobs, SIZE_CLASSES, jobs.gpu_num, "left")
    return numbers


def _slowdown(jobs: Ended) -> NDArray[np.float64]:
    return np.maximum(jobs.jct_s / np.maximum(jobs.duration_s, SLOWDOWN_BOUND_S), 1.0)


def _by(jobs: Ended, groups: dict[str, float], values: NDArray[np.float64], side: Any) -> dict[str, Any]:
    """Number, mean JCT, mean delay and mean slowdown of the jobs in each group of ``values``."""
    group = np.searchsorted(list(groups.values())[:-1], values, side=side)
    count = np.bincount(group, minlength=len(groups))
    sums = {
        name: np.bincount(group, weights=each, minlength=len(groups))
        for name, each in (
            ("avg_jct_s", jobs.jct_s),
            ("avg_queueing_delay_s", jobs.delay_s),
            ("avg_slowdown", _slowdown(jobs)),
        )
    }
    return {
        name: {"jobs": int(count[g])}
        | {key: float(total[g] / count[g]) if count[g] else None for key, total in sums.items()}
        for g, name in enumerate(groups)
    }
