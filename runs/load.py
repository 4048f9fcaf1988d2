"""More or less load: thin a replay's jobs, or add resampled ones."""

import numpy as np
import pandas as pd

from runs.errors import RunError

LARGEST_FACTOR = 10.0
_JITTER_S = 1800.0


def check_factor(factor: float) -> None:
    """Refuse a load factor (RunError) unless 0 < factor ≤ 10."""
    if not 0 < factor <= LARGEST_FACTOR:
        raise RunError(f"The load factor is {factor:g}; it must be above 0 and at most {LARGEST_FACTOR:g}.")


def scaled(jobs: pd.DataFrame, factor: float, seed: int) -> pd.DataFrame:
    """The jobs under ``factor`` times their load, in trace order.

    Below 1 each job stays with probability ``factor``. Above 1 every job stays and jobs drawn with
    replacement are added, each submitted within half an hour of its original (and not before the
    window's start), so that the rhythm of the day and every VC's mix stay as they are. Their ids are
    the original's with ``+1``, ``+2``, … behind. The same seed gives the same jobs.

    Raises RunError unless 0 < factor ≤ 10.
    """
    check_factor(factor)
    if factor == 1 or jobs.empty:
        return jobs
    rng = np.random.default_rng([seed, 0x10AD])
    if factor < 1:
        return jobs[rng.random(len(jobs)) < factor].reset_index(drop=True)
    drawn = rng.integers(0, len(jobs), round((factor - 1) * len(jobs)))
    added = jobs.iloc[drawn].reset_index(drop=True)
    shift_s = np.round(rng.uniform(-_JITTER_S, _JITTER_S, len(added)))
    added["submit_s"] = np.maximum(added["submit_s"] + shift_s, 0.0)
    added["end_s"] = np.nan  # a resampled job has no recorded end
    nth = pd.Series(drawn).groupby(drawn).cumcount() + 1
    added["job_id"] = added["job_id"] + "+" + nth.astype(str)
    return pd.concat([jobs, added]).sort_values("submit_s", kind="stable", ignore_index=True)
