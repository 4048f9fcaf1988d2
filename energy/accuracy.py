"""How good forecasts were: errors and interval coverage over rolling origins, by model and horizon."""

from typing import Any

import numpy as np
import pandas as pd

from energy.adaptive import TOLERANCE_NODES
from energy.demand import SLOT_S, SLOTS_PER_DAY, Values
from energy.fitted import Fitted
from energy.intervals import Forecast, rolling_forecasts
from energy.paired import mean_interval

HORIZONS_S = (600, 3600, 10800, 18000, 86400)
STEPS = tuple(horizon_s // SLOT_S for horizon_s in HORIZONS_S)

Forecasts = dict[int, Forecast]


def backtest(fitted: dict[str, Fitted], values: Values, first: int) -> pd.DataFrame:
    """One row per model and horizon, over one origin per slot from ``first`` to the end of ``values``.

    Columns: ``model, horizon_s`` and those of `horizon_accuracy`.
    """
    return accuracy_table(
        {model: rolling_forecasts(each, values, STEPS) for model, each in fitted.items()}, values, first
    )


def accuracy_table(forecasts: dict[str, Forecasts], values: Values, first: int) -> pd.DataFrame:
    """The rows of `backtest` from forecasts by model and step; ``skill`` needs those of ``last``."""
    rows = []
    for model, by_step in forecasts.items():
        for step, forecast in by_step.items():
            targets = slice(first + step - 1, None)
            last = forecasts["last"][step].mean if "last" in forecasts else None
            figures = horizon_accuracy(values, forecast, targets, last)
            rows.append({"model": model, "horizon_s": step * SLOT_S, **figures})
    return pd.DataFrame(rows)


def horizon_accuracy(
    values: Values, forecast: Forecast, targets: slice, last: Values | None = None
) -> dict[str, Any]:
    """Accuracy over the target slots whose value is known; None where there is nothing to average.

    ``n`` counts those targets; ``mae`` and ``rmse`` are in nodes; ``smape`` is the mean of 2·|f − a| ÷ (|f|
    + |a|), with 0 ÷ 0 = 0; ``coverage_80`` is the share with low ≤ actual ≤ high and ``width_80`` the mean
    of high − low, in nodes, both where the interval is known, and so for 95 %. ``skill`` is 1 − mae ÷ the mae
    of ``last``, the last value's forecasts, over the same targets; None where that is 0.
    ``coverage_80_interval`` and ``coverage_95_interval`` are what the coverage of so many days leaves open
    (`energy.paired.mean_interval` of the days' coverages, cut to 0–1): hits of one day come together.
    """
    actual, mean = values[targets], forecast.mean[targets]
    known = ~np.isnan(actual) & ~np.isnan(mean)
    error = np.abs(mean - actual)[known]
    size = (np.abs(mean) + np.abs(actual))[known]
    relative = np.divide(2 * error, size, out=np.zeros_like(error), where=size > 0)
    squared, mae = average(error**2), average(error)
    plain = None if last is None else average(np.abs(last[targets] - actual)[known])
    return {
        "n": int(known.sum()),
        "mae": mae,
        "rmse": None if squared is None else squared**0.5,
        "smape": average(relative),
        **_coverage(80, actual, mean, forecast.low[targets], forecast.high[targets]),
        "skill": None if mae is None or not plain else 1 - mae / plain,
        **_coverage(95, actual, mean, forecast.low_95[targets], forecast.high_95[targets]),
    }


def _coverage(percent: int, actual: Values, mean: Values, low: Values, high: Values) -> dict[str, Any]:
    bounded = ~np.isnan(actual) & ~np.isnan(mean) & ~np.isnan(low) & ~np.isnan(high)
    inside = ((low - TOLERANCE_NODES <= actual) & (actual <= high + TOLERANCE_NODES)).astype(float)
    by_day = daily_means(np.where(bounded, inside, np.nan))
    interval = mean_interval(by_day)
    return {
        f"coverage_{percent}": average(inside[bounded]),
        f"width_{percent}": average((high - low)[bounded]),
        f"coverage_{percent}_interval": None
        if interval is None
        else [max(0.0, interval.low), min(1.0, interval.high)],
    }


def daily_means(values: Values) -> Values:
    """The means of every 144 slots from the first on, of the known ones; NaN of a day without one."""
    days = pd.Series(values).groupby(np.arange(len(values)) // SLOTS_PER_DAY).mean()
    return np.asarray(days, dtype=np.float64)


def average(values: Values) -> float | None:
    """The mean, or None of nothing."""
    return float(values.mean()) if values.size else None
