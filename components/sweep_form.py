"""The form of a sweep, and its address, both ways: policies × capacities × loads × draws.

The address (``keepForm`` in ``assets/what-if-forms.js`` writes it) says
``policy=fifo&policy=qssf&nodes=x0.9, x1, +2&load=0.8:1.2:0.1&draws=3``; what is left out has its default.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import html

from components import replay_rules as rules
from components.filters import FilterError
from components.labels import labelled

NAME, START, START_ERROR, SIZE = "sweep-name", "sweep-start", "sweep-start-error", "sweep-size"
DEFAULT_POLICIES = ("fifo", "qssf", "smallest")
DEFAULT_NODES, DEFAULT_LOADS = "x0.8, x0.9, x1, x1.1, x1.2", "0.8, 1, 1.2"
OPTIONS = ("backfill", "start_state", "capacity_over_time")
MOST_DRAWS = 100


def field(name: Any) -> dict[str, Any]:
    """The id of a control whose value goes into the address under ``name``."""
    return {"type": "sweep-field", "name": name}


def switch(name: Any) -> dict[str, Any]:
    """The id of a switch of the address."""
    return {"type": "sweep-switch", "name": name}


@dataclass(frozen=True)
class SweepChoice:
    """The axes of a sweep, ``nodes`` and ``loads`` as they were written, and what all replays share."""

    policies: tuple[str, ...] = DEFAULT_POLICIES
    nodes: str = DEFAULT_NODES
    loads: str = DEFAULT_LOADS
    draws: int = 1
    placement: str = "consolidate"
    options: tuple[str, ...] = ()

    def pairs(self) -> list[tuple[str, str]]:
        """The choice as keys and values of an address, defaults left out."""
        pairs = [("policy", each) for each in self.policies] if self.policies != DEFAULT_POLICIES else []
        usual = SweepChoice()
        for key, own, default in (
            ("nodes", self.nodes, usual.nodes),
            ("load", self.loads, usual.loads),
            ("draws", str(self.draws), str(usual.draws)),
            ("placement", self.placement, usual.placement),
        ):
            pairs += [(key, own)] if own != default else []
        return pairs + [(rules.OPTIONS[name].key, "1") for name in OPTIONS if name in self.options]


#: What the browser leaves out of the address.
DEFAULTS = {
    "policy": list(DEFAULT_POLICIES),
    "nodes": DEFAULT_NODES,
    "load": DEFAULT_LOADS,
    "draws": 1,
    "placement": "consolidate",
}


def sweep_choice(query: Mapping[str, Any]) -> SweepChoice:
    """The choice that an address makes. Raises FilterError for a policy, placement or number that is none."""
    policies = query.get("policy")
    names = [] if policies is None else policies if isinstance(policies, list) else [policies]
    return SweepChoice(
        rules.checked_policies(names, DEFAULT_POLICIES) if policies != "" else (),
        str(query.get("nodes", DEFAULT_NODES)),
        str(query.get("load", DEFAULT_LOADS)),
        _draws(query.get("draws")),
        rules.checked_placement(query.get("placement")),
        rules.chosen_options(query, OPTIONS),
    )


def parts(text: str) -> tuple[str, ...]:
    """The values of an axis, each once: separated by commas or spaces."""
    return tuple(dict.fromkeys(part for part in re.split(r"[,;\s]+", text) if part))


def _draws(value: Any) -> int:
    if value in (None, ""):
        return 1
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if not 1 <= number <= MOST_DRAWS:
        raise FilterError(f"The draws of each load are “{value}”; they must be from 1 to {MOST_DRAWS}.")
    return number


def sweep_form(choice: SweepChoice, bar: Any) -> html.Section:
    """The card on the left of the page; ``bar`` is the filter bar."""
    return html.Section(
        [
            html.H2("Grid"),
            html.P("Every combination of the axes is replayed, in each cluster.", className="note"),
            bar,
            dmc.MultiSelect(
                id=field("policy"),
                label="Policies",
                data=rules.policy_options(),
                value=list(choice.policies),
                className="policies",
                hidePickedOptions=True,
            ),
            _text(
                "nodes",
                choice.nodes,
                "Nodes",
                "Steps of every VC's nodes: a factor such as x1.2 (whole nodes, at least one), or nodes more "
                "or fewer such as +3 or -1; separated by commas.",
            ),
            _text(
                "load",
                choice.loads,
                "Load",
                "Factors of the jobs submitted, separated by commas, or a range such as 0.8:1.2:0.1 with "
                "both ends. Below 1 jobs are thinned, above 1 resampled ones are added.",
            ),
            dmc.NumberInput(
                id=field("draws"),
                label=labelled("Draws of each load", "A load other than 1 is drawn anew so many times."),
                value=choice.draws,
                min=1,
                max=MOST_DRAWS,
                allowDecimal=False,
                debounce=400,
            ),
            rules.placement_select(field("placement"), choice.placement),
            *rules.switches({name: switch(rules.OPTIONS[name].key) for name in OPTIONS}, choice.options),
            dmc.TextInput(id=NAME, label="Name", placeholder="optional, to find the run again"),
            dmc.Button("Sweep", id=START, fullWidth=True, className="start"),
            html.Div(id=START_ERROR, className="start-error"),
            html.P(id=SIZE, className="note", role="status"),
        ],
        className="card scenario",
        **{"aria-label": "Grid"},
    )


def _text(name: str, value: str, title: str, help_text: str) -> dmc.TextInput:
    return dmc.TextInput(id=field(name), label=labelled(title, help_text), value=value, debounce=400)
