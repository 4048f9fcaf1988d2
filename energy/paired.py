"""Means of days and how much so few of them leave open."""

from typing import NamedTuple

import numpy as np

from energy.demand import Values

LEAST_DAYS = 3  # fewer say nothing about the spread between days


class MeanInterval(NamedTuple):
    """A mean over days, its standard error, and its 95 % interval."""

    mean: float
    standard_error: float
    low: float
    high: float


def mean_interval(by_day: Values) -> MeanInterval | None:
    """The mean of the known days with Student's 95 % interval; None of fewer than 3 days.

    Days are taken as independent of each other: slots within a day are not.
    """
    known = by_day[~np.isnan(by_day)]
    if known.size < LEAST_DAYS:
        return None
    from scipy.stats import t  # takes half a second to import

    mean, error = float(known.mean()), float(known.std(ddof=1) / np.sqrt(known.size))
    half = float(t.ppf(0.975, known.size - 1)) * error
    return MeanInterval(mean, error, mean - half, mean + half)
