"""Plain estimates that any better one must beat."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scheduling.estimates.history import RUNGS, STATISTICS, Known, ended

USER, EVERYONE = RUNGS.index("user"), RUNGS.index("everyone")


def user_mean(known: Known, prior_s: float) -> NDArray[np.float64]:
    """Mean duration of the user's ended jobs; everyone's where there is none, the prior before that."""
    log_mean = known.statistics[:, len(STATISTICS) * USER]
    everyone = known.statistics[:, len(STATISTICS) * EVERYONE]
    return _filled(np.expm1(log_mean), np.expm1(everyone), prior_s)


def last_job(known: Known, prior_s: float) -> NDArray[np.float64]:
    """Duration of the user's job that ended last; everyone's where there is none."""
    return _filled(known.last_s[:, USER], known.last_s[:, EVERYONE], prior_s)


def global_median(jobs: pd.DataFrame, prior_s: float) -> NDArray[np.float64]:
    """Median duration of all jobs that ended before the submission (columns as in ``history``)."""
    times = ended(jobs)
    medians = pd.Series(times.duration_s[times.by_end]).expanding().median().to_numpy()
    gone = np.searchsorted(times.end_s[times.by_end], times.submit_s, side="left")
    return np.append(prior_s, medians)[gone]


def _filled(first: NDArray[np.float64], then: NDArray[np.float64], prior_s: float) -> NDArray[np.float64]:
    filled: NDArray[np.float64] = np.where(np.isnan(first), np.where(np.isnan(then), prior_s, then), first)
    return filled
