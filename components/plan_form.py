"""The form of a plan, and its address, both ways: a target, and what to find that meets it.

``policy=qssf&measure=p95_queueing_delay_s&limit=2&unit=h&by=load``; what is left out has its default.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import dash_mantine_components as dmc
from dash import html

from components import replay_rules as rules
from components.filters import FilterError
from components.labels import labelled
from components.numbers import count, duration, uncapitalized

NAME, START, START_ERROR, SIZE = "plan-name", "plan-start", "plan-start-error", "plan-size"
#: What a target may be of (runs.target.MEASURES; a test compares them).
MEASURES = {
    "p95_queueing_delay_s": "Queueing delay, 95th percentile",
    "avg_queueing_delay_s": "Queueing delay, average",
    "median_queueing_delay_s": "Queueing delay, median",
    "p90_queueing_delay_s": "Queueing delay, 90th percentile",
    "p99_queueing_delay_s": "Queueing delay, 99th percentile",
    "avg_jct_s": "Job completion time, average",
    "queued_jobs": "Jobs that wait a second or more",
    "makespan_s": "Makespan",
}
UNITS = {"s": ("seconds", 1.0), "min": ("minutes", 60.0), "h": ("hours", 3600.0), "d": ("days", 86400.0)}
BY = {"nodes": "Fewest nodes", "load": "Largest load"}
OPTIONS = ("backfill", "start_state")
MOST_RESAMPLES = 200


def field(name: Any) -> dict[str, Any]:
    """The id of a control whose value goes into the address under ``name``."""
    return {"type": "plan-field", "name": name}


def switch(name: Any) -> dict[str, Any]:
    """The id of a switch of the address."""
    return {"type": "plan-switch", "name": name}


@dataclass(frozen=True)
class PlanChoice:
    """What is to be found under which policy; ``limit`` of the measure is in ``unit``."""

    policy: str = "fifo"
    measure: str = "p95_queueing_delay_s"
    limit: float = 1.0
    unit: str = "h"
    by: str = "nodes"
    resamples: int = 20
    placement: str = "consolidate"
    options: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The target as ``runs.target`` reads it: in seconds, or a number of jobs."""
        factor = 1.0 if self.measure == "queued_jobs" else UNITS[self.unit][1]
        return f"{self.measure}<={self.limit * factor:.12g}"

    def pairs(self) -> list[tuple[str, str]]:
        """The choice as keys and values of an address, defaults left out."""
        pairs = []
        for key, default in DEFAULTS.items():
            own = getattr(self, key)
            pairs += [(key, f"{own:g}" if isinstance(own, float) else str(own))] if own != default else []
        return pairs + [(rules.OPTIONS[name].key, "1") for name in OPTIONS if name in self.options]


#: What the browser leaves out of the address.
DEFAULTS: dict[str, Any] = {
    name: getattr(PlanChoice(), name)
    for name in ("policy", "measure", "limit", "unit", "by", "resamples", "placement")
}


def plan_choice(query: Mapping[str, Any]) -> PlanChoice:
    """The choice that an address makes. Raises FilterError for one that cannot be."""
    texts = {key: str(query.get(key, default) or default) for key, default in DEFAULTS.items()}
    for key, known in (("measure", MEASURES), ("unit", UNITS), ("by", BY)):
        if texts[key] not in known:
            raise FilterError(f"There is no {key} “{texts[key]}”; choose from {', '.join(known)}.")
    return PlanChoice(
        rules.checked_policies([texts["policy"]], ("fifo",))[0],
        texts["measure"],
        _number("limit", texts["limit"], 0.0, 1e9),
        texts["unit"],
        texts["by"],
        int(_number("number of draws", texts["resamples"], 0, MOST_RESAMPLES)),
        rules.checked_placement(texts["placement"]),
        rules.chosen_options(query, OPTIONS),
    )


def goal_text(target: str) -> str:
    """A target as people say it: queueing delay, 95th percentile, at most 1 h."""
    measure, verb, limit = re.fullmatch(r"(\w+)(<=|<)(.+)", target).groups()
    number = float(limit)
    said = count(number) if measure == "queued_jobs" else duration(number)
    return f"{uncapitalized(MEASURES[measure])}, {'at most' if verb == '<=' else 'below'} {said}"


def of_target(measure: str, limit: float) -> dict[str, Any]:
    """Measure, limit and unit of the form for a target in seconds (or jobs): the largest whole unit."""
    if measure == "queued_jobs":
        return {"measure": measure, "limit": limit}
    whole = [unit for unit, (_, size) in UNITS.items() if limit and limit % size == 0]
    unit = whole[-1] if whole else "s"
    return {"measure": measure, "limit": limit / UNITS[unit][1], "unit": unit}


def _number(name: str, text: str, least: float, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not (isfinite(number) and least <= number <= most):
        raise FilterError(f"The {name} is “{text}”; it must be from {least:g} to {most:g}.")
    return number


def plan_form(choice: PlanChoice, bar: Any) -> html.Section:
    """The card on the left of the page; ``bar`` is the filter bar."""
    return html.Section(
        [
            html.H2("Target"),
            html.P("For one cluster, or some of its virtual clusters.", className="note"),
            bar,
            _select("by", "Find", BY, choice.by),
            _select("measure", "at which", MEASURES, choice.measure),
            html.Div(
                [
                    dmc.NumberInput(
                        id=field("limit"), label="is at most", value=choice.limit, min=0, debounce=400
                    ),
                    _select(
                        "unit",
                        labelled("in", "A number of jobs has no unit."),
                        {key: title for key, (title, _) in UNITS.items()},
                        choice.unit,
                    ),
                ],
                className="number-grid",
            ),
            dmc.Select(
                id=field("policy"),
                label="under the policy",
                data=rules.policy_options(),
                value=choice.policy,
                allowDeselect=False,
            ),
            rules.placement_select(field("placement"), choice.placement),
            dmc.NumberInput(
                id=field("resamples"),
                label=labelled(
                    "Draws of the weeks",
                    "The window's weeks are drawn with replacement so many times; 80 % of the answers make "
                    "the interval. 0: no interval.",
                ),
                value=choice.resamples,
                min=0,
                max=MOST_RESAMPLES,
                allowDecimal=False,
                debounce=400,
            ),
            *rules.switches({name: switch(rules.OPTIONS[name].key) for name in OPTIONS}, choice.options),
            dmc.TextInput(id=NAME, label="Name", placeholder="optional, to find the run again"),
            dmc.Button("Plan", id=START, fullWidth=True, className="start"),
            html.Div(id=START_ERROR, className="start-error"),
            html.P(id=SIZE, className="note", role="status"),
        ],
        className="card scenario",
        **{"aria-label": "Target"},
    )


def _select(name: str, title: Any, options: Mapping[str, str], value: str) -> dmc.Select:
    return dmc.Select(
        id=field(name),
        label=title,
        data=[{"value": each, "label": label} for each, label in options.items()],
        value=value,
        allowDeselect=False,
    )
