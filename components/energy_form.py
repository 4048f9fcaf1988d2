"""The form of an energy what-if: cluster, days, demand, forecast, controller, wake-ups, power."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.carried import carried_notice
from components.controllers import (
    CONTROLLERS,
    PARAMETERS,
    PRESETS,
    PUBLISHED,
    controller_title,
    reads_preset,
    scaling_sentence,
    usual_values,
)
from components.energy_choice import POWER, RECORDED, EnergyChoice, energy_pairs, preset_of
from components.forecast_models import MODEL_TITLES
from components.labels import labelled
from components.policies import POLICY_TITLES

TRACE, CLUSTER, DATES, OTHER_DEMAND = "energy-trace", "energy-cluster", "energy-dates", "energy-other-demand"
POLICY, MODEL, CONTROLLER, PRESET = "energy-policy", "energy-model", "energy-controller", "energy-preset"
PRESET_BOX, USUAL, SCALED, FRONTIER = (
    "energy-preset-box",
    "energy-usual",
    "energy-scaled",
    "energy-frontier-on",
)
BOOT, FAILURES = "energy-boot", "energy-failures"
NAME, START, START_ERROR = "energy-name", "energy-start", "energy-start-error"
LONGEST_BOOT_S, MOST_FAILURES = 86_400, 0.9
CONTROLLER_HELP = " ".join(f"{each.title}: {each.rule}" for each in CONTROLLERS.values())


def parameter_id(name: Any) -> dict[str, Any]:
    """The id of a parameter's control."""
    return {"type": "controller-parameter", "name": name}


def parameter_box(name: Any) -> dict[str, Any]:
    """The id of what surrounds a parameter's control, and hides it where its controller is not chosen."""
    return {"type": "controller-parameter-box", "name": name}


def power_id(name: Any) -> dict[str, Any]:
    """The id of a power input's control."""
    return {"type": "power-input", "name": name}


@dataclass(frozen=True)
class DemandChoices:
    """What can be chosen: traces, clusters, and the local days between which a window may lie.

    ``nodes``: how many the cluster has, None where nobody says; ``has_series``: whether its node counts were
    recorded; ``has_jobs``: whether there are jobs to replay.
    """

    traces: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    default_first_day: date | None = None
    timezone: str = "UTC"
    nodes: float | None = None
    has_series: bool = False
    has_jobs: bool = True


def usual(nodes: float | None) -> dict[str, dict[str, dict[str, Any]]]:
    """By controller and preset: the values of its parameters, and the sentence of what was scaled."""
    return {
        controller: {
            preset: {
                "values": usual_values(controller, preset, nodes),
                "sentence": scaling_sentence(controller, preset, nodes),
            }
            for preset in PRESETS
        }
        for controller in (*CONTROLLERS, PUBLISHED)
    }


def energy_form(choice: EnergyChoice, choices: DemandChoices) -> html.Section:
    """The card on the left of the page."""
    return html.Section(
        [
            html.H2("Scenario"),
            html.P(
                "Which nodes could have slept, decided slot by slot as it would have been then.",
                className="note",
            ),
            *_demand(choice, choices),
            _select(
                MODEL,
                labelled("Forecast model", "Of the demand; the result compares it with simple ones."),
                {name: title[0].upper() + title[1:] for name, title in MODEL_TITLES.items()},
                choice.model,
            ),
            *_controller(choice, choices),
            _wake_ups(choice),
            dmc.Switch(
                id=FRONTIER,
                label=labelled(
                    "Compare all controllers",
                    "Sweeps every controller's parameter: what each would let sleep at which lack.",
                ),
                checked=choice.frontier,
                size="xs",
            ),
            _power(choice),
            carried_notice(choice.carried, energy_pairs(replace(choice, carried={}))),
            dmc.TextInput(id=NAME, label="Name", placeholder="optional, to find the run again"),
            dmc.Button("Run", id=START, fullWidth=True, className="start"),
            html.Div(id=START_ERROR, className="start-error"),
        ],
        className="card scenario",
        **{"aria-label": "Scenario"},
    )


def _demand(choice: EnergyChoice, choices: DemandChoices) -> list[Any]:
    first, last = choice.first_day or choices.default_first_day, choice.last_day or choices.last_day
    return [
        _select(TRACE, "Trace", {name: name for name in choices.traces}, choice.trace),
        _select(CLUSTER, "Cluster", {name: name for name in choices.clusters}, choice.cluster),
        dmc.DatePickerInput(
            id=DATES,
            label=labelled(
                f"Dates ({choices.timezone})",
                "Both days included. The forecast learns from all days before, at least two.",
            ),
            type="range",
            value=[first and first.isoformat(), last and last.isoformat()],
            minDate=choices.first_day and choices.first_day.isoformat(),
            maxDate=choices.last_day and choices.last_day.isoformat(),
            valueFormat="D MMM YYYY",
            allowSingleDateInRange=True,
        ),
        dcc.Store(id=OTHER_DEMAND),
        _select(
            POLICY,
            labelled(
                "Demand",
                "Nodes in use as recorded, or in a replay of the jobs under a policy; "
                "only a replay says which jobs sleeping nodes delay.",
            ),
            demands(choices),
            choice.policy or "usual",
        ),
    ]


def demands(choices: DemandChoices) -> dict[str, str]:
    """The demands that can be studied: the usual one first, then the replays."""
    usual_title = "Recorded node counts" if choices.has_series else "Replay under FIFO"
    if not choices.has_jobs:
        return {"usual": usual_title}
    replays = {
        name: f"Replay under {each.label}"
        for name, each in POLICY_TITLES.items()
        if choices.has_series or name != "fifo"
    }
    return {"usual": usual_title, **replays, RECORDED: "Recorded starts and ends"}


def _controller(choice: EnergyChoice, choices: DemandChoices) -> list[Any]:
    preset = preset_of(choice)
    own = usual_values(choice.controller, preset, choices.nodes)
    values = own | dict(choice.parameters)
    offered = [*CONTROLLERS, *([PUBLISHED] if choice.controller == PUBLISHED else [])]
    return [
        _select(
            CONTROLLER,
            labelled("Controller", CONTROLLER_HELP),
            {name: controller_title(name) for name in offered},
            choice.controller,
        ),
        html.Div(
            _select(
                PRESET,
                labelled(
                    "Preset", "The parameters that were published for a cluster of Helios or for Philly."
                ),
                {name: name for name in PRESETS},
                preset,
            ),
            id=PRESET_BOX,
            className="" if reads_preset(choice.controller) else "hidden",
        ),
        dcc.Store(id=USUAL, data=usual(choices.nodes)),
        html.Div(
            [
                html.Div(
                    _number(
                        parameter_id(name),
                        each.title,
                        each.unit_of(values.get(name)),
                        each.help_text,
                        values.get(name),
                        each.least,
                        each.most,
                        whole=each.whole,
                    ),
                    id=parameter_box(name),
                    className="" if name in own else "hidden",
                )
                for name, each in PARAMETERS.items()
            ],
            className="number-grid",
        ),
        html.P(scaling_sentence(choice.controller, preset, choices.nodes), id=SCALED, className="scaled"),
    ]


def _wake_ups(choice: EnergyChoice) -> html.Div:
    boot_help = "From the order to wake a node until jobs can run on it."
    failure_help = "How likely one wake-up fails and is tried again, from 0 to 0.9."
    failures = choice.wake_failure_probability
    return html.Div(
        [
            _number(BOOT, "Boot time", "s", boot_help, choice.boot_time_s, 0, LONGEST_BOOT_S),
            _number(FAILURES, "Failed wake-ups", "", failure_help, failures, 0, MOST_FAILURES, step=0.01),
        ],
        className="number-grid",
    )


def _power(choice: EnergyChoice) -> html.Div:
    controls = [
        _number(
            power_id(name),
            each.title,
            each.unit,
            each.help_text,
            choice.power.get(name),
            each.least,
            placeholder="unknown",
        )
        for name, each in POWER.items()
    ]
    return html.Div(
        [
            html.Div("Power, for what is saved", className="field-label"),
            html.Div(controls, className="number-grid"),
        ]
    )


def _select(id: str, label: Any, titles: Mapping[str, str], value: str | None) -> dmc.Select:
    data = [{"value": name, "label": title} for name, title in titles.items()]
    return dmc.Select(id=id, label=label, data=data, value=value, allowDeselect=False)


def _number(
    id: Any,
    title: str,
    unit: str,
    help_text: str,
    value: float | None,
    least: float,
    most: float | None = None,
    *,
    whole: bool = False,
    placeholder: str = "",
    step: float = 1,
) -> dmc.NumberInput:
    limits = {"min": least} | ({} if most is None else {"max": most})
    return dmc.NumberInput(
        id=id,
        label=labelled(title, help_text),
        value="" if value is None else value,
        allowDecimal=not whole,
        step=step,
        hideControls=True,
        placeholder=placeholder,
        suffix=f" {unit}" if unit else "",
        debounce=400,
        **limits,
    )
