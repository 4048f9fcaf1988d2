"""The result rows of a replay, with unfinished jobs counted apart and intervals of ties."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling import Outcome, metrics

UNFINISHED = "unfinished"
TIE_KEYS = (
    *("avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s", "queued_jobs", "preemptions"),
    *("makespan_s", "gpu_utilization"),
)
"""Numbers that may depend on the order of equal submissions."""


def unfinished(jobs: pd.DataFrame) -> NDArray[np.bool_]:
    """Which jobs of an outcome neither ended nor were rejected."""
    left: NDArray[np.bool_] = (jobs["rejected"].isna() & jobs["end_s"].isna()).to_numpy(dtype=bool)
    return left


def result_rows(outcomes: Mapping[str, Outcome]) -> list[dict[str, Any]]:
    """Result rows of one policy's replays, by cluster, each with ``unfinished_jobs``.

    ended + rejected + unfinished = jobs. Unfinished jobs are in no average.
    """
    ended = {cluster: _ended(outcome) for cluster, outcome in outcomes.items()}
    left = {cluster: _unfinished_by_vc(outcome.jobs) for cluster, outcome in outcomes.items()}
    rows = []
    for row in metrics.result_rows(ended):
        clusters = list(left) if row["cluster"] == metrics.ALL else [row["cluster"]]
        vcs = None if row["vc"] == metrics.ALL else row["vc"]
        count = sum(sum(left[each].values()) if vcs is None else left[each].get(vcs, 0) for each in clusters)
        rows.append(row | {"rejected_jobs": row["rejected_jobs"] - count, "unfinished_jobs": count})
    return rows


def _ended(outcome: Outcome) -> Outcome:
    """The outcome with unfinished jobs among those that no statistic counts."""
    left = unfinished(outcome.jobs)
    if not left.any():
        return outcome
    rejected = outcome.jobs["rejected"].astype(object).mask(left, UNFINISHED)
    return replace(outcome, jobs=outcome.jobs.assign(rejected=rejected))


def _unfinished_by_vc(jobs: pd.DataFrame) -> dict[str, int]:
    left = jobs.loc[unfinished(jobs), "vc"].astype(str).value_counts()
    return {str(vc): int(count) for vc, count in left.items()}


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
