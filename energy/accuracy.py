"""How good forecasts were: errors and interval coverage over rolling origins, by model and horizon."""

import numpy as np
import pandas as pd

from energy.demand import SLOT_S, Values
from energy.family import Fitted
from energy.intervals import Forecast, rolling_forecast

HORIZONS_S = (600, 3600, 10800, 18000)
TOLERANCE_NODES = 1e-6  # a bound that equals the actual but for rounding covers it


def backtest(fitted: dict[str, Fitted], values: Values, first: int) -> pd.DataFrame:
    """One row per model and horizon, over one origin per slot from ``first`` to the end of ``values``.

    Columns: ``model, horizon_s, n, mae, rmse, smape, coverage_80, width_80``, as `horizon_accuracy` defines
    them.
    """
    rows = []
    for model, forecaster in fitted.items():
        for horizon_s in HORIZONS_S:
            step = horizon_s // SLOT_S
            forecast = rolling_forecast(forecaster, values, step)
            targets = slice(first + step - 1, None)
            rows.append(
                {"model": model, "horizon_s": horizon_s, **horizon_accuracy(values, forecast, targets)}
            )
    return pd.DataFrame(rows)


def horizon_accuracy(values: Values, forecast: Forecast, targets: slice) -> dict[str, float | None]:
    """Accuracy over the target slots whose value is known; None where there is nothing to average.

    ``n`` counts those targets; ``mae`` and ``rmse`` are in nodes; ``smape`` is the mean of 2·|f − a| ÷ (|f|
    + |a|), with 0 ÷ 0 = 0; ``coverage_80`` is the share with low ≤ actual ≤ high and ``width_80`` the mean
    of high − low, in nodes, both where the interval is known.
    """
    actual, mean = values[targets], forecast.mean[targets]
    low, high = forecast.low[targets], forecast.high[targets]
    known = ~np.isnan(actual) & ~np.isnan(mean)
    bounded = known & ~np.isnan(low) & ~np.isnan(high)
    error = np.abs(mean - actual)[known]
    size = (np.abs(mean) + np.abs(actual))[known]
    relative = np.divide(2 * error, size, out=np.zeros_like(error), where=size > 0)
    inside = (low - TOLERANCE_NODES <= actual) & (actual <= high + TOLERANCE_NODES)
    squared = average(error**2)
    return {
        "n": int(known.sum()),
        "mae": average(error),
        "rmse": None if squared is None else squared**0.5,
        "smape": average(relative),
        "coverage_80": average(inside[bounded].astype(float)),
        "width_80": average((high - low)[bounded]),
    }


def average(values: Values) -> float | None:
    """The mean, or None of nothing."""
    return float(values.mean()) if values.size else None
