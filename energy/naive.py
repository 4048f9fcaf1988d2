"""Forecasts without parameters: the last value, and the same slot of the day or week before."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import Values


@dataclass(frozen=True)
class LastValue:
    """The last known value, at every horizon: the floor that any other model has to beat."""

    @property
    def parameters(self) -> dict[str, float]:
        """None."""
        return {}

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        return np.repeat(last_known(values)[origins][:, None], len(steps), axis=1)


@dataclass(frozen=True)
class SameSlotBefore:
    """The latest known value of the same slot of the day or week; the last value where it was never known."""

    period_slots: int

    @property
    def parameters(self) -> dict[str, float]:
        """None."""
        return {}

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        slot = np.arange(len(values)) % self.period_slots
        latest = np.asarray(pd.Series(values).groupby(slot).ffill(), dtype=np.float64)
        before = seasonal_state(latest, self.period_slots, origins, steps)
        return np.where(np.isnan(before), last_known(values)[origins][:, None], before)


def seasonal_state(
    by_slot: Values, period_slots: int, origins: NDArray[np.int64], steps: NDArray[np.int64]
) -> Values:
    """Shape (origins, steps): ``by_slot`` of the nearest whole number of periods before each target slot that
    lies before the origin; NaN before the series."""
    periods_back = -(-steps // period_slots)  # rounded up: the nearest period that ends before the origin
    same_slot = origins[:, None] + (steps - 1 - period_slots * periods_back)[None, :]
    return np.where(same_slot >= 0, by_slot[np.maximum(same_slot, 0)], np.nan)


def last_known(values: Values) -> Values:
    """Element o is the last known value before slot o, for o from 0 to the number of slots."""
    known = pd.Series(values).ffill().to_numpy()
    return np.concatenate([[np.nan], known])
