"""Forecasts without parameters: the last value, and the same slot of the day before."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values


@dataclass(frozen=True)
class LastValue:
    """The last known value, at every horizon: the floor that any other model has to beat."""

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.family.Fitted`."""
        return np.repeat(_last_known(values)[origins][:, None], len(steps), axis=1)


@dataclass(frozen=True)
class SameSlotYesterday:
    """The latest known value of the same slot of the day; the last value where that slot was never known."""

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.family.Fitted`."""
        by_slot_of_day = pd.Series(values).groupby(np.arange(len(values)) % SLOTS_PER_DAY).ffill().to_numpy()
        days_back = -(-steps // SLOTS_PER_DAY)  # rounded up: the nearest day that ends before the origin
        same_slot = origins[:, None] + (steps - 1 - SLOTS_PER_DAY * days_back)[None, :]
        yesterday = np.where(same_slot >= 0, by_slot_of_day[np.maximum(same_slot, 0)], np.nan)
        return np.where(np.isnan(yesterday), _last_known(values)[origins][:, None], yesterday)


def _last_known(values: Values) -> Values:
    """Element o is the last known value before slot o, for o from 0 to the number of slots."""
    known = pd.Series(values).ffill().to_numpy()
    return np.concatenate([[np.nan], known])
