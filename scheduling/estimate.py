"""How long a job will run, as far as it can be known at its submission: the estimate of QSSF.

The estimate is the mean duration of the jobs that had ended by then, on the first of these rungs on which
there is one: the same user and GPU count, the same VC and GPU count, the VC, everyone. A *mean*, because the
order of QSSF is by expected GPU time: a median forgets the rare long gang that will block the head of the
queue.
"""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.errors import ScenarioError
from scheduling.jobs import check_columns, exclusion, in_trace_order, numbered_counts
from scheduling.rolling import empty_means, expected_as_of_submission

RUNGS = ("user_gpus", "vc_gpus", "vc", "everyone", "none")
"""Which jobs an estimate is the mean of, first choice first; on ``none`` nothing is known and the job is
ordered by its GPU count alone (:data:`scheduling.rolling.PRIOR_DURATION_S`)."""

Ends = Literal["recorded", "simulated"]
"""Which end of a job counts for "had ended by then": the trace's, or the one that the replay makes."""


def has_recorded_ends(jobs: pd.DataFrame) -> bool:
    """Whether the trace knows when its jobs ended."""
    return "end_s" in jobs.columns and bool(jobs["end_s"].notna().any())


def ends_to_use(jobs: pd.DataFrame, asked: Ends | None) -> Ends:
    """The ends asked for, or the recorded ones where the trace has them."""
    if asked not in (None, "recorded", "simulated"):
        raise ScenarioError(f"The ends that estimates learn from are recorded or simulated, not {asked!r}.")
    recorded = has_recorded_ends(jobs)
    if asked == "recorded" and not recorded:
        raise ScenarioError("This trace has no end times; let the estimates learn from simulated ends.")
    return asked or ("recorded" if recorded else "simulated")


def _paired(one: NDArray[np.int64], other: NDArray[np.int64], others: int) -> NDArray[np.int64]:
    """Number the pairs of two numbers, the second below ``others``; −1 where the first is."""
    pair: NDArray[np.int64] = np.where(one < 0, -1, one * others + other)
    if pair.max(initial=-1) <= 8 * pair.size:  # few enough, though not every pair may occur
        return pair
    return pd.factorize(np.where(pair < 0, np.nan, pair))[0].astype(np.int64)


def groups(jobs: pd.DataFrame, vc: NDArray[np.int64]) -> NDArray[np.int64]:
    """The group of each job on each rung but the last, numbered through all rungs; −1 where it has none.

    ``vc``: the number of each job's VC.
    """
    user = np.full(len(jobs), -1, dtype=np.int64)
    if "user" in jobs.columns:
        user = pd.factorize(jobs["user"])[0].astype(np.int64)
    gpus, counts = numbered_counts(jobs["gpu_num"].to_numpy(dtype=float))
    rungs = [_paired(user, gpus, counts.size), _paired(vc, gpus, counts.size), vc]
    number = np.empty((len(jobs), len(rungs) + 1), dtype=np.int64)
    first = 0
    for rung, group in enumerate(rungs):
        number[:, rung] = group + first
        if rung == 0:
            number[group < 0, rung] = -1
        first += int(group.max(initial=-1)) + 1
    number[:, -1] = first  # everyone
    return number


def _ended_history(history: pd.DataFrame, jobs: pd.DataFrame) -> pd.DataFrame:
    """The jobs of ``history`` from which something can be learned, with the columns of ``jobs``."""
    check_columns(history, "history")
    if "end_s" not in history.columns:
        raise ScenarioError("The history has no end times; replay without it.")
    usable = (exclusion(history) < 0) & history["end_s"].notna()
    return history.loc[usable].reindex(columns=jobs.columns)


def recorded_estimates(
    jobs: pd.DataFrame, history: pd.DataFrame | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Estimated duration in s and rung (place in :data:`RUNGS`) of each job, from recorded ends.

    ``jobs`` take part in the replay and are in trace order; ``history`` are jobs before them. A job counts
    for those submitted at or after its end.
    """
    known = jobs
    ours = np.ones(len(jobs), dtype=bool)
    if history is not None and len(history):
        past = _ended_history(history, jobs)
        ours = np.r_[np.zeros(len(past), dtype=bool), ours]
        known = pd.concat([past, jobs], ignore_index=True)
        ours = ours[np.argsort(known["submit_s"].to_numpy(dtype=float), kind="stable")]
        known = in_trace_order(known)
    submit_s = known["submit_s"].to_numpy(dtype=float, copy=True)
    end_s = np.maximum(known["end_s"].to_numpy(dtype=float, na_value=np.nan), submit_s)
    by_end = np.argsort(end_s, kind="stable")
    by_end = by_end[: int(np.isfinite(end_s).sum())].astype(np.int64)
    expected_s, rung = np.empty(len(known)), np.empty(len(known), dtype=np.int64)
    duration_s = known["duration_s"].to_numpy(dtype=float, copy=True)
    means = empty_means(groups(known, pd.factorize(known["vc"])[0].astype(np.int64)))
    expected_as_of_submission(means, submit_s, end_s, duration_s, by_end, expected_s, rung)
    return expected_s[ours], rung[ours]


GIVEN = {
    "estimated_duration_s": "_given_duration_s",
    "rung": "_given_rung",
    "priority": "_given_priority",
}
GIVEN_PRIORITY = GIVEN["priority"]


def beside(jobs: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    """The jobs with estimates that were made before the replay beside them, row by row.

    Raises ScenarioError where a column or a row is missing, or a priority is not a number.
    """
    missing = [column for column in GIVEN if column not in estimates.columns]
    if missing:
        raise ScenarioError(f"The estimates lack the column {', '.join(missing)}.")
    if len(estimates) != len(jobs):
        raise ScenarioError(
            f"There are {len(estimates):,} estimates for {len(jobs):,} jobs; give one for each."
        )
    if np.isnan(estimates["priority"].to_numpy(dtype=float, na_value=np.nan)).any():
        raise ScenarioError("An estimate has no priority; give every job a number, the smallest goes first.")
    return jobs.assign(**{own: estimates[column].array for column, own in GIVEN.items()})


def given_estimates(jobs: pd.DataFrame) -> pd.DataFrame:
    """The table of an outcome from estimates that were given: job_id, vc, estimated_duration_s, rung."""
    duration_s, rung = jobs[GIVEN["estimated_duration_s"]], jobs[GIVEN["rung"]]
    return jobs[["job_id", "vc"]].assign(estimated_duration_s=duration_s.astype(float), rung=rung)
