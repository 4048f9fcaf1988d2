"""What the policy and backfill believe about the jobs, and where that comes from."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.backfill import UNKNOWN_DURATION_S
from scheduling.estimate import (
    GIVEN,
    RUNGS,
    Ends,
    ends_to_use,
    given_estimates,
    groups,
    recorded_estimates,
)
from scheduling.policies import Policy


@dataclass(frozen=True)
class Beliefs:
    """Of each job its priority (the smallest goes first) and the duration that is believed.

    Where durations are learned during the replay, ``group`` are the groups of each job, ``priority`` is per
    second of expected duration, and ``believed_s`` is yet to be written. ``table`` is what is shown; None if
    nothing was estimated before the replay.
    """

    priority: NDArray[np.float64]
    believed_s: NDArray[np.float64]
    ends: Ends | None = None
    group: NDArray[np.int64] | None = None
    table: pd.DataFrame | None = None


def beliefs(
    jobs: pd.DataFrame,
    vc: NDArray[np.int64],
    policy: Policy,
    backfill: bool,
    ends: Ends | None,
    history: pd.DataFrame | None,
) -> Beliefs:
    """What is believed of ``jobs``, in trace order, whose VCs are numbered in ``vc``.

    Estimates that were given go first, then those from recorded ends, then those learned during the replay.
    An oracle believes true durations. Backfill takes a job of which nothing is known for a day long; QSSF
    orders it by its GPU count alone.
    """
    priority = np.array(policy.priority(jobs), dtype=np.float64)
    true_s = jobs["duration_s"].to_numpy(dtype=float)
    if not (policy.estimates or (backfill and not policy.oracle)):
        return Beliefs(priority, true_s)
    if GIVEN["priority"] in jobs.columns:
        believed_s = _known_or_a_day(jobs[GIVEN["estimated_duration_s"]].to_numpy(dtype=float))
        if policy.estimates:
            given = jobs[GIVEN["priority"]].to_numpy(dtype=float)
            priority = np.where(np.isnan(given), priority * UNKNOWN_DURATION_S, given)
        return Beliefs(priority, believed_s, table=given_estimates(jobs))
    learned_from = ends_to_use(jobs, ends)
    if learned_from == "simulated":
        return Beliefs(priority, true_s, learned_from, groups(jobs, vc))
    expected_s, rung = recorded_estimates(jobs, history)
    table = estimate_table(jobs, expected_s, rung)
    believed_s = _known_or_a_day(table["estimated_duration_s"].to_numpy(dtype=float))
    if policy.estimates:
        priority *= expected_s
    return Beliefs(priority, believed_s, learned_from, table=table)


def _known_or_a_day(estimated_s: NDArray[np.float64]) -> NDArray[np.float64]:
    known: NDArray[np.float64] = np.where(np.isnan(estimated_s), UNKNOWN_DURATION_S, estimated_s)
    return known


def estimate_table(
    jobs: pd.DataFrame, expected_s: NDArray[np.float64], rung: NDArray[np.int64]
) -> pd.DataFrame:
    """The estimates of an outcome: job_id, vc, estimated_duration_s (NaN where nothing was known), rung."""
    known = (rung >= 0) & (rung < len(RUNGS) - 1)
    kind = pd.CategoricalDtype(pd.Index(list(RUNGS), dtype=object))
    return pd.DataFrame(
        {
            "job_id": jobs["job_id"],
            "vc": jobs["vc"],
            "estimated_duration_s": expected_s if known.all() else np.where(known, expected_s, np.nan),
            "rung": pd.Categorical.from_codes(rung, dtype=kind),
        },
        index=jobs.index,
        copy=False,
    )
