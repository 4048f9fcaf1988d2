"""One energy run from a series: demand, forecast with its backtest, controller, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from energy.consequences import controlled, controller_document, result
from energy.controllers import Controller
from energy.demand import Values
from energy.errors import EnergyError
from energy.fleet import Boot
from energy.forecasting import (
    SHOWN_HORIZON_S,
    ForecastStudy,
    Progress,
    demand_window,
    fit_all,
    forecast_window,
    silent,
)
from energy.foresight import model_foresight
from energy.frontier import frontier_document
from energy.outages import Overrule
from energy.spans import Span


@dataclass(frozen=True)
class Study(ForecastStudy):
    """A forecast study with a controller: ``document`` has ``result`` and ``controller`` beside ``forecast``.

    ``slots`` has the columns of `energy.consequences.controlled` as well. ``rises``: what the controller read
    of its forecast, a row per slot (`energy.foresight`). Where a sweep was asked for, ``document`` has
    ``frontier`` and ``comparison`` (`energy.frontier`).
    """

    rises: Values


def study(
    series: pd.DataFrame,
    start_time: pd.Timestamp,
    end_time: pd.Timestamp,
    *,
    controller: Controller,
    model: str = "seasonal",
    boot: Boot | None = None,
    sweep: Mapping[str, Controller] | None = None,
    shown_horizon_s: int = SHOWN_HORIZON_S,
    outages: bool = True,
    overrule: Overrule | None = None,
    holidays: tuple[Span, ...] = (),
    progress: Progress | None = None,
) -> Study:
    """The energy run of the window [start_time, end_time) (naive UTC) under a controller.

    ``series``: ``time, used, total`` in nodes, with at least 2 days before ``start_time``. ``outages``: mark
    telemetry outages as missing (False for a replay's demand, whose zeros are real); ``overrule``: what the
    operator knows better. ``holidays``: of the site, for models that can use them. ``sweep``: controllers
    by name (ces, margin, quantile) whose parameters are swept for the frontier; None: no sweep. ``progress``
    is called with a fraction and a sentence. Raises EnergyError with a sentence for a user.
    """
    boot = boot or Boot()
    say = progress or silent
    demand = demand_window(series, start_time, end_time, outages, overrule, holidays)
    if np.isnan(demand.total[: demand.first + 1]).all():
        raise EnergyError(
            "The series does not say how many nodes are present: the controller needs their total."
        )
    fitted = fit_all(model, demand, say)
    forecast = forecast_window(model, fitted, demand, shown_horizon_s, say)
    say(0.8, "Deciding which nodes sleep")
    window = len(demand.slots) - demand.first
    steps = max(controller.steps(boot.slots), 1)
    foresight = model_foresight(model, fitted[model], demand.used, window, steps)
    slots = controlled(forecast.slots, demand.used, demand.total, controller, foresight, boot)
    acted = controller_document(controller, foresight, boot, slots)
    document = {**forecast.document, "controller": acted, "result": result(slots)}
    if sweep is not None:
        say(0.85, "Sweeping every controller's parameter")
        models = {"last": fitted["last"], model: fitted[model]}
        document |= frontier_document(slots, demand.used, demand.total, sweep, models, boot)
    say(1.0, "Done")
    rises = controller.rises(foresight, boot.slots, window)
    return Study(document, slots, forecast.outlook, forecast.backtest, shown_horizon_s, rises)
