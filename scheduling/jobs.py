"""Which jobs of a trace take part in a replay."""

import numpy as np
import pandas as pd

from scheduling.errors import ScenarioError

NEEDED = ("job_id", "vc", "gpu_num", "duration_s", "submit_s")
EXCLUSIONS = ("cpu", "no_duration", "no_gpu_num")
LONGEST_S = 1e12  # a duration or an instant beyond this is no reading of a clock


def check_columns(jobs: pd.DataFrame, what: str = "jobs") -> None:
    """Refuse a frame that lacks a needed column or has a job without a submission."""
    missing = [column for column in NEEDED if column not in jobs.columns]
    if missing:
        raise ScenarioError(f"The {what} to replay lack the column {', '.join(missing)}.")
    unusable = ~(jobs["submit_s"].abs() <= LONGEST_S)
    if unusable.any():
        first = jobs.loc[unusable, "job_id"].iloc[0]
        raise ScenarioError(f"Job {first} has no usable submit time; leave it out of the {what} to replay.")


def reason_to_exclude(jobs: pd.DataFrame) -> "pd.Series[str]":
    """Why each job takes no part in a replay (a value of :data:`EXCLUSIONS`), or ``""``.

    A GPU count or duration that is negative or not finite is unknown.
    """
    gpu_num = jobs["gpu_num"].to_numpy(dtype=float, na_value=np.nan)
    duration_s = jobs["duration_s"].to_numpy(dtype=float, na_value=np.nan)
    reason = np.select(
        [
            ~((gpu_num >= 0) & np.isfinite(gpu_num)),
            gpu_num == 0,
            ~((duration_s >= 0) & (duration_s <= LONGEST_S)),
        ],
        ["no_gpu_num", "cpu", "no_duration"],
        "",
    )
    return pd.Series(reason, index=jobs.index)


def in_trace_order(jobs: pd.DataFrame) -> pd.DataFrame:
    """The jobs by submission, those of one instant in the order given, with a fresh index and vc ``""``
    where unknown."""
    submit_s = jobs["submit_s"].to_numpy(dtype=float)
    ordered = jobs
    if (np.diff(submit_s) < 0).any():
        ordered = jobs.iloc[np.argsort(submit_s, kind="stable")]
    ordered = ordered.reset_index(drop=True)
    if ordered["vc"].isna().any():
        ordered["vc"] = ordered["vc"].astype(object).where(ordered["vc"].notna(), "")
    return ordered


def taking_part(jobs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """GPU jobs with a known duration in trace order, and the number of the others (vc, reason, jobs)."""
    check_columns(jobs)
    ordered = in_trace_order(jobs)
    reason = reason_to_exclude(ordered)
    out = reason != ""
    if not out.any():
        return ordered, pd.DataFrame({"vc": [], "reason": [], "jobs": []}).astype({"jobs": int})
    left_out = pd.DataFrame({"vc": ordered.loc[out, "vc"], "reason": reason[out]})
    counts = left_out.value_counts(sort=False).rename("jobs").reset_index()
    return ordered[~out].reset_index(drop=True), counts
