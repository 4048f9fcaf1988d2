"""What sleeping nodes save: a card, and the operator's inputs that it was computed from."""

from collections.abc import Mapping
from typing import Any

from dash import html

from components.cards import result_card
from components.numbers import is_unknown, listing, plural

#: What is needed for any saving; the PUE may stand in the cooling factor's place.
INPUTS = {
    "idle_w": "idle power",
    "cooling_factor": "cooling factor or PUE",
    "price_per_kwh": "price",
    "carbon_g_per_kwh": "carbon intensity",
}


def saved_card(document: Mapping[str, Any]) -> html.Div:
    """What a year saves with the operator's inputs, or which of them are needed for that."""
    savings = document.get("savings")
    if savings is None:
        return result_card(
            "Saved", "unknown", detail=f"Give the power inputs: {', '.join(_missing(document))}."
        )
    year = savings["year"]
    kwh, large = year["energy_kwh"], year["energy_kwh"] >= 10_000
    detail = f"{year['cost']:,.0f} in your currency and {_mass(year['carbon_kg'])} CO₂e, by your inputs"
    number = f"{kwh / 1000:,.1f}" if large else f"{kwh:,.0f}"
    return result_card("Saved", number, "MWh a year" if large else "kWh a year", detail=detail)


def inputs_sentence(savings: Mapping[str, Any], scenario: Mapping[str, Any]) -> str:
    """The operator's inputs, printed beside what was computed from them, and what the window itself saved."""
    inputs, window = savings["inputs"], savings["window"]
    cooling = (
        f"cooling factor {inputs['cooling_factor']:g}"
        if is_unknown(scenario.get("pue"))
        else f"PUE {scenario['pue']:g}"
    )
    parts = [f"{inputs['idle_w']:g} W idle power"]
    parts += [
        f"{inputs[name]:g} {unit}"
        for name, unit in (("sleep_w", "W sleep power"), ("boot_wh", "Wh a wake-up"))
        if not is_unknown(inputs.get(name))
    ]
    parts += [cooling, f"price {inputs['price_per_kwh']:g}", f"{inputs['carbon_g_per_kwh']:g} g CO₂e per kWh"]
    return (
        f"Saved: as much in a year as in this window ({window['energy_kwh']:,.0f} kWh, "
        f"{plural(round(window['node_h']), 'node-hour')} asleep), with your inputs: {listing(parts)}."
    )


def _missing(document: Mapping[str, Any]) -> list[str]:
    scenario = document["scenario"]
    given = {name for name in INPUTS if not is_unknown(scenario.get(name))}
    given |= set() if is_unknown(scenario.get("pue")) else {"cooling_factor"}
    return [title for name, title in INPUTS.items() if name not in given]


def _mass(kg: float) -> str:
    return f"{kg / 1000:,.1f} t" if kg >= 1000 else f"{kg:,.0f} kg"
