"""Which jobs of a trace take part in a replay."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.errors import ScenarioError

NEEDED = ("job_id", "vc", "gpu_num", "duration_s", "submit_s")
EXCLUSIONS = ("cpu", "no_duration", "no_gpu_num")
FEW_GPUS = 100_000
LONGEST_S = 1e12  # a duration or an instant beyond this is no reading of a clock


def check_columns(jobs: pd.DataFrame, what: str = "jobs") -> None:
    """Refuse a frame that lacks a needed column or has a job without a submission."""
    missing = [column for column in NEEDED if column not in jobs.columns]
    if missing:
        raise ScenarioError(f"The {what} to replay lack the column {', '.join(missing)}.")
    submit_s = jobs["submit_s"].to_numpy(dtype=float, na_value=np.nan)
    unusable = ~(np.abs(submit_s) <= LONGEST_S)
    if unusable.any():
        first = jobs["job_id"].iloc[int(unusable.argmax())]
        raise ScenarioError(f"Job {first} has no usable submit time; leave it out of the {what} to replay.")


def exclusion(jobs: pd.DataFrame) -> NDArray[np.int64]:
    """Why each job takes no part in a replay (a place in :data:`EXCLUSIONS`), −1 if it does.

    A GPU count or duration that is negative or not finite is unknown.
    """
    gpu_num = jobs["gpu_num"].to_numpy(dtype=float, na_value=np.nan)
    duration_s = jobs["duration_s"].to_numpy(dtype=float, na_value=np.nan)
    known_gpus = (gpu_num >= 0) & (gpu_num < np.inf)
    known_duration = (duration_s >= 0) & (duration_s <= LONGEST_S)
    code = np.full(len(jobs), -1, dtype=np.int64)
    if not (known_duration & known_gpus & (gpu_num > 0)).all():
        code[known_gpus & ~known_duration] = EXCLUSIONS.index("no_duration")
        code[gpu_num == 0] = EXCLUSIONS.index("cpu")
        code[~known_gpus] = EXCLUSIONS.index("no_gpu_num")
    return code


def numbered_counts(gpu_num: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The number of each job's GPU count among the distinct ones, and these. Every count must be known."""
    most = gpu_num.max(initial=0.0)
    if most < FEW_GPUS and gpu_num.min(initial=0.0) >= 0:
        whole = gpu_num.astype(np.int64)
        if (whole == gpu_num).all():  # the usual case, which needs no hashing
            present = np.bincount(whole) > 0
            return (np.cumsum(present) - 1)[whole], np.flatnonzero(present).astype(float)
    code, values = pd.factorize(gpu_num)
    return code.astype(np.int64), np.asarray(values, dtype=float)


def in_trace_order(jobs: pd.DataFrame, reverse_ties: bool = False) -> pd.DataFrame:
    """The jobs by submission, those of one instant in the order given, or in the reverse of it.

    The index is fresh and a vc that is unknown is ``""``.
    """
    submit_s = jobs["submit_s"].to_numpy(dtype=float)
    ordered = jobs
    if reverse_ties:
        ordered = jobs.iloc[np.lexsort((-np.arange(len(jobs)), submit_s))]
    elif (submit_s[1:] < submit_s[:-1]).any():
        ordered = jobs.iloc[np.argsort(submit_s, kind="stable")]
    if not ordered.index.equals(pd.RangeIndex(len(jobs))):
        ordered = ordered.reset_index(drop=True)
    if ordered["vc"].isna().any():
        ordered = ordered.assign(vc=ordered["vc"].astype(object).where(ordered["vc"].notna(), ""))
    return ordered


def taking_part(jobs: pd.DataFrame, reverse_ties: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """GPU jobs with a known duration in trace order, and the number of the others (vc, reason, jobs)."""
    check_columns(jobs)
    ordered = in_trace_order(jobs, reverse_ties)
    code = exclusion(ordered)
    out = code >= 0
    if not out.any():
        nothing = np.zeros(0, dtype=object)
        return ordered, pd.DataFrame({"vc": nothing, "reason": nothing, "jobs": np.zeros(0, dtype=np.int64)})
    reason = np.array(EXCLUSIONS, dtype=object)[code[out]]
    counts = pd.DataFrame({"vc": ordered["vc"][out], "reason": reason}).value_counts(sort=False)
    part = ordered[~out].reset_index(drop=True)
    return part, counts.rename("jobs").reset_index()
