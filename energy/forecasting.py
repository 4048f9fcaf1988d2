"""A forecast of node demand over a window: its backtest, its intervals, and the day that follows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from energy.accuracy import HORIZONS_S, backtest
from energy.demand import SLOT, SLOT_S, SLOTS_PER_DAY, Values, slots_from_series, window_start
from energy.errors import EnergyError
from energy.family import BASELINES, Fitted, fit
from energy.intervals import outlook, rolling_forecast
from energy.outages import mark_outages, unmarked

TRAINING_DAYS = 2
OUTLOOK_SLOTS = SLOTS_PER_DAY
SHOWN_HORIZON_S = 3600
LEAST_KNOWN_SLOTS = 48  # an hourly series of two days

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class ForecastStudy:
    """A forecast and its backtest over a window.

    ``document``: ``{"forecast": {"model", "horizons": [...]}}``, ready for JSON. ``slots``: one row per slot
    of the window: ``time, used, total, recorded, missing`` (`energy.outages`) and ``forecast_mean,
    forecast_low, forecast_high``, the forecast of that slot made ``shown_horizon_s`` before its end.
    ``outlook``: ``time, mean, low, high`` of the 24 h after the window, from the data before its end.
    ``backtest``: one row per model and horizon.
    """

    document: dict[str, Any]
    slots: pd.DataFrame
    outlook: pd.DataFrame
    backtest: pd.DataFrame
    shown_horizon_s: int


@dataclass(frozen=True)
class DemandWindow:
    """Marked slots up to the window's end, and the index of the window's first slot."""

    slots: pd.DataFrame
    first: int

    @property
    def used(self) -> Values:
        return self.slots["used"].to_numpy(float)

    @property
    def total(self) -> Values:
        return self.slots["total"].to_numpy(float)


def forecast_study(
    series: pd.DataFrame,
    start_time: pd.Timestamp,
    end_time: pd.Timestamp,
    *,
    model: str = "seasonal",
    shown_horizon_s: int = SHOWN_HORIZON_S,
    outages: bool = True,
    progress: Progress | None = None,
) -> ForecastStudy:
    """As `study`, without the controller."""
    say = progress or silent
    demand = demand_window(series, start_time, end_time, outages)
    result = forecast_window(model, fit_all(model, demand, say), demand, shown_horizon_s, say)
    say(1.0, "Done")
    return result


def forecast(
    series: pd.DataFrame, steps: int, *, model: str = "seasonal", outages: bool = True
) -> pd.DataFrame:
    """``time, mean, low, high`` (nodes; 80 % interval) of the ``steps`` slots after the series' last one."""
    if not 1 <= steps <= 14 * SLOTS_PER_DAY:
        raise EnergyError(f"A forecast reaches 1 to {14 * SLOTS_PER_DAY} slots ahead, not {steps}.")
    slots = slots_from_series(series)
    end_time = slots["time"].iloc[-1] + SLOT
    marked = mark_outages(slots) if outages else unmarked(slots)
    demand = DemandWindow(marked, len(marked))
    _check_training(demand, end_time)
    return _outlook(fit(model, demand.used), demand, steps)


def demand_window(
    series: pd.DataFrame, start_time: pd.Timestamp, end_time: pd.Timestamp, outages: bool
) -> DemandWindow:
    """The slots up to the window's end. Raises EnergyError unless the window and its training are usable."""
    if not start_time < end_time:
        raise EnergyError(f"The window is empty: it begins at {start_time} and ends at {end_time}.")
    slots = slots_from_series(series, end_time)
    marked = mark_outages(slots) if outages else unmarked(slots)
    demand = DemandWindow(marked, window_start(marked, start_time))
    _check_training(demand, start_time)
    if np.isnan(demand.used[demand.first :]).all():
        raise EnergyError(
            f"The series has no known value between {start_time} and {end_time}: choose other dates."
        )
    return demand


def _check_training(demand: DemandWindow, start_time: pd.Timestamp) -> None:
    begin = demand.slots["time"].iloc[0]
    if demand.first < TRAINING_DAYS * SLOTS_PER_DAY:
        raise EnergyError(
            f"A forecast needs at least {TRAINING_DAYS} days of data before {start_time}, and the series "
            f"begins at {begin}: choose a later start."
        )
    known = int((~np.isnan(demand.used[: demand.first])).sum())
    if known < LEAST_KNOWN_SLOTS:
        raise EnergyError(
            f"A forecast needs at least {LEAST_KNOWN_SLOTS} known slots before {start_time}, and there are "
            f"{known}: choose a later start."
        )


def fit_all(model: str, demand: DemandWindow, say: Progress) -> dict[str, Fitted]:
    """The chosen model, first, and the baselines beside it, fitted on the data before the window."""
    say(0.05, f"Fitting the model {model} on {demand.first:,} slots")
    names = [model, *(name for name in BASELINES if name != model)]
    return {name: fit(name, demand.used[: demand.first]) for name in names}


def forecast_window(
    model: str, fitted: dict[str, Fitted], demand: DemandWindow, shown_horizon_s: int, say: Progress
) -> ForecastStudy:
    if shown_horizon_s not in HORIZONS_S:
        raise EnergyError(f"The horizon shown must be one of {HORIZONS_S} s, not {shown_horizon_s}.")
    say(0.4, f"Forecasting from {len(demand.slots) - demand.first:,} origins")
    table = backtest(fitted, demand.used, demand.first)
    chosen = table[table["model"] == model].drop(columns="model").astype(object)
    horizons = chosen.where(chosen.notna(), None).to_dict("records")
    shown = rolling_forecast(fitted[model], demand.used, shown_horizon_s // SLOT_S)
    slots = demand.slots.assign(forecast_mean=shown.mean, forecast_low=shown.low, forecast_high=shown.high)
    say(0.7, "Forecasting the day after the window")
    return ForecastStudy(
        document={"forecast": {"model": model, "horizons": horizons}},
        slots=slots.iloc[demand.first :].reset_index(drop=True),
        outlook=_outlook(fitted[model], demand, OUTLOOK_SLOTS),
        backtest=table,
        shown_horizon_s=shown_horizon_s,
    )


def _outlook(fitted: Fitted, demand: DemandWindow, steps: int) -> pd.DataFrame:
    ahead = outlook(fitted, demand.used, steps)
    time = pd.date_range(demand.slots["time"].iloc[-1] + SLOT, periods=steps, freq=SLOT)
    return pd.DataFrame({"time": time, "mean": ahead.mean, "low": ahead.low, "high": ahead.high})


def silent(fraction: float, sentence: str) -> None:
    """Progress that nobody follows."""
