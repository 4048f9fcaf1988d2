"""The controls of what a page's scope is compared with; they fill one store together with the filter bar."""

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html

from components.filter_bar import FILTERS, Choices, presets
from components.filters import Filters

COMPARISON, REFERENCES = "comparison", "comparison-references"
TRACE, CLUSTERS, VCS, DATES = "other-trace", "other-clusters", "other-vcs", "other-dates"
OPEN = "other-open"
#: Before the keys of the address that say what is compared with.
PREFIX = "b."


def second_bar(one: Filters, other: Filters, choices: Choices, references: bool) -> html.Div:
    """The second bar, set to ``other``, and a switch; the store holds both sides and what the switch says."""
    first, last = other.first_day or choices.first_day, other.last_day or choices.last_day
    bar = html.Div(
        [
            dmc.Select(
                id=TRACE,
                label="B: trace",
                data=list(choices.traces),
                value=other.trace,
                allowDeselect=False,
                w=180,
            ),
            _several(CLUSTERS, "B: clusters", choices.clusters, other.clusters),
            _several(VCS, "B: virtual clusters", choices.vcs, other.vcs, searchable=True, limit=200),
            dmc.DatePickerInput(
                id=DATES,
                label=f"B: dates ({choices.timezone})",
                type="range",
                value=[first and first.isoformat(), last and last.isoformat()],
                minDate=choices.first_day and choices.first_day.isoformat(),
                maxDate=choices.last_day and choices.last_day.isoformat(),
                valueFormat="D MMM YYYY",
                allowSingleDateInRange=True,
                presets=presets(choices.first_day, choices.last_day),
                w=230,
            ),
            dcc.Store(
                id=COMPARISON,
                data={"one": one.to_json(), "other": other.to_json(), "references": references},
            ),
            dcc.Store(id=OPEN),
        ],
        className="filter-bar",
        role="search",
        **{"aria-label": "Compared with"},
    )
    switch = dmc.Switch(
        id=REFERENCES,
        label="Published curves beside them",
        checked=references,
        size="xs",
        className="page-switch",
    )
    return html.Div([bar, switch])


def _several(
    name: str, label: str, offered: tuple[str, ...], chosen: tuple[str, ...], **more: Any
) -> dmc.MultiSelect:
    return dmc.MultiSelect(
        id=name,
        label=label,
        data=list(offered),
        value=list(chosen),
        placeholder="all",
        clearable=True,
        className="filter-wide",
        **more,
    )


def register() -> None:
    """The callbacks in the browser: keep what is compared, and the address; open another trace."""
    clientside_callback(
        ClientsideFunction("comparison", "keepComparison"),
        Output(COMPARISON, "data"),
        Input(FILTERS, "data"),
        Input(CLUSTERS, "value"),
        Input(VCS, "value"),
        Input(DATES, "value"),
        Input(REFERENCES, "checked"),
        State(DATES, "minDate"),
        State(DATES, "maxDate"),
        State(COMPARISON, "data"),
        prevent_initial_call=True,
    )
    clientside_callback(
        ClientsideFunction("comparison", "openOther"),
        Output(OPEN, "data"),
        Input(TRACE, "value"),
        State(COMPARISON, "data"),
        prevent_initial_call=True,
    )
