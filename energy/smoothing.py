"""Exponential smoothing over series with missing slots: Holt-Winters, and the recursion that Theta shares.

statsmodels' own classes of these models take no missing values, so the recursion is ours: a missing slot
changes nothing but that the trend goes on.
"""

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from energy.day_profile import day_profile
from energy.demand import SLOTS_PER_DAY, Values
from energy.naive import seasonal_state

STARTS = (np.array([0.9, 0.01, 0.05, 0.9]), np.array([0.3, 0.01, 0.1, 0.9]))
BOUNDS = ((0.01, 1.0), (0.0, 0.5), (0.0, 0.5), (0.8, 0.98))


@dataclass(frozen=True, eq=False)
class HoltWinters:
    """Additive Holt-Winters with a damped trend and a day of 144 slots (Gardner and McKenzie 1985).

    ``weights``: of the level, the trend and the season, and the damping; ``profile``: the day's shape that
    the recursion starts from, in nodes above the mean.
    """

    weights: tuple[float, float, float, float]
    profile: Values

    @property
    def parameters(self) -> dict[str, float]:
        """The fitted numbers by name."""
        return dict(zip(("level", "trend", "season", "damping"), self.weights, strict=True))

    def means(self, values: Values, origins: NDArray[np.int64], steps: NDArray[np.int64]) -> Values:
        """Shape (origins, steps); see `energy.fitted.Fitted`."""
        _, level, trend, season = smooth(values, np.array(self.weights), self.profile)
        damping = self.weights[3]
        trend_sum = damping * (1 - damping**steps) / (1 - damping) if damping < 1 else steps.astype(float)
        known = seasonal_state(season, SLOTS_PER_DAY, origins, steps)
        target = (origins[:, None] + steps[None, :] - 1) % SLOTS_PER_DAY
        season_ahead = np.where(np.isnan(known), self.profile[target], known)
        means: Values = level[origins][:, None] + trend[origins][:, None] * trend_sum + season_ahead
        return means


def fit_holt_winters(training: Values) -> HoltWinters:
    """The weights with the least squared error one slot ahead on ``training``, from two starting points."""
    from scipy.optimize import minimize  # slow to import

    profile = day_profile(training)
    scale = max(float(np.nanvar(training)), 1e-12)

    def loss(weights: Values) -> float:
        return float(smooth(training, weights, profile)[0]) / scale

    options: Any = {"maxfev": 400, "xatol": 1e-3, "fatol": 1e-6}
    tried = [minimize(loss, start, method="Nelder-Mead", bounds=BOUNDS, options=options) for start in STARTS]
    best = min(tried, key=lambda result: float(result.fun))
    level, trend, season, damping = (float(weight) for weight in best.x)
    return HoltWinters((level, trend, season, damping), profile)


def smooth(values: Values, weights: Values, profile: Values) -> tuple[float, Values, Values, Values]:
    """One pass of the recursion: mean squared error one slot ahead, and level, trend and season by slot.

    ``level[o]`` and ``trend[o]`` are those before slot o, for o from 0 to the number of slots; ``season[t]``
    is that of slot t's place in the day after slot t. ``weights``: level, trend, season, damping.
    """
    # Arrays of one kind, so that one kernel is compiled: two processes that compile several at once can mix
    # up their files in numba's cache.
    alike = (np.require(each, np.float64, ["C", "W"]) for each in (values, weights, profile))
    made: tuple[float, Values, Values, Values] = _pass(*alike)
    return made


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _pass(values, weights, profile):  # type: ignore[no-untyped-def]
    slots = values.size
    level, trend, season = np.zeros(slots + 1), np.zeros(slots + 1), np.zeros(slots)
    shape = profile.copy()
    squared, count = 0.0, 0
    started = False
    for slot in range(slots):
        place = slot % shape.size
        slope = weights[3] * trend[slot]
        level[slot + 1], trend[slot + 1] = level[slot] + slope, slope
        if not np.isnan(values[slot]):
            if started:
                error = values[slot] - level[slot + 1] - shape[place]
                squared += error * error
                count += 1
                level[slot + 1] += weights[0] * error
                trend[slot + 1] += weights[1] * error
                shape[place] += weights[2] * error
            else:
                level[slot + 1] = values[slot] - shape[place]
                started = True
        season[slot] = shape[place]
    return squared / max(count, 1), level, trend, season
