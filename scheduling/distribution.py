"""How completion times and queueing delays are distributed over the jobs of a result row, and by kind of job.

Only jobs that ended count. What is undefined is None.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, TypeVar

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
    """The jobs of a result row that ended, with their completion times and bounded slowdowns, and each one's
    place in :data:`DURATION_GROUPS` and :data:`SIZE_CLASSES`."""

    submit_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    delay_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    gpu_num: NDArray[np.float64]
    jct_s: NDArray[np.float64]
    slowdown: NDArray[np.float64]
    duration_group: NDArray[np.int64]
    size_class: NDArray[np.int64]

    def part(self, rows: slice) -> "Ended":
        """Some of the jobs."""
        return Ended(*[column[rows] for column in self])  # type: ignore[arg-type]


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

    def part(self, rows: NDArray[Any] | slice) -> "Jobs":
        """Some of the jobs."""
        return Jobs(*[column[rows] for column in self])  # type: ignore[arg-type]

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which jobs ended."""
        return ~self.rejected & ~np.isnan(self.end_s)

    def ended(self) -> Ended:
        """The jobs that ended."""
        done = self.done
        submit_s, end_s, delay_s, duration_s, gpu_num = (
            column if done.all() else column[done] for column in self[:5]
        )
        jct_s = end_s - submit_s
        slowdown = np.maximum(jct_s / np.maximum(duration_s, SLOWDOWN_BOUND_S), 1.0)
        # Groups of durations are open above (15 minutes are no longer short), size classes closed.
        duration_group = _place(duration_s, DURATION_GROUPS, np.greater_equal)
        size_class = _place(gpu_num, SIZE_CLASSES, np.greater)
        columns = (submit_s, end_s, delay_s, duration_s, gpu_num, jct_s, slowdown)
        return Ended(*columns, duration_group, size_class)


def _place(values: NDArray[np.float64], groups: dict[str, float], beyond: Any) -> NDArray[np.int64]:
    """The place of each value's group: how many upper ends it is beyond."""
    place = np.zeros(values.size, dtype=np.int64)
    for end in list(groups.values())[:-1]:
        place += beyond(values, end)
    return place


Columns = TypeVar("Columns", Ended, Jobs)


def joined(parts: Sequence[Columns]) -> Columns:
    """The jobs of several result rows together."""
    return type(parts[0])._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


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


def quantiles(values: NDArray[np.float64], percent: Collection[int]) -> list[float | None]:
    """Percentiles with linear interpolation, as numpy's default; None of nothing."""
    if not values.size:
        return [None] * len(percent)
    ordered = np.sort(values)
    place = (ordered.size - 1) * np.array(list(percent)) / 100
    below = place.astype(np.int64)
    above = np.minimum(below + 1, ordered.size - 1)
    found: list[float | None] = (
        ordered[below] + (ordered[above] - ordered[below]) * (place - below)
    ).tolist()
    return found


def distribution(jobs: Ended) -> dict[str, Any]:
    """Percentiles of JCT and queueing delay (linear interpolation), mean bounded slowdown, and the numbers by
    duration group and size class: keys ``{median,p90,p95,p99}_{jct,queueing_delay}_s``, ``avg_slowdown``,
    ``by_duration`` and ``by_size``."""
    numbers: dict[str, Any] = {}
    for name, values in (("jct", jobs.jct_s), ("queueing_delay", jobs.delay_s)):
        found = quantiles(values, PERCENTILES.values())
        numbers |= {f"{short}_{name}_s": value for short, value in zip(PERCENTILES, found, strict=True)}
    numbers["avg_slowdown"] = mean(jobs.slowdown)
    numbers["by_duration"] = _by(jobs, DURATION_GROUPS, jobs.duration_group)
    numbers["by_size"] = _by(jobs, SIZE_CLASSES, jobs.size_class)
    return numbers


def _by(jobs: Ended, groups: dict[str, float], group: NDArray[np.int64]) -> dict[str, Any]:
    """Number, mean JCT, mean delay and mean slowdown of the jobs in each group."""
    count = np.bincount(group, minlength=len(groups)).tolist()
    averaged = {"avg_jct_s": jobs.jct_s, "avg_queueing_delay_s": jobs.delay_s, "avg_slowdown": jobs.slowdown}
    sums = {
        name: np.bincount(group, weights=values, minlength=len(groups)).tolist()
        for name, values in averaged.items()
    }
    return {
        name: {"jobs": count[g]}
        | {key: total[g] / count[g] if count[g] else None for key, total in sums.items()}
        for g, name in enumerate(groups)
    }
