"""Forecasts as controllers read them: when a slot begins, how far demand will rise above its last value.

Rises, not levels, because a controller may act on a demand that its own decisions have changed (jobs that
wait for sleeping nodes): the rise is added to the demand that it sees.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from energy.demand import SLOTS_PER_DAY, Values
from energy.errors import EnergyError
from energy.family import Fitted, origin_means

ERROR_SLOTS = 14 * SLOTS_PER_DAY
HOUR_SLOTS = 6
LEAST_ERRORS = 36  # fewer say nothing about the tail of a maximum over hours: the quantile is unknown
NO_FORECAST = "none"
TRUE_FUTURE = "true future"


@dataclass(frozen=True)
class Foresight:
    """A forecast of the last ``len(means)`` slots of ``demand`` (nodes, NaN where missing), seen from each.

    ``means[j, h − 1]``: the mean of the slot h − 1 slots after origin j, forecast when origin j begins; the
    origins are consecutive slots, the last one the last slot of ``demand``. The window is the last ``window``
    slots; the origins before it say how large errors were. ``name``: the model, or what stands for one.
    """

    name: str
    demand: Values
    means: Values
    window: int

    def mean_rises(self, steps: int) -> Values:
        """By slot of the window: mean of the next ``steps`` slots above the last known demand (nodes)."""
        means: Values = self._ahead(steps)[-self.window :].mean(axis=1)
        return means - self._last()[-self.window :]

    def peak_rises(self, steps: int) -> Values:
        """By slot of the window: largest mean of the next ``steps`` slots above the last known demand."""
        peaks: Values = self._ahead(steps)[-self.window :].max(axis=1)
        return peaks - self._last()[-self.window :]

    def upper_rises(self, steps: int, quantile: float) -> Values:
        """By slot of the window: the ``quantile`` (0–1) of the largest demand of the next ``steps`` slots,
        above the last known demand; NaN where it is unknown.

        It is the largest mean plus that quantile of what the largest demand came out above it, over the
        origins of the trailing two weeks whose ``steps`` slots were all past. The first day's are left out.
        """
        origins = len(self.means)
        actual = _peaks_from(self.demand, steps)[-origins:]
        peaks = self._ahead(steps).max(axis=1)
        excess = actual - peaks
        excess[: max(0, SLOTS_PER_DAY - (len(self.demand) - origins))] = np.nan
        rolled = pd.Series(excess).rolling(ERROR_SLOTS, min_periods=LEAST_ERRORS).quantile(quantile)
        upper: Values = peaks + rolled.shift(steps).to_numpy()
        return (upper - self._last())[-self.window :]

    def hour_ahead(self) -> Values:
        """By slot of the window: its mean, forecast an hour before its end."""
        steps = min(HOUR_SLOTS, self.means.shape[1])
        by_origin: Values = self.means[:, steps - 1]
        made = np.concatenate([np.full(steps - 1, np.nan), by_origin[: len(by_origin) - steps + 1]])
        return made[-self.window :]

    def _ahead(self, steps: int) -> Values:
        if steps > self.means.shape[1]:
            raise EnergyError(
                f"The forecast reaches {self.means.shape[1]} slots ahead, and the controller reads {steps}."
            )
        return self.means[:, :steps]

    def _last(self) -> Values:
        """Element j: the last known demand before origin j."""
        known = pd.Series(self.demand).ffill().shift(1).to_numpy()
        return known[-len(self.means) :]


def model_foresight(name: str, fitted: Fitted, demand: Values, window: int, steps: int) -> Foresight:
    """What a fitted model forecasts, up to ``steps`` slots ahead, with two weeks of origins before."""
    first = max(0, len(demand) - window - ERROR_SLOTS - steps)
    origins = np.arange(first, len(demand))
    return Foresight(name, demand, origin_means(fitted, demand, origins, np.arange(1, steps + 1)), window)


def true_future(demand: Values, window: int, steps: int) -> Foresight:
    """The actual demand in place of a forecast: the limit of every model, which no one can have.

    Missing slots are bridged with the value before them; after the last slot it stays.
    """
    known = pd.Series(demand).ffill().bfill().to_numpy()
    padded = np.concatenate([known, np.full(steps, known[-1])])
    first = max(0, len(demand) - window - ERROR_SLOTS - steps)
    means = np.lib.stride_tricks.sliding_window_view(padded, steps)[first : len(demand)]
    return Foresight(TRUE_FUTURE, demand, means, window)


def _peaks_from(demand: Values, steps: int) -> Values:
    """Element i: the largest known demand of slots i … i + steps − 1; NaN where they reach past the end."""
    backwards = pd.Series(demand[::-1]).rolling(steps, min_periods=1).max().to_numpy()
    peaks: Values = backwards[::-1].copy()
    peaks[max(0, len(peaks) - steps + 1) :] = np.nan
    return peaks
