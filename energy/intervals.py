"""Forecasts with intervals, from the errors that the same model made before the origin.

Gaussian 80 % intervals of the state-space models cover 94–99 % on node series, so the bounds are empirical
and adapt: see `energy.adaptive`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from energy.adaptive import ERROR_SLOTS, adaptive_bounds
from energy.demand import Values
from energy.fitted import Fitted, origin_means

COVERAGES = (0.8, 0.95)
TAILS = np.array([(1 - coverage) / 2 for coverage in COVERAGES])
OUTLOOK_ERROR_SLOTS = 4 * ERROR_SLOTS  # the outlook's bounds adapt over four weeks


@dataclass(frozen=True)
class Forecast:
    """Mean and bounds in nodes, one element per target slot; NaN where unknown.

    ``low`` and ``high`` are those of 80 %, ``low_95`` and ``high_95`` those of 95 %.
    """

    mean: Values
    low: Values
    high: Values
    low_95: Values
    high_95: Values


def rolling_forecasts(fitted: Fitted, values: Values, steps: Sequence[int]) -> dict[int, Forecast]:
    """By step h, the forecast of each slot h slots ahead: of slot t from the slots before t − h + 1.

    One pass over the series gives the state at every origin, which serves every step.
    """
    origins = np.arange(len(values))
    means = origin_means(fitted, values, origins, np.array(steps))
    forecasts = {}
    for column, step in enumerate(steps):
        ahead = min(step - 1, len(values))
        mean = np.concatenate([np.full(ahead, np.nan), means[: len(values) - ahead, column]])
        forecasts[step] = _bounded(values, mean, step)
    return forecasts


def rolling_forecast(fitted: Fitted, values: Values, step: int) -> Forecast:
    """`rolling_forecasts` of a single step."""
    return rolling_forecasts(fitted, values, (step,))[step]


def outlook(fitted: Fitted, values: Values, steps: int) -> Forecast:
    """The forecast of the ``steps`` slots after ``values``; its bounds adapt over the last four weeks."""
    begin = max(0, len(values) - OUTLOOK_ERROR_SLOTS - steps)
    means = origin_means(fitted, values, np.arange(begin, len(values) + 1), np.arange(1, steps + 1))
    ahead = np.empty((5, steps))
    for step in range(1, steps + 1):
        actual = np.concatenate([values[begin:], np.full(step, np.nan)])
        mean = np.concatenate([np.full(step - 1, np.nan), means[:, step - 1]])
        made = _bounded(actual, mean, step)
        ahead[:, step - 1] = [
            part[-1] for part in (made.mean, made.low, made.high, made.low_95, made.high_95)
        ]
    return Forecast(*ahead)


def _bounded(values: Values, mean: Values, step: int) -> Forecast:
    low, high = adaptive_bounds(values, mean, step, TAILS)
    return Forecast(mean, low[0], high[0], low[1], high[1])
