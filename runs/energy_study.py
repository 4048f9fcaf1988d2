"""Node demand, forecast and sleeping nodes of one cluster, for the page, the command and stored runs."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import energy
import scheduling
from queries import manifests, rows
from runs import scenario
from runs.errors import RunError
from runs.parts import chosen_clusters, read_capacity, read_jobs
from runs.scenario import EnergyScenario
from runs.window import Window, series_window, window
from scheduling import metrics
from traces import node_series

Progress = Callable[[float, str], None]
FROM_SERIES = "recorded node series"
FROM_REPLAY = "FIFO replay of the jobs on the trace's quota"


@dataclass(frozen=True)
class EnergyStudy:
    """What an energy run gives: ``document`` as the command prints it, and its tables.

    ``slots`` has one row per 10-minute slot of the window (``energy.Study``), ``outlook`` the forecast
    of the day after it, ``backtest`` the accuracy of the model and its baselines.
    """

    document: dict[str, Any]
    slots: pd.DataFrame
    outlook: pd.DataFrame
    backtest: pd.DataFrame

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the name they are stored under."""
        return {"slots": self.slots, "outlook": self.outlook, "backtest": self.backtest}


@dataclass(frozen=True)
class Demand:
    """A cluster's node series up to the end of the window, and where it comes from."""

    series: pd.DataFrame
    window: Window
    origin: str


def study(settings: EnergyScenario, progress: Progress = lambda done, step: None) -> EnergyStudy:
    """Forecast the node demand of a stored trace's cluster and let the controller act on it.

    Raises RunError, QueryError or EnergyError with a sentence.
    """
    progress(0.02, "Reading the node demand")
    return study_series(settings, stored_demand(settings), progress)


def study_series(
    settings: EnergyScenario, demand: Demand, progress: Progress = lambda done, step: None
) -> EnergyStudy:
    """The same for a demand that is given, such as a file that was never imported."""
    _check_model(settings)
    span = demand.window
    options: dict[str, Any] = {
        "model": settings.model,
        "outages": demand.origin == FROM_SERIES,
        "progress": lambda done, step: progress(0.1 + 0.85 * done, step),
    }
    made: energy.ForecastStudy
    if settings.forecast_only:
        made = energy.forecast_study(demand.series, span.start_time, span.end_time, **options)
    else:
        made = energy.study(
            demand.series,
            span.start_time,
            span.end_time,
            controller=controller(settings),
            boot=energy.Boot(settings.boot_time_s, settings.wake_failure_probability, settings.seed),
            **options,
        )
    shown = scenario.document(settings) | {"from": str(span.start_time), "to": str(span.end_time)}
    shown |= {"timezone": span.timezone, "demand": demand.origin, "shown_horizon_s": made.shown_horizon_s}
    document = {"scenario": shown, **made.document, "savings": _savings(settings, made.slots)}
    if settings.forecast_only:
        del document["savings"]
    return EnergyStudy(document, made.slots, made.outlook, made.backtest)


def _check_model(settings: EnergyScenario) -> None:
    if settings.model not in energy.MODELS:
        raise RunError(f"There is no model {settings.model!r}; the models are {', '.join(energy.MODELS)}.")


def file_demand(path: Path, timezone: str, mapped: Mapping[str, str], settings: EnergyScenario) -> Demand:
    """The node series of a file that is not imported. Raises TraceError or RunError."""
    series = node_series.read(path, "series", timezone, mapped=mapped).series
    assert series is not None  # what node_series reads is a series
    span = series_window(series["time"], timezone, settings.from_, settings.to)
    return Demand(series, span, FROM_SERIES)


def controller(settings: EnergyScenario) -> energy.Controller:
    """The scenario's controller: CES with the preset's parameters, the others with their defaults, and with
    those that the scenario names in their place.

    Raises EnergyError for an unknown controller, preset or parameter, and for a value out of range.
    """
    preset = settings.preset or (settings.cluster if settings.cluster in energy.PRESETS else "Earth")
    return energy.controller_named(settings.controller, settings.parameters, preset)


def stored_demand(settings: EnergyScenario) -> Demand:
    """The node series of the scenario's cluster: the imported one, else that of a FIFO replay."""
    manifest = manifests.manifest(settings.trace)
    [cluster] = chosen_clusters(manifest, (settings.cluster,))
    if manifest["clusters"][cluster]["has_series"]:
        series = rows("node_series", trace=settings.trace, cluster=cluster)
        span = series_window(series["time"], manifest["timezone"], settings.from_, settings.to)
        return Demand(series, span, FROM_SERIES)
    return _replayed(settings, manifest, cluster)


def _replayed(settings: EnergyScenario, manifest: dict[str, Any], cluster: str) -> Demand:
    """Nodes in use when every job before the window's end is replayed under FIFO, from the first one on."""
    span = window(manifest, [cluster], settings.from_, settings.to)
    whole = window(manifest, [cluster], "", settings.to)
    capacity = read_capacity(settings.trace, cluster, whole)
    if not capacity:
        raise RunError(
            f"The capacity of {cluster} is unknown, so nothing says how many nodes could sleep: "
            "import it with --capacity, or import a node series (heliograph import nodes)."
        )
    per_node = manifest["clusters"][cluster]["gpus_per_node"]
    jobs = read_jobs(settings.trace, cluster, (), whole)
    outcome = scheduling.replay(jobs, capacity, policy="fifo", gpus_per_node=per_node)
    total = sum(-(-gpus // per_node) for gpus in capacity.values())
    end_s = (whole.end_time - whole.start_time).total_seconds()
    steps = metrics.total_steps(outcome.steps)
    slots = energy.slots_from_steps(whole.start_time, steps["time_s"], steps["used_nodes"], total, end_s)
    return Demand(slots[["time", "used", "total"]], span, FROM_REPLAY)


def _savings(settings: EnergyScenario, slots: pd.DataFrame) -> dict[str, Any] | None:
    """What the sleeping nodes save with the operator's inputs; None where an input is not given."""
    inputs = (settings.idle_w, settings.cooling_factor, settings.price_per_kwh, settings.carbon_g_per_kwh)
    if "asleep" not in slots or any(each is None for each in inputs):
        return None
    power = energy.PowerInputs(*(float(each) for each in inputs if each is not None))
    return asdict(energy.savings(slots["asleep"].to_numpy(float), power))


def sentence(document: dict[str, Any]) -> str:
    """One sentence that says what came of it."""
    result = document.get("result")
    if result is None or result["mean_sleeping_nodes"] is None:
        return "A forecast of the node demand."
    return (
        f"{result['mean_sleeping_nodes']:.1f} of {result['mean_total_nodes']:.0f} nodes asleep on average, "
        f"{result['wake_ups_per_day']:.1f} wake-ups a day, nodes lacking in {result['lack_events']:,} slots."
    )
