"""Which jobs of a trace take part in a replay."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.errors import ScenarioError

NEEDED = ("job_id", "vc", "gpu_num", "duration_s", "submit_s")
EXCLUSIONS = ("cpu", "no_duration", "no_gpu_num")
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
    known_gpus = (gpu_num >= 0) & np.isfinite(gpu_num)
    known_duration = (duration_s >= 0) & (duration_s <= LONGEST_S)
    code = np.full(len(jobs), -1, dtype=np.int64)
    code[known_gpus & ~known_duration] = EXCLUSIONS.index("no_duration")
    code[gpu_num == 0] = EXCLUSIONS.index("cpu")
    code[~known_gpus] = EXCLUSIONS.index("no_gpu_num")
    return code


def in_trace_order(jobs: pd.DataFrame, reverse_ties: bool = False) -> pd.DataFrame:
    """The jobs by submission, those of one instant in the order given, or in the reverse of it.

    The index is fresh and a vc that is unknown is ``""``.
    """
    submit_s = jobs["submit_s"].to_numpy(dtype=float)
    ordered = jobs
    if reverse_ties:
        ordered = jobs.iloc[np.lexsort((-np.arange(len(jobs)), submit_s))]
    elif (np.diff(submit_s) < 0).any():
        ordered = jobs.iloc[np.argsort(submit_s, kind="stable")]
    ordered = ordered.reset_index(drop=True)
    if ordered["vc"].isna().any():
        ordered["vc"] = ordered["vc"].astype(object).where(ordered["vc"].notna(), "")
    return ordered


def taking_part(jobs: pd.DataFrame, reverse_ties: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """GPU jobs with a known duration in trace order, and the number of the others (vc, reason, jobs)."""
    check_columns(jobs)
    ordered = in_trace_order(jobs, reverse_ties)
    code = exclusion(ordered)
    out = code >= 0
    if not out.any():
        return ordered, pd.DataFrame({"vc": [], "reason": [], "jobs": []}).astype({"jobs": int})
    reason = np.array(EXCLUSIONS, dtype=object)[code[out]]
    counts = pd.DataFrame({"vc": ordered["vc"][out], "reason": reason}).value_counts(sort=False)
    part = ordered[~out].reset_index(drop=True)
    return part, counts.rename("jobs").reset_index()
