"""The Theta method: simple exponential smoothing with half the trend, on a series without its daily shape.

Assimakopoulos and Nikolopoulos, *The theta model: a decomposition approach to forecasting*, International
Journal of Forecasting 16 (2000), in the form of Hyndman and Billah, *Unmasking the Theta method*, IJF 19
(2003): the forecast is that of smoothing with a drift of half the slope of the training's line.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from energy.day_profile import WithDayProfile, day_profile, without_profile
from energy.demand import SLOTS_PER_DAY, Values
from energy.naive import last_known
from energy.smoothing import smooth

NO_PROFILE = np.zeros(1)
SEASONAL_QUANTILE = 1.645  # of the normal distribution: the method's own test, at 90 %


@dataclass(frozen=True)
class SmoothingWithDrift:
    """Simple exponential smoothing with ``weight``, and ``drift`` nodes a slot."""

    weight: float
    drift: float

    @property
    def parameters(self) -> dict[str, float]:
        """The fitted numbers by name."""
        return {"level": self.weight, "drift_nodes_per_day": self.drift * SLOTS_PER_DAY}

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        level = smooth(values, np.array([self.weight, 0.0, 0.0, 0.0]), NO_PROFILE)[1]
        ahead = steps - 1 + 1 / self.weight  # the lag of the level behind the line is 1/weight − 1
        means: Values = level[origins][:, None] + self.drift * ahead[None, :]
        return means


def fit_theta(training: Values) -> WithDayProfile:
    """The weight by least squared error one slot ahead, the drift as half the slope of least squares.

    The day's shape is taken out where the autocorrelation at a day is significant.
    """
    profile = day_profile(training) if has_daily_shape(training) else np.zeros(SLOTS_PER_DAY)
    rest = without_profile(training, profile)
    known = np.flatnonzero(~np.isnan(rest))
    drift = float(np.polyfit(known, rest[known], 1)[0]) / 2 if known.size > 1 else 0.0
    return WithDayProfile(profile, SmoothingWithDrift(_best_weight(rest), drift))


def has_daily_shape(training: Values) -> bool:
    """Whether the autocorrelation at a day passes the Theta method's test, which counts those before it."""
    filled = last_known(training)[1:]
    deviation = np.nan_to_num(filled - np.nanmean(filled))
    size = 2 * len(deviation)
    power = np.abs(np.fft.rfft(deviation, size)) ** 2
    correlation = np.fft.irfft(power, size)[: SLOTS_PER_DAY + 1]
    if correlation[0] <= 0 or len(training) < 3 * SLOTS_PER_DAY:
        return False
    correlation = correlation / correlation[0]
    limit = SEASONAL_QUANTILE * np.sqrt((1 + 2 * (correlation[1:-1] ** 2).sum()) / len(training))
    return bool(abs(correlation[-1]) > limit)


def _best_weight(rest: Values) -> float:
    from scipy.optimize import minimize_scalar  # slow to import

    def loss(weight: float) -> float:
        return float(smooth(rest, np.array([weight, 0.0, 0.0, 0.0]), NO_PROFILE)[0])

    return float(minimize_scalar(loss, bounds=(0.01, 1.0), method="bounded").x)
