"""Weeks of a window drawn with replacement: what else might have been submitted."""

import numpy as np
import pandas as pd

from runs.window import Window

WEEK_S = 7 * 86_400.0


def full_weeks(span: Window) -> int:
    """How many whole weeks a window has."""
    return int((span.end_time - span.start_time).total_seconds() // WEEK_S)


def resampled(jobs: pd.DataFrame, weeks: int, rng: np.random.Generator) -> pd.DataFrame:
    """As many weeks of jobs as there are whole ones, each drawn from them, in trace order.

    Jobs keep their place in the week. A part of a week at the window's end is left out.
    """
    week = np.floor(jobs["submit_s"].to_numpy(dtype=float) / WEEK_S).astype(np.int64)
    parts = []
    for place, drawn in enumerate(rng.integers(0, weeks, weeks)):
        own = jobs[week == drawn]
        shift_s = (place - drawn) * WEEK_S
        parts.append(own.assign(submit_s=own["submit_s"] + shift_s, end_s=own["end_s"] + shift_s))
    drawn_jobs: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return drawn_jobs
