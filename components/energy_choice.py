"""What an energy what-if studies, and its address, both ways.

The address is written in the browser too (``keepEnergy`` in ``assets/what-if.js``): what is left out has its
default, and a parameter that is left out has the controller's usual value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from components.carried import carried_of, carried_text
from components.controllers import CONTROLLERS, PARAMETERS, PRESETS, PUBLISHED
from components.filters import FilterError
from components.forecast_models import MODEL_TITLES
from components.policies import POLICY_TITLES

DEFAULT_MODEL, DEFAULT_CONTROLLER, DEFAULT_PRESET = "seasonal", "ces", "Earth"
#: The policy whose demand is that of the recorded starts and ends.
RECORDED = "recorded"


@dataclass(frozen=True)
class PowerInput:
    """One of the operator's own numbers: key in the address, title, unit, meaning, the least it can be."""

    key: str
    title: str
    unit: str
    help_text: str
    least: float = 0


POWER = {
    "idle_w": PowerInput("idle", "Idle power", "W", "Power of one idle node, at its plug."),
    "sleep_w": PowerInput("sleep", "Sleep power", "W", "Power of one sleeping node; left out if unknown."),
    "boot_wh": PowerInput(
        "boot_energy", "Boot energy", "Wh", "Energy of one wake-up beyond idling; left out if unknown."
    ),
    "cooling_factor": PowerInput(
        "cooling",
        "Cooling factor",
        "×",
        "Cooling power per power of the node: PUE − 1 where cooling is all the overhead. Give this or "
        "the PUE.",
    ),
    "pue": PowerInput("pue", "PUE", "", "Power usage effectiveness; in place of the cooling factor.", 1),
    "price_per_kwh": PowerInput(
        "price", "Price", "per kWh", "In your currency; the result is in the same one."
    ),
    "carbon_g_per_kwh": PowerInput("carbon", "Carbon", "g per kWh", "Grams of CO₂e per kWh of your supply."),
}


@dataclass(frozen=True)
class EnergyChoice:
    """What is studied. Days are local, both included; None is the default. No power input: unknown.

    ``carried`` are settings of a stored run that the form has no control for, by their name in a scenario.
    """

    trace: str | None = None
    cluster: str | None = None
    first_day: date | None = None
    last_day: date | None = None
    model: str = DEFAULT_MODEL
    controller: str = DEFAULT_CONTROLLER
    policy: str = ""
    preset: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    boot_time_s: float = 0.0
    wake_failure_probability: float = 0.0
    frontier: bool = True
    power: Mapping[str, float] = field(default_factory=dict)
    carried: Mapping[str, Any] = field(default_factory=dict)


def energy_choice(query: Mapping[str, Any]) -> EnergyChoice:
    """The choice that an address makes; of several clusters the first.

    Raises:
        FilterError: a model, controller, policy or preset that there is not, a day or number that is none.
    """
    preset = _one(query, "preset")
    if preset is not None:
        _known("preset", preset, PRESETS)
    last = _day(query, "to")
    return EnergyChoice(
        trace=_one(query, "trace"),
        cluster=_one(query, "cluster"),
        first_day=_day(query, "from"),
        last_day=last and last - timedelta(days=1),
        model=_known("forecast model", _one(query, "model") or DEFAULT_MODEL, MODEL_TITLES),
        controller=_known(
            "controller", _one(query, "controller") or DEFAULT_CONTROLLER, [*CONTROLLERS, PUBLISHED]
        ),
        policy=_known("policy", _one(query, "policy") or "", ["", RECORDED, *POLICY_TITLES]),
        preset=preset,
        parameters=_numbers(query, {each.key: name for name, each in PARAMETERS.items()}),
        boot_time_s=_numbers(query, {"boot": "boot"}).get("boot", 0.0),
        wake_failure_probability=_numbers(query, {"failures": "failures"}).get("failures", 0.0),
        frontier=_one(query, "frontier") != "0",
        power=_numbers(query, {each.key: name for name, each in POWER.items()}),
        carried=carried_of(_one(query, "also")),
    )


def energy_pairs(choice: EnergyChoice) -> list[tuple[str, str]]:
    """The choice as keys and values of an address, defaults left out."""
    failures = choice.wake_failure_probability
    pairs: list[tuple[str, Any]] = [
        ("trace", choice.trace),
        ("cluster", choice.cluster),
        ("from", choice.first_day),
        ("to", choice.last_day and choice.last_day + timedelta(days=1)),
        ("policy", choice.policy),
        ("model", choice.model if choice.model != DEFAULT_MODEL else None),
        ("controller", choice.controller if choice.controller != DEFAULT_CONTROLLER else None),
        ("preset", choice.preset),
        *_number_pairs(choice.parameters, {name: each.key for name, each in PARAMETERS.items()}),
        ("boot", f"{choice.boot_time_s:g}" if choice.boot_time_s else None),
        ("failures", f"{failures:g}" if failures else None),
        ("frontier", None if choice.frontier else "0"),
        *_number_pairs(choice.power, {name: each.key for name, each in POWER.items()}),
        ("also", carried_text(choice.carried)),
    ]
    return [(key, str(value)) for key, value in pairs if value]


def preset_of(choice: EnergyChoice) -> str:
    """The preset in force: the chosen one, else the cluster's own, else Earth's."""
    return choice.preset or (choice.cluster if choice.cluster in PRESETS else DEFAULT_PRESET)


def _number_pairs(values: Mapping[str, float], keys: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(key, f"{values[name]:.12g}") for name, key in keys.items() if name in values]


def _known(what: str, name: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    if name not in names:
        offered = ", ".join(each for each in names if each)
        raise FilterError(f"There is no {what} “{name}”; choose from {offered}.")
    return name


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
