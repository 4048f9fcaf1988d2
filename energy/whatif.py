"""One energy run from a series: demand, forecast with its backtest, controller, and what came of it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from energy.consequences import controlled, controller_document, result
from energy.controllers import Controller
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


@dataclass(frozen=True)
class Study(ForecastStudy):
    """A forecast study with a controller: ``document`` has ``result`` and ``controller`` beside ``forecast``.

    ``slots`` has the columns of `energy.consequences.controlled` as well.
    """


def study(
    series: pd.DataFrame,
    start_time: pd.Timestamp,
    end_time: pd.Timestamp,
    *,
    controller: Controller,
    model: str = "seasonal",
    boot: Boot | None = None,
    shown_horizon_s: int = SHOWN_HORIZON_S,
    outages: bool = True,
    progress: Progress | None = None,
) -> Study:
    """The energy run of the window [start_time, end_time) (naive UTC) under a controller.

    ``series``: ``time, used, total`` in nodes, with at least 2 days before ``start_time``. ``outages``: mark
    telemetry outages as missing (False for a replay's demand, whose zeros are real). ``progress`` is called
    with a fraction and a sentence. Raises EnergyError with a sentence for a user.
    """
    boot = boot or Boot()
    say = progress or silent
    demand = demand_window(series, start_time, end_time, outages)
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
    say(1.0, "Done")
    return Study(document, slots, forecast.outlook, forecast.backtest, shown_horizon_s)
