"""The shape of a day, taken from training, and models of what is left without it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values
from energy.fitted import Fitted

LEAST_DAYS = 3  # of the same shape: fewer are no habit


def day_profile(training: Values) -> Values:
    """Shape (144,): nodes above the day's mean by slot of the day, with the mean 0.

    The median over the known days, each less its own mean; slots that were never known lie on a line between
    their neighbors. Zeros where fewer than 3 days are known.
    """
    slot = np.arange(len(training))
    day_mean = pd.Series(training).groupby(slot // SLOTS_PER_DAY).transform("mean").to_numpy()
    deviation = pd.Series(training - day_mean)
    if deviation.notna().groupby(slot // SLOTS_PER_DAY).any().sum() < LEAST_DAYS:
        return np.zeros(SLOTS_PER_DAY)
    shape = deviation.groupby(slot % SLOTS_PER_DAY).median().reindex(range(SLOTS_PER_DAY)).to_numpy(float)
    known = np.flatnonzero(~np.isnan(shape))
    filled = np.interp(np.arange(SLOTS_PER_DAY), known, shape[known], period=SLOTS_PER_DAY)
    profile: Values = filled - filled.mean()
    return profile


@dataclass(frozen=True, eq=False)
class WithDayProfile:
    """A fixed shape of the day plus a model of the rest, in nodes."""

    profile: Values
    rest: Fitted

    @property
    def parameters(self) -> dict[str, float]:
        """Those of the rest, and how far the shape reaches."""
        return {**self.rest.parameters, "profile_range_nodes": float(np.ptp(self.profile))}

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        rest = self.rest.means(without_profile(values, self.profile), origins, steps)
        target = origins[:, None] + steps[None, :] - 1
        means: Values = rest + self.profile[target % SLOTS_PER_DAY]
        return means


def without_profile(values: Values, profile: Values) -> Values:
    """``values`` less the day's shape."""
    rest: Values = values - profile[np.arange(len(values)) % SLOTS_PER_DAY]
    return rest
