"""The controls above a page's charts. They fill one store; charts listen to that store alone."""

from dataclasses import dataclass
from datetime import date

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html

from components.filters import Filters

FILTERS = "filters"
TRACE, CLUSTERS, VCS, DATES = "filter-trace", "filter-clusters", "filter-vcs", "filter-dates"
OTHER_TRACE = "filter-other-trace"


@dataclass(frozen=True)
class Choices:
    """What can be chosen: traces, clusters, the VCs of the chosen clusters, first and last day."""

    traces: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    vcs: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None
    timezone: str = "UTC"


def filter_bar(filters: Filters, choices: Choices) -> html.Div:
    """The filter bar, set to ``filters``."""
    first, last = filters.first_day or choices.first_day, filters.last_day or choices.last_day
    return html.Div(
        [
            dmc.Select(
                id=TRACE,
                label="Trace",
                data=list(choices.traces),
                value=filters.trace,
                allowDeselect=False,
                w=180,
            ),
            dmc.MultiSelect(
                id=CLUSTERS,
                label="Clusters",
                data=list(choices.clusters),
                value=list(filters.clusters),
                placeholder="" if filters.clusters else everything(len(choices.clusters)),
                clearable=True,
                className="filter-wide",
            ),
            dmc.MultiSelect(
                id=VCS,
                label="Virtual clusters",
                data=list(choices.vcs),
                value=list(filters.vcs),
                placeholder="" if filters.vcs else everything(len(choices.vcs)),
                searchable=True,
                clearable=True,
                limit=200,
                className="filter-wide",
            ),
            dmc.DatePickerInput(
                id=DATES,
                label=f"Dates ({choices.timezone})",
                type="range",
                value=[first and first.isoformat(), last and last.isoformat()],
                minDate=choices.first_day and choices.first_day.isoformat(),
                maxDate=choices.last_day and choices.last_day.isoformat(),
                valueFormat="D MMM YYYY",
                allowSingleDateInRange=True,
                w=230,
            ),
            dcc.Store(id=FILTERS, data=filters.to_json()),
            dcc.Location(id=OTHER_TRACE, refresh="callback-nav"),
        ],
        className="filter-bar",
        role="search",
    )


def everything(number: int) -> str:
    """The placeholder of a control in which nothing, that is everything, is chosen."""
    return f"all {number}" if number else "none"


def register() -> None:
    """The two callbacks, in the browser: keep the choice (and the address), open another trace."""
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
        Output(OTHER_TRACE, "search"),
        Input(TRACE, "value"),
        State(FILTERS, "data"),
        prevent_initial_call=True,
    )
