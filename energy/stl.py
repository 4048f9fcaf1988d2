"""STL: the day's shape by loess, and a local level for the rest.

Cleveland, Cleveland, McRae and Terpenning, *STL: A Seasonal-Trend Decomposition Procedure Based on Loess*,
Journal of Official Statistics 6 (1990).
"""

import numpy as np

from energy.day_profile import LEAST_DAYS, WithDayProfile, without_profile
from energy.demand import SLOTS_PER_DAY, Values
from energy.state_space import fit_level

MOST_DAYS = 42  # the shape of the last six weeks is wanted
SHAPE_DAYS = 7  # the last cycles whose mean is the shape ahead


def fit_stl(training: Values) -> WithDayProfile:
    """The mean of the last seven cycles of STL's season, and a local level fitted on the rest.

    STL takes no missing values: for the shape, and for nothing else, they lie on a line between their
    neighbors.
    """
    profile = _shape(training[-MOST_DAYS * SLOTS_PER_DAY :], len(training))
    return WithDayProfile(profile, fit_level(without_profile(training, profile)))


def _shape(recent: Values, slots: int) -> Values:
    """Shape (144,), in the place of the day of a series of ``slots`` slots that ends with ``recent``."""
    from statsmodels.tsa.seasonal import STL  # slow to import

    known = np.flatnonzero(~np.isnan(recent))
    if len(recent) < LEAST_DAYS * SLOTS_PER_DAY or known.size < 2:
        return np.zeros(SLOTS_PER_DAY)
    filled = np.interp(np.arange(len(recent)), known, recent[known])
    season = STL(filled, period=SLOTS_PER_DAY, seasonal=13).fit().seasonal
    cycles = min(SHAPE_DAYS, len(recent) // SLOTS_PER_DAY)
    last = season[-cycles * SLOTS_PER_DAY :].reshape(cycles, SLOTS_PER_DAY).mean(axis=0)
    profile: Values = np.roll(last - last.mean(), slots % SLOTS_PER_DAY)
    return profile
