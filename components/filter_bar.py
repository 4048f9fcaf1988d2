"""The controls above a page's charts. They fill one store; charts listen to that store alone."""

from dataclasses import dataclass
from datetime import date, timedelta

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Input, Output, State, clientside_callback, dcc, html

from components.filters import Filters

FILTERS = "filters"
TRACE, CLUSTERS, VCS, DATES = "filter-trace", "filter-clusters", "filter-vcs", "filter-dates"
OTHER_TRACE, OPENED, NAMED = "filter-other-trace", "filter-opened", "filter-named"
#: Days that a click chooses, counted back from the last one.
PRESETS = {"Last day": 1, "Last 7 days": 7, "Last 28 days": 28, "Last 90 days": 90}


@dataclass(frozen=True)
class Choices:
    """What can be chosen: traces, clusters, the VCs of the chosen clusters, first and last day."""

    traces: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    vcs: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    timezone: str = "UTC"


def filter_bar(
    filters: Filters, choices: Choices, side: str = "", *, clusters_assumed: bool = False
) -> html.Div:
    """The filter bar, set to ``filters``; ``side`` names it where there are two, such as ``A``.

    With ``clusters_assumed`` the page chose the clusters, not the visitor: links to other pages leave them
    out until the visitor chooses something.
    """

    def label(text: str) -> str:
        return f"{side}: {text[0].lower()}{text[1:]}" if side else text

    kept = filters.to_json() | ({"assumed": True} if clusters_assumed else {})
    first, last = filters.first_day or choices.first_day, filters.last_day or choices.last_day
    return html.Div(
        [
            dmc.Select(
                id=TRACE,
                label=label("Trace"),
                data=list(choices.traces),
                value=filters.trace,
                allowDeselect=False,
                w=180,
            ),
            dmc.MultiSelect(
                id=CLUSTERS,
                label=label("Clusters"),
                data=list(choices.clusters),
                value=list(filters.clusters),
                placeholder=everything(len(choices.clusters)),
                clearable=True,
                className="filter-wide",
            ),
            dmc.MultiSelect(
                id=VCS,
                label=label("Virtual clusters"),
                data=list(choices.vcs),
                value=list(filters.vcs),
                placeholder=everything(len(choices.vcs)),
                searchable=True,
                clearable=True,
                limit=200,
                className="filter-wide",
            ),
            dmc.DatePickerInput(
                id=DATES,
                label=label(f"Dates ({choices.timezone})"),
                type="range",
                value=[first and first.isoformat(), last and last.isoformat()],
                minDate=choices.first_day and choices.first_day.isoformat(),
                maxDate=choices.last_day and choices.last_day.isoformat(),
                valueFormat="D MMM YYYY",
                allowSingleDateInRange=True,
                presets=presets(choices.first_day, choices.last_day),
                w=230,
            ),
            dcc.Store(id=FILTERS, data=kept),
            dcc.Store(id=OPENED),
            dcc.Store(id=NAMED),
            dcc.Store(id=OTHER_TRACE),
        ],
        className="filter-bar",
        role="search",
        **{"aria-label": "What is looked at"},
    )


def presets(first: date | None, last: date | None) -> list[dict]:
    """The ranges of ``PRESETS`` that fit between the first and the last day, and all days."""
    if first is None or last is None:
        return []
    begins = {label: last - timedelta(days=days - 1) for label, days in PRESETS.items()}
    fitting = {label: begin for label, begin in begins.items() if begin > first} | {"All days": first}
    return [
        {"label": label, "value": [begin.isoformat(), last.isoformat()]} for label, begin in fitting.items()
    ]


def everything(number: int) -> str:
    """The placeholder of a control in which nothing, that is all, is chosen; CSS hides it beside a choice."""
    return f"all {number}" if number else "none"


def register() -> None:
    """The callbacks in the browser: keep the choice and the address, open another place."""
    clientside_callback(
        ClientsideFunction("heliograph", "nameTheChoice"),
        Output(NAMED, "data"),
        Input(FILTERS, "data"),
    )
    clientside_callback(
        ClientsideFunction("heliograph", "openPoint"),
        Output(OPENED, "data"),
        Input({"type": "chart", "name": ALL}, "clickData"),
        prevent_initial_call=True,
    )
    clientside_callback(
        ClientsideFunction("heliograph", "keepFilters"),
        Output(FILTERS, "data"),
        Input(CLUSTERS, "value"),
        Input(VCS, "value"),
        Input(DATES, "value"),
        State(DATES, "minDate"),
        State(DATES, "maxDate"),
        State(FILTERS, "data"),
        prevent_initial_call=True,
    )
    clientside_callback(
        ClientsideFunction("heliograph", "openTrace"),
        Output(OTHER_TRACE, "data"),
        Input(TRACE, "value"),
        State(FILTERS, "data"),
        prevent_initial_call=True,
    )
