"""The form of a scheduling what-if, beside the filter bar: policies, placement, capacity, load, options.

The choice is part of the page's address (``keepReplay`` in ``assets/what-if.js`` writes it): what is left out
has its default. ``policy=fifo&policy=qssf&placement=consolidateFirst&load=1.5&nodes=Venus/vcA:3``, the last
one meaning three nodes more in VC vcA of Venus.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import dash_mantine_components as dmc
from dash import html

from components import replay_rules as rules
from components.carried import carried_notice, carried_of, carried_text
from components.filters import FilterError
from components.labels import labelled
from components.policies import POLICY_TITLES
from components.theme import POLICIES

POLICY_HELP = "; ".join(f"{each.label}: {each.first}" for each in POLICY_TITLES.values())
#: QSSF never without its plain control.
DEFAULT_POLICIES = ("fifo", "qssf", "sjf", "smallest")
SMALLEST_LOAD, LARGEST_LOAD = 0.05, 10.0

POLICY, PLACEMENT, LOAD = "replay-policies", "replay-placement", "replay-load"
DURATIONS = "replay-durations"
FACTORS, FACTOR_SLIDERS = (LOAD, DURATIONS), ("replay-load-slider", "replay-durations-slider")
CHANGES, ADD_CHANGE = "replay-changes", "replay-add-change"
NAME, START, START_ERROR, SIZE = "replay-name", "replay-start", "replay-start-error", "replay-size"


SMALLEST_DURATIONS, LARGEST_DURATIONS = 0.05, 20.0
#: What a factor's slider spans; its field takes all that is allowed.
SLIDER_FROM, SLIDER_TO, SLIDER_STEP = 0.25, 3.0, 0.05


def option_id(name: Any) -> dict[str, Any]:
    """The id of an option's switch."""
    return {"type": "replay-option", "name": name}


def change_part(kind: str, row: Any) -> dict[str, Any]:
    """The id of ``change-vc``, ``change-nodes`` or ``change-remove`` in a row that changes a VC's nodes."""
    return {"type": kind, "row": row}


@dataclass(frozen=True)
class ReplayChoice:
    """What is replayed, beside which jobs: ``extra_nodes`` holds (``cluster/vc``, nodes more or less)."""

    policies: tuple[str, ...] = DEFAULT_POLICIES
    placement: str = "consolidate"
    load_factor: float = 1.0
    extra_nodes: tuple[tuple[str, int], ...] = ()
    duration_factor: float = 1.0
    options: tuple[str, ...] = ()
    carried: Mapping[str, Any] = field(default_factory=dict)


def replay_choice(query: Mapping[str, Any]) -> ReplayChoice:
    """The choice that an address makes.

    Raises:
        FilterError: a policy or placement that there is not, a load or a change of nodes that is no number.
    """
    changes = dict(_change(text) for text in _texts(query.get("nodes")))
    return ReplayChoice(
        rules.checked_policies(_texts(query.get("policy")), DEFAULT_POLICIES),
        rules.checked_placement(query.get("placement")),
        _factor("load", query.get("load"), SMALLEST_LOAD, LARGEST_LOAD),
        tuple(changes.items()),
        _factor("durations", query.get("durations"), SMALLEST_DURATIONS, LARGEST_DURATIONS),
        rules.chosen_options(query, tuple(rules.OPTIONS)),
        carried_of(query.get("also")),
    )


def replay_pairs(choice: ReplayChoice) -> list[tuple[str, str]]:
    """The choice as keys and values of an address, defaults left out."""
    pairs: list[tuple[str, str]] = []
    if set(choice.policies) != set(DEFAULT_POLICIES):
        pairs += [("policy", policy) for policy in POLICIES if policy in choice.policies]
    if choice.placement != "consolidate":
        pairs.append(("placement", choice.placement))
    if choice.load_factor != 1:
        pairs.append(("load", f"{choice.load_factor:g}"))
    if choice.duration_factor != 1:
        pairs.append(("durations", f"{choice.duration_factor:g}"))
    pairs += [(each.key, "1") for name, each in rules.OPTIONS.items() if name in choice.options]
    pairs += [("nodes", f"{vc}:{nodes}") for vc, nodes in choice.extra_nodes]
    return pairs + ([("also", carried_text(choice.carried))] if choice.carried else [])


def replay_form(
    choice: ReplayChoice,
    bar: Any,
    vcs: Sequence[Mapping[str, str]],
    kept: Sequence[tuple[str, str]] = (),
) -> html.Section:
    """The card on the left of the page.

    ``bar`` is the filter bar, ``kept`` its choice in the address, ``vcs`` the options of a changed VC.
    """
    return html.Section(
        [
            html.H2("Scenario"),
            html.P(
                "The GPU jobs submitted in these days are replayed on the cluster's nodes.", className="note"
            ),
            bar,
            dmc.MultiSelect(
                id=POLICY,
                label=labelled("Policies", f"Who goes first. {POLICY_HELP}."),
                data=[{"value": name, "label": POLICY_TITLES[name].label} for name in POLICIES],
                value=list(choice.policies),
                className="policies",
                hidePickedOptions=True,
            ),
            rules.placement_select(PLACEMENT, choice.placement),
            _capacity(choice, vcs),
            html.Div(
                [
                    _factor_input(
                        *(LOAD, FACTOR_SLIDERS[0]),
                        labelled("Load", "Below 1 jobs are thinned, above 1 resampled jobs are added."),
                        choice.load_factor,
                        (SMALLEST_LOAD, LARGEST_LOAD),
                    ),
                    _factor_input(
                        *(DURATIONS, FACTOR_SLIDERS[1]),
                        labelled("Job durations", "Every job takes so many times as long."),
                        choice.duration_factor,
                        (SMALLEST_DURATIONS, LARGEST_DURATIONS),
                    ),
                ],
                className="number-grid",
            ),
            *rules.switches({name: option_id(name) for name in rules.OPTIONS}, choice.options),
            carried_notice(choice.carried, [*kept, *replay_pairs(replace(choice, carried={}))]),
            dmc.TextInput(id=NAME, label="Name", placeholder="optional, to find the run again"),
            dmc.Button("Replay", id=START, fullWidth=True, className="start"),
            html.Div(id=START_ERROR, className="start-error"),
            html.P(id=SIZE, className="note"),
        ],
        className="card scenario",
        **{"aria-label": "Scenario"},
    )


def change_row(row: int, vcs: Sequence[Mapping[str, str]], vc: str | None = None, nodes: int = 1) -> html.Div:
    """One VC and how many nodes it gets (or loses)."""
    return html.Div(
        [
            dmc.Select(
                id=change_part("change-vc", row),
                data=list(vcs),
                value=vc,
                placeholder="virtual cluster",
                searchable=True,
                limit=200,
                className="change-vc",
                **{"aria-label": "Virtual cluster whose nodes change"},
            ),
            dmc.NumberInput(
                id=change_part("change-nodes", row),
                value=nodes,
                min=-10_000,
                max=10_000,
                allowDecimal=False,
                debounce=400,
                className="change-nodes",
                **{"aria-label": "Nodes more, or less where negative"},
            ),
            dmc.ActionIcon(
                "×",
                id=change_part("change-remove", row),
                variant="subtle",
                color="gray",
                **{"aria-label": "Leave this virtual cluster as it is"},
            ),
        ],
        className="change-row",
    )


def _capacity(choice: ReplayChoice, vcs: Sequence[Mapping[str, str]]) -> html.Div:
    rows = [change_row(place, vcs, vc, nodes) for place, (vc, nodes) in enumerate(choice.extra_nodes)]
    return html.Div(
        [
            html.Div("Capacity, nodes more or less", className="field-label"),
            html.Div(rows, id=CHANGES),
            dmc.Button(
                "Change a virtual cluster",
                id=ADD_CHANGE,
                variant="subtle",
                size="compact-xs",
                disabled=not vcs,
            ),
        ]
    )


def _texts(value: Any) -> list[str]:
    return [] if value is None else [str(each) for each in value] if isinstance(value, list) else [str(value)]


def _factor_input(
    field: str, slider: str, label: html.Span, value: float, limits: tuple[float, float]
) -> html.Div:
    """A factor as a number, and as a slider that answers while it moves."""
    number = dmc.NumberInput(
        id=field,
        label=label,
        value=value,
        min=limits[0],
        max=limits[1],
        step=0.1,
        decimalScale=3,
        prefix="× ",
        debounce=400,
    )
    moving = dmc.Slider(
        id=slider,
        value=min(max(value, SLIDER_FROM), SLIDER_TO),
        min=SLIDER_FROM,
        max=SLIDER_TO,
        step=SLIDER_STEP,
        updatemode="drag",
        label=None,
        size="xs",
        marks=[{"value": 1}],
        className="factor-slider",
        thumbLabel=f"{field.removeprefix('replay-')}, slider",
    )
    return html.Div([number, moving])


def _factor(key: str, value: Any, least: float, most: float) -> float:
    if value in (None, ""):
        return 1.0
    try:
        factor = float(str(value))
    except ValueError:
        factor = float("nan")
    if not least <= factor <= most:
        name = "load is" if key == "load" else f"{key} are"
        raise FilterError(f"The {name} “{value}”; it must be from {least:g} to {most:g}.")
    return factor


def _change(text: str) -> tuple[str, int]:
    vc, _, nodes = text.rpartition(":")
    try:
        return vc, int(nodes)
    except ValueError:
        raise FilterError(
            f"“{text}” does not say how a virtual cluster's nodes change; write it as Venus/vcA:3."
        ) from None
