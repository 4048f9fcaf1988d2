"""The form of an energy what-if: cluster, days, forecast, controller, power.

The choice is part of the page's address (``keepEnergy`` in ``assets/what-if.js`` writes it); what is left out
has its default, and a parameter that is left out has the preset's value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.ces import MODEL_TITLES, PARAMETERS, PRESETS, preset_values
from components.filters import FilterError
from components.labels import labelled

TRACE, CLUSTER, DATES, OTHER_DEMAND = "energy-trace", "energy-cluster", "energy-dates", "energy-other-demand"
MODEL, PRESET, PRESETS_STORE, BOOT = "energy-model", "energy-preset", "energy-presets", "energy-boot"
NAME, START, START_ERROR = "energy-name", "energy-start", "energy-start-error"
DEFAULT_MODEL, DEFAULT_PRESET = "seasonal", "Earth"
LONGEST_BOOT_S = 86_400


@dataclass(frozen=True)
class PowerInput:
    """One of the operator's own numbers: key in the address, title, unit, meaning."""

    key: str
    title: str
    unit: str
    help_text: str


POWER = {
    "idle_w": PowerInput("idle", "Idle power", "W", "Power of one idle node, at its plug."),
    "cooling_factor": PowerInput(
        "cooling",
        "Cooling factor",
        "×",
        "Cooling power per power of the node: PUE − 1 where cooling is all the overhead.",
    ),
    "price_per_kwh": PowerInput(
        "price", "Price", "per kWh", "In your currency; the result is in the same one."
    ),
    "carbon_g_per_kwh": PowerInput("carbon", "Carbon", "g per kWh", "Grams of CO₂e per kWh of your supply."),
}


def parameter_id(name: Any) -> dict[str, Any]:
    """The id of a parameter's control."""
    return {"type": "ces-parameter", "name": name}


def power_id(name: Any) -> dict[str, Any]:
    """The id of a power input's control."""
    return {"type": "power-input", "name": name}


@dataclass(frozen=True)
class EnergyChoice:
    """What is studied. Days are local, both included; None is the default. No power input: unknown."""

    trace: str | None = None
    cluster: str | None = None
    first_day: date | None = None
    last_day: date | None = None
    model: str = DEFAULT_MODEL
    preset: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    boot_time_s: float = 0.0
    power: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class DemandChoices:
    """What can be chosen: traces, clusters, and the local days between which a window may lie."""

    traces: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    default_first_day: date | None = None
    timezone: str = "UTC"


def energy_choice(query: Mapping[str, Any]) -> EnergyChoice:
    """The choice that an address makes; of several clusters the first.

    Raises:
        FilterError: a model or preset that there is not, a day or a number that is none.
    """
    model, preset = _one(query, "model") or DEFAULT_MODEL, _one(query, "preset")
    if model not in MODEL_TITLES:
        raise FilterError(f"There is no forecast model “{model}”; choose from {', '.join(MODEL_TITLES)}.")
    if preset is not None and preset not in PRESETS:
        raise FilterError(f"There is no preset “{preset}”; choose from {', '.join(PRESETS)}.")
    last = _day(query, "to")
    return EnergyChoice(
        trace=_one(query, "trace"),
        cluster=_one(query, "cluster"),
        first_day=_day(query, "from"),
        last_day=last and last - timedelta(days=1),
        model=model,
        preset=preset,
        parameters=_numbers(query, {each.key: name for name, each in PARAMETERS.items()}),
        boot_time_s=_numbers(query, {"boot": "boot"}).get("boot", 0.0),
        power=_numbers(query, {each.key: name for name, each in POWER.items()}),
    )


def energy_pairs(choice: EnergyChoice) -> list[tuple[str, str]]:
    """The choice as keys and values of an address, defaults left out."""
    pairs: list[tuple[str, Any]] = [
        ("trace", choice.trace),
        ("cluster", choice.cluster),
        ("from", choice.first_day),
    ]
    pairs.append(("to", choice.last_day and choice.last_day + timedelta(days=1)))
    pairs.append(("model", choice.model if choice.model != DEFAULT_MODEL else None))
    pairs.append(("preset", choice.preset))
    pairs += [
        (PARAMETERS[name].key, f"{choice.parameters[name]:g}")
        for name in PARAMETERS
        if name in choice.parameters
    ]
    pairs.append(("boot", f"{choice.boot_time_s:g}" if choice.boot_time_s else None))
    pairs += [(POWER[name].key, f"{choice.power[name]:g}") for name in POWER if name in choice.power]
    return [(key, str(value)) for key, value in pairs if value]


def preset_of(choice: EnergyChoice) -> str:
    """The preset in force: the chosen one, else the cluster's own, else Earth's."""
    return choice.preset or (choice.cluster if choice.cluster in PRESETS else DEFAULT_PRESET)


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
            dmc.Select(
                id=MODEL,
                label=labelled(
                    "Forecast model", "Of the demand; the result compares it with two simple ones."
                ),
                data=[{"value": name, "label": title.capitalize()} for name, title in MODEL_TITLES.items()],
                value=choice.model,
                allowDeselect=False,
            ),
            *_controller(choice),
            _power(choice),
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
        dmc.Select(
            id=TRACE, label="Trace", data=list(choices.traces), value=choice.trace, allowDeselect=False
        ),
        dmc.Select(
            id=CLUSTER,
            label="Cluster",
            data=list(choices.clusters),
            value=choice.cluster,
            allowDeselect=False,
        ),
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
        dcc.Location(id=OTHER_DEMAND, refresh="callback-nav"),
    ]


def _controller(choice: EnergyChoice) -> list[Any]:
    values = preset_values(preset_of(choice)) | dict(choice.parameters)
    return [
        dmc.Select(
            id=PRESET,
            label=labelled(
                "Controller preset",
                "CES, the published rule of Helios, in its causal form; parameters by cluster.",
            ),
            data=list(PRESETS),
            value=preset_of(choice),
            allowDeselect=False,
        ),
        dcc.Store(id=PRESETS_STORE, data={name: preset_values(name) for name in PRESETS}),
        html.Div(
            [
                *(
                    _number(
                        parameter_id(name),
                        each.title,
                        each.unit,
                        each.help_text,
                        values[name],
                        each.least,
                        whole=each.whole,
                    )
                    for name, each in PARAMETERS.items()
                ),
                _number(
                    BOOT,
                    "Boot time",
                    "s",
                    "From the order to wake a node until jobs can run on it.",
                    choice.boot_time_s,
                    0,
                    LONGEST_BOOT_S,
                ),
            ],
            className="number-grid",
        ),
    ]


def _power(choice: EnergyChoice) -> html.Div:
    controls = [
        _number(
            power_id(name),
            each.title,
            each.unit,
            each.help_text,
            choice.power.get(name),
            0,
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
) -> dmc.NumberInput:
    limits = {"min": least} | ({} if most is None else {"max": most})
    return dmc.NumberInput(
        id=id,
        label=labelled(title, help_text),
        value="" if value is None else value,
        allowDecimal=not whole,
        step=1,
        hideControls=True,
        placeholder=placeholder,
        suffix=f" {unit}",
        debounce=400,
        **limits,
    )


def _one(query: Mapping[str, Any], key: str) -> str | None:
    value = query.get(key)
    value = value[0] if isinstance(value, Sequence) and not isinstance(value, str) else value
    return str(value) if value else None


def _day(query: Mapping[str, Any], key: str) -> date | None:
    text = _one(query, key)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise FilterError(f"“{text}” is not a day for “{key}”; write it as 2020-09-01.") from None


def _numbers(query: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    values = {}
    for key, name in names.items():
        text = _one(query, key)
        if text is None:
            continue
        try:
            values[name] = float(text)
        except ValueError:
            raise FilterError(f"“{text}” is not a number for “{key}”.") from None
    return values
