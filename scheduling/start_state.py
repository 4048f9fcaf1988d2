"""The jobs that a VC has at the start of a replay: those that run there, and those that wait."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.backfill import expected_end_s
from scheduling.errors import ScenarioError

RAN_S = "_ran_s"
"""Column of the seconds that a job had run when the replay starts; NaN for a job that had not started."""


def standing_jobs(initial: pd.DataFrame) -> pd.DataFrame:
    """The jobs of a trace that run or wait at second 0, with what is left of their duration.

    ``initial`` are jobs submitted before 0 in trace order with start_s, the recorded start (NaN or later than
    0 for a job that waits). Jobs that had ended by then are left out.
    """
    if "start_s" not in initial.columns:
        raise ScenarioError("Jobs from before the replay need a column start_s, NaN for jobs that wait.")
    start_s = initial["start_s"].to_numpy(dtype=float, na_value=np.nan)
    ran_s = np.where(start_s < 0, -start_s, np.nan)
    left_s = initial["duration_s"].to_numpy(dtype=float) - np.nan_to_num(ran_s)
    table = initial.assign(duration_s=left_s, **{RAN_S: ran_s}).drop(columns="start_s")
    kept: pd.DataFrame = table.loc[(left_s > 0) | np.isnan(ran_s)].reset_index(drop=True)
    return kept


def running_first(jobs: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The order in which jobs come to a VC: those that run when it starts, the largest first so that they
    find room together, then the others as they are. And which run, in that order."""
    if RAN_S not in jobs.columns:
        return np.arange(len(jobs)), np.zeros(len(jobs), dtype=np.bool_)
    ran_s = jobs[RAN_S].to_numpy(dtype=float)
    runs = np.flatnonzero(np.isfinite(ran_s))
    gpu_num = jobs["gpu_num"].to_numpy(dtype=float)[runs]
    runs = runs[np.lexsort((-ran_s[runs], -gpu_num))]
    order = np.concatenate([runs, np.flatnonzero(~np.isfinite(ran_s))])
    return order, np.isfinite(ran_s[order])


def believed_left_s(believed_s: NDArray[np.float64], ran_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is believed to be left of jobs that have run for ``ran_s`` (NaN: not started)."""
    left_s = believed_s.copy()
    for job in np.flatnonzero(np.isfinite(ran_s)):
        left_s[job] = expected_end_s(-ran_s[job], believed_s[job], 0.0)
    return left_s
