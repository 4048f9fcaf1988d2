"""Beside the result rows of `scheduling.metrics`: which jobs are unfinished, and intervals of ties."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TIE_KEYS = (
    *("avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s", "queued_jobs", "preemptions"),
    *("makespan_s", "gpu_utilization"),
)
"""Numbers that may depend on the order of equal submissions."""


def unfinished(jobs: pd.DataFrame) -> NDArray[np.bool_]:
    """Which jobs of an outcome neither ended nor were rejected."""
    left: NDArray[np.bool_] = (jobs["rejected"].isna() & jobs["end_s"].isna()).to_numpy(dtype=bool)
    return left


def with_tie_intervals(
    rows: Sequence[dict[str, Any]], reversed_rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows with ``tie_interval``: each number's [lowest, highest] under the two orders of ties.

    Both are of the same jobs, so they have the same clusters and VCs; null where a number is unknown.
    """
    other = {(row["cluster"], row["vc"]): row for row in reversed_rows}
    return [row | {"tie_interval": _interval(row, other[row["cluster"], row["vc"]])} for row in rows]


def _interval(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, list[float] | None]:
    interval: dict[str, list[float] | None] = {}
    for key in TIE_KEYS:
        pair = [one[key], other[key]]
        interval[key] = None if None in pair else [min(pair), max(pair)]
    return interval
