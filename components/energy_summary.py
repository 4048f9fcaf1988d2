"""What an energy run says: how much sleeps, what it saves and what it costs, as one sentence and as cards.

``document`` is the result of an energy run: ``scenario``, ``forecast``, ``result`` (absent where only a
forecast was made), ``controller``, ``jobs`` (what sleep did to the jobs, where the demand is a replay's),
``savings`` (None where a power input is unknown).
"""

from collections.abc import Mapping
from typing import Any

from dash import html

from components.cards import result_card
from components.change import ARROWS
from components.controllers import controller_title, parameters_text
from components.forecast_models import model_title
from components.numbers import count, duration, inflected, is_unknown, percent, plural
from components.policies import policy_label
from components.saved_energy import inputs_sentence, saved_card

Document = Mapping[str, Any]


def sentence(document: Document) -> str:
    """What came of it, in one sentence or two."""
    result, scenario = document.get("result"), document["scenario"]
    if result is None:
        return f"A forecast of the nodes that {scenario['cluster']} needs."
    if result["mean_sleeping_nodes"] is None:
        return f"No slot of this window is known, so nothing can be said about {scenario['cluster']}."
    if not result["mean_sleeping_nodes"]:
        return _nothing_sleeps(document)
    share = result["mean_sleeping_nodes"] / result["mean_total_nodes"] if result["mean_total_nodes"] else None
    asleep, total = nodes(result["mean_sleeping_nodes"]), _of_nodes(result["mean_total_nodes"])
    return (
        f"In {scenario['cluster']} {asleep} of {total} ({percent(share, 0)}) could have slept on "
        f"average, with {_wake_ups(result)} a day. {_cost(document)}"
    )


def _nothing_sleeps(document: Document) -> str:
    scenario, result = document["scenario"], document["result"]
    total = nodes(result["mean_total_nodes"])
    used = f"{nodes(result['mean_used_nodes'])} {inflected(result['mean_used_nodes'], 'is', 'are')} in use"
    start = f"No node of {scenario['cluster']} would have slept"
    values = document["controller"]["parameters"]
    if "buffer_nodes" not in values:
        return f"{start}: of {total} present {used}."
    step, buffer = (count(values[name]) for name in ("min_step_nodes", "buffer_nodes"))
    return (
        f"{start}: at least {step} would have to be idle at once, "
        f"beside a buffer of {buffer}, and of {total} present {used}."
    )


def _cost(document: Document) -> str:
    """What it costs the jobs where they were replayed, else the lack of nodes."""
    jobs, result = document.get("jobs"), document["result"]
    if jobs is not None:
        if not jobs["jobs_delayed"]:
            return f"None of {plural(jobs['jobs'], 'job')} starts later."
        late = f"{count(jobs['jobs_delayed'])} of {plural(jobs['jobs'], 'job')}"
        verb = inflected(jobs["jobs_delayed"], "starts", "start")
        return f"{late} {verb} later, by {duration(jobs['delayed_mean_s'])} on average."
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
    """The cards: asleep, utilization, wake-ups, jobs delayed (else the lack), saved; of a forecast none."""
    result = document.get("result")
    if result is None:
        return []
    return [
        _asleep_card(result),
        _utilization_card(result),
        _wake_up_card(result),
        _lack_card(result) if document.get("jobs") is None else _jobs_card(document["jobs"]),
        saved_card(document),
    ]


def _asleep_card(result: Mapping[str, Any]) -> html.Div:
    asleep, total = result["mean_sleeping_nodes"], result["mean_total_nodes"]
    share = None if is_unknown(asleep) or not total else asleep / total
    tone = {"tone": "good"} if share else {}
    detail = "" if share is None else f"{percent(share)} of node-hours"
    return result_card("Asleep on average", nodes(asleep), f"of {_of_nodes(total)}", detail=detail, **tone)


def _utilization_card(result: Mapping[str, Any]) -> html.Div:
    before, after = result["node_utilization_before"], result["node_utilization_after"]
    if is_unknown(before) or is_unknown(after):
        return result_card("Node utilization", "unknown")
    rises = after > before
    tone, arrow = ({"tone": "good"}, f"{ARROWS['up']} ") if rises else ({}, "")
    detail = f"{arrow}from {percent(before)}; used ÷ awake instead of used ÷ present"
    return result_card("Node utilization", f"{100 * after:.1f}", "%", detail=detail, **tone)


def _wake_up_card(result: Mapping[str, Any]) -> html.Div:
    each = result["nodes_per_wake_up"]
    detail = "no node is woken" if is_unknown(each) else f"{_of_nodes(each)} each"
    return result_card("Wake-ups", rate(result["wake_ups_per_day"]), "a day", detail=detail)


def _lack_card(result: Mapping[str, Any]) -> html.Div:
    events, lacking = result["lack_events"], result["lacking_nodes"]
    if not events:
        return result_card(
            "Too few awake", "0", "slots", detail="never fewer awake than were needed", tone="good"
        )
    detail = f"{plural(lacking, 'node')} lacking in all; their jobs wait for a wake-up"
    return result_card("Too few awake", count(events), inflected(events, "slot"), detail=detail, tone="bad")


def _jobs_card(jobs: Mapping[str, Any]) -> html.Div:
    late, unit = jobs["jobs_delayed"], f"of {count(jobs['jobs'])}"
    if not late:
        return result_card(
            "Jobs delayed", "0", unit, detail="no job starts later than without sleep", tone="good"
        )
    detail = f"p95 {duration(jobs['delayed_p95_s'])}, longest {duration(jobs['delayed_max_s'])}"
    return result_card("Jobs delayed", count(late), unit, detail=detail, tone="bad")


def notes(document: Document) -> list[str]:
    """Where the demand comes from, what decided, and what is missing."""
    scenario, result = document["scenario"], document.get("result")
    told = [] if document.get("savings") is None else [inputs_sentence(document["savings"], scenario)]
    told += [f"Demand: {scenario['demand']}, slots of 10 minutes, times in {scenario['timezone']}."]
    decision = document["forecast"].get("decision")
    told += [f"Forecast: {decision['sentence']}"] if decision else []
    if result is not None:
        told += _controller_notes(document["controller"])
        told += _job_notes(document)
        if result["slots_missing"]:
            missing = result["slots_missing"]
            verb = inflected(missing, "is", "are")
            told.append(
                f"{count(missing)} of {plural(result['slots'], 'slot')} {verb} missing and counted in no "
                "average; the controller holds its state meanwhile."
            )
    return told


def _controller_notes(controller: Mapping[str, Any]) -> list[str]:
    title, values = controller_title(controller["name"]), parameters_text(controller["parameters"])
    told = [f"Controller: {title}{f' with {values}' if values else ''}."]
    told.append(
        "It is causal: what is awake in a slot was decided from earlier slots alone."
        if controller["causal"]
        else "It is not causal: it knows the slot that it decides, which no real controller does."
    )
    if controller["boot_time_s"]:
        told.append(f"A node that is woken is ready after {duration(controller['boot_time_s'])}.")
    if controller["wake_failure_probability"]:
        share = percent(controller["wake_failure_probability"], 0)
        told.append(
            f"{share} of wake-ups fail and are tried again: {count(controller['failed_wakes'])} here."
        )
    return told


def _job_notes(document: Document) -> list[str]:
    jobs = document.get("jobs")
    if jobs is not None:
        asleep = jobs["result"]["mean_sleeping_nodes"]
        return [
            "Jobs delayed: replayed under "
            f"{policy_label(jobs['policy'])} on the awake nodes only, where the controller sees "
            f"the queue; {_of_nodes(asleep)} {inflected(asleep, 'sleeps', 'sleep')} on average there. "
            "The other numbers "
            "and the chart are of the demand without sleep."
        ]
    if document.get("jobs_left_out"):
        return [f"Jobs delayed: not known. {document['jobs_left_out']}"]
    return []


def verdict(backtest: list[Mapping[str, Any]], model: str, chosen: str | None = None) -> str:
    """How the chosen model compares with the last value, by mean absolute error."""
    mine, last = (
        {row["horizon_s"]: row["mae"] for row in backtest if row["model"] == name} for name in (model, "last")
    )
    known = [horizon for horizon in mine if not is_unknown(mine[horizon]) and last.get(horizon)]
    if model == "last" or not known:
        return ""
    parts = [f"{_better(mine[each], last[each])} at {duration(each)}" for each in known]
    return f"Against the last value, the error of “{model_title(model, chosen)}” is {', '.join(parts)}."


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


def _of_nodes(value: float | None) -> str:
    return f"{nodes(value)} {inflected(value, 'node')}"


def _wake_ups(result: Mapping[str, Any]) -> str:
    return f"{rate(result['wake_ups_per_day'])} {inflected(result['wake_ups_per_day'], 'wake-up')}"


def rate(value: float | None) -> str:
    """A rate per day: 1.4; 2."""
    if is_unknown(value):
        return "unknown"
    return f"{value:,.0f}" if float(value).is_integer() or value >= 100 else f"{value:,.1f}"
