"""Forecasts with intervals from the errors that the same model made before the origin.

Gaussian 80 % intervals of the state-space models cover 94–99 % on node series, so the bounds are empirical:
the mean plus the 10 % and 90 % quantiles of the errors at the same horizon over the trailing two weeks. An
error counts once its target slot is past. Errors of the first day of the series are left out: no model knows
a day's shape there.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from energy.demand import SLOTS_PER_DAY, Values
from energy.family import Fitted, origin_means

COVERAGE = 0.8
ERROR_SLOTS = 14 * SLOTS_PER_DAY
LEAST_ERRORS = 12  # fewer say nothing about a 10 % tail: the interval is unknown


@dataclass(frozen=True)
class Forecast:
    """Mean, low and high in nodes, one element per target slot; NaN where unknown."""

    mean: Values
    low: Values
    high: Values


def rolling_forecast(fitted: Fitted, values: Values, step: int) -> Forecast:
    """The forecast of each slot, ``step`` slots ahead: of slot t from the slots before t − step + 1."""
    slots = len(values)
    origins = np.arange(max(0, slots - step + 1))
    means = origin_means(fitted, values, origins, np.array([step]))[:, 0]
    mean = np.concatenate([np.full(min(step - 1, slots), np.nan), means])
    errors = values - mean
    errors[: SLOTS_PER_DAY + step - 1] = np.nan
    low, high = (_delayed(_trailing_quantile(errors, q), step) for q in _tails(COVERAGE))
    return Forecast(mean, np.maximum(mean + low, 0.0), np.maximum(mean + high, 0.0))


def outlook(fitted: Fitted, values: Values, steps: int) -> Forecast:
    """The forecast of the ``steps`` slots that follow ``values``."""
    ahead = np.arange(1, steps + 1)
    origins = np.arange(max(0, len(values) - ERROR_SLOTS - steps), len(values) + 1)
    means = origin_means(fitted, values, origins, ahead)
    bounds = np.array([_error_quantiles(values, means[:, h - 1], origins, h) for h in range(1, steps + 1)])
    mean = means[-1]
    return Forecast(mean, np.maximum(mean + bounds[:, 0], 0.0), np.maximum(mean + bounds[:, 1], 0.0))


def _error_quantiles(
    values: Values, means: Values, origins: NDArray[np.int64], step: int
) -> tuple[float, float]:
    """Low and high quantile of the errors ``step`` slots ahead with targets in the last two weeks."""
    targets = origins + step - 1
    recent = (targets < len(values)) & (targets >= len(values) - ERROR_SLOTS) & (origins >= SLOTS_PER_DAY)
    errors = values[targets[recent]] - means[recent]
    errors = errors[~np.isnan(errors)]
    if errors.size < LEAST_ERRORS:
        return np.nan, np.nan
    low, high = np.quantile(errors, _tails(COVERAGE))
    return float(low), float(high)


def _tails(coverage: float) -> tuple[float, float]:
    return (1 - coverage) / 2, (1 + coverage) / 2


def _trailing_quantile(errors: Values, quantile: float) -> Values:
    """Element o: the quantile of the known errors of targets o − ERROR_SLOTS … o − 1."""
    rolled = pd.Series(errors).rolling(ERROR_SLOTS, min_periods=LEAST_ERRORS).quantile(quantile)
    return rolled.shift(1).to_numpy()


def _delayed(by_origin: Values, step: int) -> Values:
    """From one element per origin to one per target, ``step`` − 1 slots later."""
    return pd.Series(by_origin).shift(step - 1).to_numpy()
