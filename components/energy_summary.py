"""What an energy run says: how much sleeps, what it saves and what it costs, as one sentence and as cards.

``document`` is the result of an energy run: ``scenario``, ``forecast``, ``result`` (absent where only a
forecast was made), ``savings`` (None where a power input is unknown).
"""

from collections.abc import Mapping
from typing import Any

from dash import html

from components.cards import result_card
from components.ces import MODEL_TITLES, preset_values
from components.numbers import count, duration, is_unknown, percent, plural

Document = Mapping[str, Any]
INPUTS = {
    "idle_w": "idle power",
    "cooling_factor": "cooling factor",
    "price_per_kwh": "price",
    "carbon_g_per_kwh": "carbon intensity",
}


def sentence(document: Document) -> str:
    """What came of it, in one sentence or two."""
    result, scenario = document.get("result"), document["scenario"]
    if result is None:
        return f"A forecast of the nodes that {scenario['cluster']} needs."
    if result["mean_sleeping_nodes"] is None:
        return f"No slot of this window is known, so nothing can be said about {scenario['cluster']}."
    if not result["mean_sleeping_nodes"]:
        return _nothing_sleeps(scenario, result)
    share = result["mean_sleeping_nodes"] / result["mean_total_nodes"] if result["mean_total_nodes"] else None
    asleep, total = nodes(result["mean_sleeping_nodes"]), nodes(result["mean_total_nodes"])
    return (
        f"In {scenario['cluster']} {asleep} of {total} nodes ({percent(share, 0)}) could have slept on "
        f"average, with {rate(result['wake_ups_per_day'])} wake-ups a day. {_cost(result)}"
    )


def _nothing_sleeps(scenario: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    values = preset_values(scenario["preset"]) | scenario["parameters"]
    step, buffer = (count(values[name]) for name in ("min_step_nodes", "buffer_nodes"))
    total, used = nodes(result["mean_total_nodes"]), nodes(result["mean_used_nodes"])
    return (
        f"No node of {scenario['cluster']} would have slept: at least {step} would have to be idle at once, "
        f"beside a buffer of {buffer}, and of {total} present {used} are in use."
    )


def _cost(result: Mapping[str, Any]) -> str:
    events = result["lack_events"]
    if not events:
        return "Every slot had the nodes it needed awake."
    known = result["slots"] - result["slots_missing"]
    lacking = count(result["lacking_nodes"])
    return (
        f"In {count(events)} of {plural(known, 'slot')} fewer nodes were awake than were needed, "
        f"{lacking} in all."
    )


def energy_cards(document: Document) -> list[html.Div]:
    """The result cards: asleep, utilization, wake-ups, lack, saved. None where only a forecast was made."""
    result = document.get("result")
    if result is None:
        return []
    return [
        _asleep_card(result),
        _utilization_card(result),
        _wake_up_card(result),
        _lack_card(result),
        saved_card(document),
    ]


def _asleep_card(result: Mapping[str, Any]) -> html.Div:
    asleep, total = result["mean_sleeping_nodes"], result["mean_total_nodes"]
    share = None if is_unknown(asleep) or not total else asleep / total
    tone = {"tone": "good"} if share else {}
    detail = "" if share is None else f"{percent(share)} of node-hours"
    return result_card("Asleep on average", nodes(asleep), f"of {nodes(total)} nodes", detail=detail, **tone)


def _utilization_card(result: Mapping[str, Any]) -> html.Div:
    before, after = result["node_utilization_before"], result["node_utilization_after"]
    if is_unknown(before) or is_unknown(after):
        return result_card("Node utilization", "unknown")
    tone = {"tone": "good", "arrow": "up"} if after > before else {}
    detail = f"from {percent(before)}; used ÷ awake instead of used ÷ present"
    return result_card("Node utilization", f"{100 * after:.1f}", "%", detail=detail, **tone)


def _wake_up_card(result: Mapping[str, Any]) -> html.Div:
    each = result["nodes_per_wake_up"]
    detail = "no node is woken" if is_unknown(each) else f"{nodes(each)} nodes each"
    return result_card("Wake-ups", rate(result["wake_ups_per_day"]), "a day", detail=detail)


def _lack_card(result: Mapping[str, Any]) -> html.Div:
    events, lacking = result["lack_events"], result["lacking_nodes"]
    if not events:
        return result_card(
            "Too few awake", "0", "slots", detail="never fewer awake than were needed", tone="good"
        )
    detail = f"{count(lacking)} nodes lacking in all; their jobs wait for a wake-up"
    return result_card(
        "Too few awake", count(events), "slot" if events == 1 else "slots", detail=detail, tone="bad"
    )


def saved_card(document: Document) -> html.Div:
    """What a year saves with the operator's inputs, or which of them are needed for that."""
    savings = document.get("savings")
    if savings is None:
        missing = [title for key, title in INPUTS.items() if is_unknown(document["scenario"].get(key))]
        return result_card("Saved", "unknown", detail=f"Give the power inputs: {', '.join(missing)}.")
    year = savings["year"]
    kwh, large = year["energy_kwh"], year["energy_kwh"] >= 10_000
    detail = f"{year['cost']:,.0f} in money, {_mass(year['carbon_kg'])} CO₂e with your inputs"
    number = f"{kwh / 1000:,.1f}" if large else f"{kwh:,.0f}"
    return result_card("Saved", number, "MWh a year" if large else "kWh a year", detail=detail)


def notes(document: Document) -> list[str]:
    """Where the demand comes from, what decided, and what is missing."""
    scenario, result = document["scenario"], document.get("result")
    told = [] if document.get("savings") is None else [_inputs(document["savings"]["inputs"])]
    told += [f"Demand: {scenario['demand']}, slots of 10 minutes, times in {scenario['timezone']}."]
    if result is not None:
        told.append("The controller is causal: what is awake in a slot was decided from earlier slots alone.")
        if scenario.get("boot_time_s"):
            told.append(f"A node that is woken is ready after {duration(scenario['boot_time_s'])}.")
        if result["slots_missing"]:
            missing = count(result["slots_missing"])
            told.append(
                f"{missing} of {plural(result['slots'], 'slot')} are missing and stay so: "
                "they count in no average, and the controller holds its state through them."
            )
    return told


def _inputs(inputs: Mapping[str, float]) -> str:
    """The operator's inputs, printed beside what was computed from them."""
    return (
        f"Saved: as much in a year as in this window, with your inputs: {inputs['idle_w']:g} W idle power, "
        f"cooling factor {inputs['cooling_factor']:g}, price {inputs['price_per_kwh']:g} and "
        f"{inputs['carbon_g_per_kwh']:g} g CO₂e per kWh."
    )


def verdict(backtest: list[Mapping[str, Any]], model: str) -> str:
    """How the chosen model compares with the last value, by mean absolute error."""
    mine, last = (
        {row["horizon_s"]: row["mae"] for row in backtest if row["model"] == name} for name in (model, "last")
    )
    known = [horizon for horizon in mine if not is_unknown(mine[horizon]) and last.get(horizon)]
    if model == "last" or not known:
        return ""
    parts = [f"{_better(mine[each], last[each])} at {duration(each)}" for each in known]
    return f"Against the last value, the error of “{MODEL_TITLES.get(model, model)}” is {', '.join(parts)}."


def _better(own: float, base: float) -> str:
    ratio = own / base - 1
    if abs(ratio) < 0.01:
        return "the same"
    return f"{percent(abs(ratio), 0)} {'smaller' if ratio < 0 else 'larger'}"


def nodes(value: float | None) -> str:
    """A mean number of nodes: 107.1; 420."""
    if is_unknown(value):
        return "unknown"
    return f"{value:,.0f}" if float(value).is_integer() or value >= 1000 else f"{value:,.1f}"


def rate(value: float | None) -> str:
    """A rate per day: 1.4."""
    if is_unknown(value):
        return "unknown"
    return f"{value:,.1f}" if 0 < value < 100 else f"{value:,.0f}"


def _mass(kg: float) -> str:
    return f"{kg / 1000:,.1f} t" if kg >= 1000 else f"{kg:,.0f} kg"
