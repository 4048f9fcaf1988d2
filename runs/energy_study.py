"""Node demand, forecast and sleeping nodes of one cluster, for the page, the command and stored runs."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

import energy
from runs import known_spans, node_demand, scenario
from runs.errors import RunError
from runs.node_demand import Demand, Replay
from runs.scenario import EnergyScenario
from runs.site import RateFiles, saved
from runs.sleeping_jobs import Loop, SleepingJobs, sleeping_jobs
from runs.words import plural
from scheduling.paused import refusal

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class EnergyStudy:
    """What an energy run gives: ``document`` as the command prints it, and its tables.

    ``slots`` has one row per 10-minute slot of the window (``energy.Study``), ``outlook`` the forecast
    of the day after it, ``backtest`` the accuracy of the model and its baselines; ``asleep`` what the jobs
    suffered, None where it is not known.
    """

    document: dict[str, Any]
    slots: pd.DataFrame
    outlook: pd.DataFrame
    backtest: pd.DataFrame
    asleep: SleepingJobs | None = None

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the name they are stored under."""
        made = {"slots": self.slots, "outlook": self.outlook, "backtest": self.backtest}
        if self.asleep is not None:
            made |= {"slots_with_jobs": self.asleep.slots, "delayed_jobs": self.asleep.delayed}
        return made


def study(
    settings: EnergyScenario,
    progress: Progress = lambda done, step: None,
    rate_files: RateFiles | None = None,
) -> EnergyStudy:
    """Forecast the node demand of a stored trace's cluster and let the controller act on it.

    Raises RunError, QueryError or EnergyError with a sentence.
    """
    progress(0.02, "Reading the node demand")
    return study_series(settings, node_demand.stored(settings), progress, rate_files)


def study_series(
    settings: EnergyScenario,
    demand: Demand,
    progress: Progress = lambda done, step: None,
    rate_files: RateFiles | None = None,
) -> EnergyStudy:
    """The same for a demand that is given, such as a file that was never imported."""
    _check_model(settings)
    span = demand.window
    options: dict[str, Any] = {
        "model": settings.model,
        "outages": demand.replay is None,
        "overrule": known_spans.overrule(settings, span.timezone),
        "holidays": known_spans.holidays(settings, span.timezone),
        "progress": lambda done, step: progress(0.1 + 0.85 * done, step),
    }
    nodes = float(demand.series["total"].max())
    made: energy.ForecastStudy
    if settings.forecast_only:
        made = energy.forecast_study(demand.series, span.start_time, span.end_time, **options)
    else:
        made = energy.study(
            demand.series,
            span.start_time,
            span.end_time,
            controller=controller(settings, nodes),
            boot=boot(settings),
            sweep=_swept(settings, nodes) if settings.frontier else None,
            **options,
        )
    shown = scenario.document(settings) | {"from": str(span.start_time), "to": str(span.end_time)}
    shown |= {"timezone": span.timezone, "demand": demand.origin, "shown_horizon_s": made.shown_horizon_s}
    document = {"scenario": shown, **made.document}
    if not settings.forecast_only:
        rates = (rate_files or RateFiles()).read(made.slots["time"])
        document["savings"] = saved(settings, made.slots, rates)
    asleep: SleepingJobs | str | None = None
    if isinstance(made, energy.Study) and demand.replay is not None and settings.jobs:
        asleep = _jobs(settings, demand.replay, demand, made)
    if isinstance(asleep, SleepingJobs):
        document["jobs"] = asleep.document
        return EnergyStudy(document, made.slots, made.outlook, made.backtest, asleep)
    if asleep is not None:
        document["jobs_left_out"] = asleep
    return EnergyStudy(document, made.slots, made.outlook, made.backtest)


def _jobs(settings: EnergyScenario, replay: Replay, demand: Demand, made: energy.Study) -> SleepingJobs | str:
    """The jobs of a replayed demand on the awake nodes, or the sentence why they are left out."""
    if not made.document["controller"]["causal"]:
        return "The controller is not causal, so the jobs are not replayed on its nodes."
    if reason := refusal(replay.outcome):
        return reason
    nodes = float(demand.series["total"].max())
    loop = Loop(controller(settings, nodes), boot(settings))
    return sleeping_jobs(demand, replay, made.slots, made.rises, loop)


def _check_model(settings: EnergyScenario) -> None:
    if settings.model not in energy.MODELS:
        raise RunError(f"There is no model {settings.model!r}; the models are {', '.join(energy.MODELS)}.")


def controller(settings: EnergyScenario, nodes: float | None = None) -> energy.Controller:
    """The scenario's controller for a cluster of ``nodes`` (None or NaN: unknown): CES with the preset's
    parameters, the others with their defaults, and with those that the scenario names in their place.

    Raises EnergyError for an unknown controller, preset or parameter, and for a value out of range.
    """
    known = None if nodes is None or math.isnan(nodes) else nodes
    return energy.controller_named(settings.controller, settings.parameters, _preset(settings), known)


def _preset(settings: EnergyScenario) -> str:
    """The named preset of CES, else the cluster's own, else Earth's."""
    return settings.preset or (settings.cluster if settings.cluster in energy.PRESETS else "Earth")


def boot(settings: EnergyScenario) -> energy.Boot:
    """How nodes wake. Raises EnergyError for a value out of range."""
    return energy.Boot(settings.boot_time_s, settings.wake_failure_probability, settings.seed)


PRESET_NODES = {"Venus": 133, "Earth": 143, "Saturn": 262, "Uranus": 264, "Philly": 420}
"""Nodes of the cluster that a preset of CES is for."""
IN_PROPORTION = ("min_step_nodes", "buffer_nodes")
"""Parameters of CES that go with the size of a smaller cluster, as the form of a what-if has them."""


def _swept(settings: EnergyScenario, nodes: float) -> dict[str, energy.Controller]:
    """The controllers of a frontier by name: the chosen one as the scenario has it, the others as they are
    where nobody changes them in a cluster of ``nodes``.

    The published steps of CES are for a large cluster: on a small one nothing would ever sleep.
    """
    chosen = controller(settings, nodes)
    usual = {"ces": _ces_in_proportion(settings, nodes), "margin": {}, "quantile": {}}
    others = [replace(settings, controller=name, parameters=values) for name, values in usual.items()]
    return {each.controller: controller(each, nodes) for each in others} | {chosen.name: chosen}


def _ces_in_proportion(settings: EnergyScenario, nodes: float) -> dict[str, float]:
    """The parameters of CES's preset that are others in a cluster of fewer nodes."""
    published = energy.PRESETS[_preset(settings)]
    factor = nodes / PRESET_NODES[_preset(settings)]
    if not factor < 1:  # NaN where nobody knows the nodes
        return {}
    return {name: max(1, round(getattr(published, name) * factor)) for name in IN_PROPORTION}


def sentence(document: dict[str, Any]) -> str:
    """One sentence that says what came of it."""
    result, jobs = document.get("result"), document.get("jobs")
    if result is None or result["mean_sleeping_nodes"] is None:
        return "A forecast of the node demand."
    delayed = f" Later start: {jobs['jobs_delayed']:,} of {plural(jobs['jobs'], 'job')}." if jobs else ""
    return (
        f"{result['mean_sleeping_nodes']:.1f} of {result['mean_total_nodes']:.0f} nodes asleep on average, "
        f"{result['wake_ups_per_day']:.1f} wake-ups a day, nodes lacking in "
        f"{plural(result['lack_events'], 'slot')}.{delayed}"
    )
