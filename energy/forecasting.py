"""A forecast of node demand over a window: its backtest, its intervals, and the day that follows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from energy.accuracy import HORIZONS_S, STEPS, Forecasts, accuracy_table
from energy.candidates import CANDIDATES
from energy.choice import Choice
from energy.decomposition import decomposition
from energy.demand import SLOT, SLOT_S, SLOTS_PER_DAY, Values, slots_from_series, window_start
from energy.errors import EnergyError
from energy.family import BASELINES, fit
from energy.holidays import Holidays, holidays_of
from energy.intervals import outlook, rolling_forecasts
from energy.marks import mark_spans
from energy.outages import Overrule, mark_outages, unmarked
from energy.spans import Span
from energy.versions import REFIT_POLICY, FittedModel, fits_document, instant

TRAINING_DAYS = 2
OUTLOOK_SLOTS = SLOTS_PER_DAY
SHOWN_HORIZON_S = 3600
LEAST_KNOWN_SLOTS = 48  # an hourly series of two days

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class ForecastStudy:
    """A forecast and its backtest over a window.

    ``document``: ``{"forecast": {...}}``, ready for JSON (docs/reference/energy.md). ``slots``: one row per
    slot of the window: ``time, used, total, recorded, missing, kept`` (`energy.outages`), ``forecast_mean,
    forecast_low, forecast_high`` (80 %) and ``forecast_low_95, forecast_high_95``, the forecast of that slot
    made ``shown_horizon_s`` before its end, and where the model has them its parts ``level, day, week,
    holiday, remainder`` (`energy.decomposition`). ``outlook``: ``time, mean, low, high, low_95, high_95`` of
    the 24 h after the window, from the data before its end. ``backtest``: one row per model and horizon.
    """

    document: dict[str, Any]
    slots: pd.DataFrame
    outlook: pd.DataFrame
    backtest: pd.DataFrame
    shown_horizon_s: int


@dataclass(frozen=True)
class DemandWindow:
    """Marked slots up to the window's end, the index of the window's first slot, and the site's holidays."""

    slots: pd.DataFrame
    first: int
    holidays: Holidays | None = None

    @property
    def used(self) -> Values:
        """Used nodes by slot, NaN where missing."""
        return self.slots["used"].to_numpy(float)

    @property
    def total(self) -> Values:
        """Nodes present by slot, NaN where unknown."""
        return self.slots["total"].to_numpy(float)


def forecast_study(
    series: pd.DataFrame,
    start_time: pd.Timestamp,
    end_time: pd.Timestamp,
    *,
    model: str = "seasonal",
    shown_horizon_s: int = SHOWN_HORIZON_S,
    outages: bool = True,
    overrule: Overrule | None = None,
    holidays: tuple[Span, ...] = (),
    progress: Progress | None = None,
) -> ForecastStudy:
    """As `energy.study`, without the controller."""
    say = progress or silent
    demand = demand_window(series, start_time, end_time, outages, overrule, holidays)
    result = forecast_window(model, fit_all(model, demand, say), demand, shown_horizon_s, say)
    say(1.0, "Done")
    return result


def forecast(
    series: pd.DataFrame,
    steps: int,
    *,
    model: str = "seasonal",
    outages: bool = True,
    overrule: Overrule | None = None,
    holidays: tuple[Span, ...] = (),
) -> pd.DataFrame:
    """The forecast of the ``steps`` slots after the series' last one.

    Columns ``time, mean, low, high`` (80 %) ``, low_95, high_95``, in nodes.
    """
    if not 1 <= steps <= 14 * SLOTS_PER_DAY:
        raise EnergyError(f"A forecast reaches 1 to {14 * SLOTS_PER_DAY} slots ahead, not {steps}.")
    slots = slots_from_series(series)
    demand = _marked(slots, len(slots), outages, overrule, holidays)
    _check_training(demand, slots["time"].iloc[-1] + SLOT)
    return _outlook(fit(model, demand.used, demand.holidays), demand, steps)


def demand_window(
    series: pd.DataFrame,
    start_time: pd.Timestamp,
    end_time: pd.Timestamp,
    outages: bool = True,
    overrule: Overrule | None = None,
    holidays: tuple[Span, ...] = (),
) -> DemandWindow:
    """The slots up to the window's end. Raises EnergyError unless the window and its training are usable."""
    if not start_time < end_time:
        raise EnergyError(f"The window is empty: it begins at {start_time} and ends at {end_time}.")
    slots = slots_from_series(series, end_time)
    demand = _marked(slots, window_start(slots, start_time), outages, overrule, holidays)
    _check_training(demand, start_time)
    if np.isnan(demand.used[demand.first :]).all():
        raise EnergyError(
            f"The series has no known value between {start_time} and {end_time}: choose other dates."
        )
    return demand


def _marked(
    slots: pd.DataFrame, first: int, outages: bool, overrule: Overrule | None, holidays: tuple[Span, ...]
) -> DemandWindow:
    marked = (mark_outages if outages else unmarked)(slots, overrule)
    return DemandWindow(marked, first, holidays_of(holidays, slots["time"].iloc[0], len(slots)))


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


def fit_all(model: str, demand: DemandWindow, say: Progress) -> dict[str, FittedModel]:
    """The chosen model, first, and the baselines beside it, fitted on the data before the window."""
    say(0.05, f"Fitting the model {model} on {demand.first:,} slots")
    names = [model, *(name for name in BASELINES if name != model)]
    return {name: fit(name, demand.used[: demand.first], demand.holidays) for name in names}


def forecast_window(
    model: str,
    fitted: Mapping[str, FittedModel],
    demand: DemandWindow,
    shown_horizon_s: int,
    say: Progress,
) -> ForecastStudy:
    """The study of a window with models that are fitted: ``model`` and the baselines."""
    if shown_horizon_s not in HORIZONS_S:
        raise EnergyError(f"The horizon shown must be one of {HORIZONS_S} s, not {shown_horizon_s}.")
    say(0.4, f"Forecasting from {len(demand.slots) - demand.first:,} origins")
    forecasts = {name: rolling_forecasts(each, demand.used, STEPS) for name, each in fitted.items()}
    table = accuracy_table(forecasts, demand.used, demand.first)
    say(0.7, "Forecasting the day after the window")
    return ForecastStudy(
        document={"forecast": forecast_document(fitted[model], demand, table)},
        slots=_shown(fitted[model], forecasts[model], demand, shown_horizon_s),
        outlook=_outlook(fitted[model], demand, OUTLOOK_SLOTS),
        backtest=table,
        shown_horizon_s=shown_horizon_s,
    )


def forecast_document(fitted: FittedModel, demand: DemandWindow, backtest: pd.DataFrame) -> dict[str, Any]:
    """The forecast's part of a run's document, ready for JSON."""
    time = demand.slots["time"]
    return {
        "model": fitted.model,
        "horizons": _records(backtest[backtest["model"] == fitted.model].drop(columns="model")),
        "chosen": fitted.chosen,
        "decision": None if fitted.choice is None else _decision(fitted.choice, demand),
        "fits": fits_document(fitted, time),
        "refit_policy": REFIT_POLICY,
        "marks": mark_spans(demand.slots),
        "holidays": _holidays(fitted.chosen, demand),
    }


def _decision(choice: Choice, demand: DemandWindow) -> dict[str, Any]:
    time = demand.slots["time"]
    return {
        "sentence": choice.sentence,
        "from": instant(time.iloc[choice.first]),
        "to": instant(time.iloc[demand.first]),
        "days": choice.days,
        "models": _records(choice.models),
        "horizons": _records(choice.horizons),
    }


def _holidays(model: str, demand: DemandWindow) -> dict[str, Any] | None:
    """How many slots of the training and the window lie on holidays, and whether the model knows of it."""
    if demand.holidays is None:
        return None
    slots = demand.holidays.days
    return {
        "training_slots": int(slots[: demand.first].sum()),
        "window_slots": int(slots[demand.first : len(demand.slots)].sum()),
        "used_by_model": CANDIDATES[model].uses_holidays,
    }


def _shown(
    fitted: FittedModel, forecasts: Forecasts, demand: DemandWindow, shown_horizon_s: int
) -> pd.DataFrame:
    shown = forecasts[shown_horizon_s // SLOT_S]
    slots = demand.slots.drop(columns="repeated").assign(
        forecast_mean=shown.mean,
        forecast_low=shown.low,
        forecast_high=shown.high,
        forecast_low_95=shown.low_95,
        forecast_high_95=shown.high_95,
    )
    parts = decomposition(fitted, demand.used)
    if parts is not None:
        slots = pd.concat([slots, parts], axis=1)
    return slots.iloc[demand.first :].reset_index(drop=True)


def _outlook(fitted: FittedModel, demand: DemandWindow, steps: int) -> pd.DataFrame:
    ahead = outlook(fitted, demand.used, steps)
    time = pd.date_range(demand.slots["time"].iloc[-1] + SLOT, periods=steps, freq=SLOT)
    return pd.DataFrame({"time": time, **vars(ahead)})


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, with None for what is unknown."""
    plain = table.astype(object)
    rows = plain.where(plain.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def silent(fraction: float, sentence: str) -> None:
    """Progress that nobody follows."""
