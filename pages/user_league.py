"""The league of a scope's users: a grid that asks for its rows, so that it holds all of them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from dash import ClientsideFunction, Input, Output, State, callback, clientside_callback, html

from components.chart_card import part, table_card
from components.filter_bar import FILTERS
from components.grid import TEXT_FILTER, grid, grid_column
from components.numbers import count, inflected, plural
from components.tables import Column, csv
from pages import identities
from pages.final_states import GROUPS
from pages.frame import FILTERS_CHANGED
from pages.scope import Scope, scope_of_store
from pages.user_links import user_address
from pages.user_shares import jobs_without_user, known_users, league, weeks

LEAGUE, LEAGUE_GRID = "users-league", "users-league-grid"
#: Rows that the grid asks for at a time.
BLOCK_ROWS = 100
COLUMNS = (
    Column("user", "User"),
    Column("clusters", "Clusters"),
    Column("gpu_s", "GPU time", "gpu_time"),
    Column("gpu_time_share", "Of all GPU time", "percent"),
    Column("gpu_jobs", "GPU jobs", "count"),
    Column("jobs", "All jobs", "count"),
    Column("completion", "Completed", "percent"),
    Column("lost_share", "GPU time lost", "percent"),
    Column("queueing_share", "Of all queueing", "percent"),
)
SPARK_COLUMN = {
    "field": "by_week",
    "headerName": "By week",
    "headerTooltip": "GPU time by local week of submission, each user up to their own highest week",
    "cellRenderer": "HeliographSpark",
    "cellDataType": False,
    "sortable": False,
    "width": 130,
}
TEXT_FIELD = {
    **TEXT_FILTER,
    "floatingFilter": True,
    "suppressFloatingFilterButton": True,
    "suppressHeaderFilterButton": True,
}
#: In per cent, as the column is shown; a filter can be taken away where it is set.
COMPLETION_FILTER = {
    "filter": "agNumberColumnFilter",
    "filterParams": {
        "filterOptions": ["greaterThanOrEqual", "lessThan", "equals"],
        "buttons": ["reset"],
        "debounceMs": 400,
    },
    "floatingFilter": True,
    "headerTooltip": "Filters are in per cent",
    "minWidth": 120,
}
OWN_WAY = {
    "user": {"cellRenderer": "HeliographLink", "pinned": "left", "width": 150, **TEXT_FIELD},
    "clusters": {"minWidth": 140, "tooltipField": "clusters", **TEXT_FIELD},
    "gpu_s": {"minWidth": 160},
    "completion": COMPLETION_FILTER,
}
METHOD = (
    "Jobs submitted in the window, added up over the chosen clusters. The line is GPU time by local week of "
    "submission, from zero to each user’s own highest week. Completed is of ended GPU jobs; shares are of "
    f"all users. {GROUPS} The CSV has every user who fits the filters."
)


def no_users(scope: Scope) -> str | None:
    """Why nothing can be said about this scope's users, if so."""
    if identities.policy() == identities.OFF:
        return identities.SWITCHED_OFF
    return None if scope.knows("has_user") else identities.NO_USERS


def nobody(scope: Scope) -> str:
    """How many jobs have no user, as the end of a note."""
    jobs = jobs_without_user(scope)
    return f" Left out: {plural(jobs, 'job')} without a user." if jobs else ""


def card() -> html.Section:
    """The card; its grid asks for its rows."""
    wrapped = {"wrapHeaderText": True, "autoHeaderHeight": True}
    columns = [grid_column(each, **wrapped, **OWN_WAY.get(each.name, {})) for each in COLUMNS]
    columns.insert(1 + [each.name for each in COLUMNS].index("gpu_s"), SPARK_COLUMN)
    table = grid(
        columns,
        id=LEAGUE_GRID,
        rowModelType="infinite",
        columnSize="responsiveSizeToFit",
        height_px=520,
        options={
            "cacheBlockSize": BLOCK_ROWS,
            "infiniteInitialRowCount": 1,
            "localeText": {
                "noRowsToShow": "There is nobody to show; the line above says why.",
                "noMatchingRows": "No user fits. Empty or widen the fields under the column titles.",
            },
        },
    )
    return table_card(LEAGUE, "League of users", method=METHOD, span="full", body=html.Div(table))


def wanted(rows: pd.DataFrame, request: Mapping[str, Any] | None) -> pd.DataFrame:
    """The rows of a league that the grid's filters leave, in its order; conditions of others are ignored."""
    request = request or {}
    for name, model in (request.get("filterModel") or {}).items():
        if "filter" in OWN_WAY.get(name, {}):
            rows = rows[_fits(rows[name], model)]
    order = (request.get("sortModel") or [{}])[0]
    if order.get("colId") in {column.name for column in COLUMNS}:
        ascending = order.get("sort") == "asc"
        rows = rows.sort_values(order["colId"], ascending=ascending, kind="stable", na_position="last")
    return rows


def _fits(values: pd.Series, model: Mapping[str, Any]) -> pd.Series:
    if "conditions" in model:
        masks = pd.DataFrame({place: _fits(values, each) for place, each in enumerate(model["conditions"])})
        return masks.all(axis=1) if model.get("operator") == "AND" else masks.any(axis=1)
    if model.get("filterType") == "text":
        return values.str.contains(str(model["filter"]), case=False, regex=False)
    percents, asked = (100 * values).round(9), float(model["filter"])  # 100 × 0.29 is a little less than 29
    if model["type"] == "equals":
        return percents.round(1) == round(asked, 1)  # as both are written
    return percents >= asked if model["type"] == "greaterThanOrEqual" else percents < asked


def block(rows: pd.DataFrame, scope: Scope, first: int) -> list[dict[str, Any]]:
    """Rows of a league from the ``first`` on as the grid takes them: each with its weeks and its address."""
    shown = rows.iloc[first : first + BLOCK_ROWS][[column.name for column in COLUMNS]]
    courses = weeks(scope, shown["user"])
    shown = shown.assign(
        by_week=[courses.get(user, []) for user in shown["user"]],
        address=[user_address(user, scope.filters) for user in shown["user"]],
    )
    return shown.astype(object).where(shown.notna(), None).to_dict("records")


def note(fitting: int, everybody: int, request: Mapping[str, Any] | None, scope: Scope) -> str:
    """How to use the league, what it calls lost, and how many users it shows."""
    if not everybody:
        return f"No user has a job in this choice.{nobody(scope)}"
    order = ((request or {}).get("sortModel") or [{}])[0].get("colId")
    title = next((column.title for column in COLUMNS if column.name == order), "GPU time")
    users = plural(everybody, "user")
    which = f"{count(fitting)} of {users} {inflected(fitting, 'fits', 'fit')} the filters."
    if fitting == everybody:
        which = f"All {users} are shown." if everybody > 1 else f"{users} is shown."
    return (
        f"Sorted by “{title}”; a column's title sorts by it, a user's name opens their page. Lost is GPU "
        f"time of failed and cancelled jobs. {which}{nobody(scope)}"
    )


@callback(
    Output(LEAGUE_GRID, "getRowsResponse"),
    Output(part("note", LEAGUE), "children"),
    Input(LEAGUE_GRID, "getRowsRequest"),
    State(FILTERS, "data"),
    prevent_initial_call=True,
)
def show_league(request: Mapping[str, Any] | None, data: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A block of rows, and how many users fit."""
    scope = scope_of_store(data)
    why = no_users(scope)
    if why:
        return {"rowData": [], "rowCount": 0}, why
    everybody = league(known_users(scope))
    rows = wanted(everybody, request)
    shown = block(rows, scope, int((request or {}).get("startRow") or 0))
    return {"rowData": shown, "rowCount": len(rows)}, note(len(rows), len(everybody), request, scope)


@callback(
    Output(part("download", LEAGUE), "data"),
    Input(part("csv", LEAGUE), "n_clicks"),
    State(LEAGUE_GRID, "getRowsRequest"),
    State(FILTERS, "data"),
    prevent_initial_call=True,
)
def save_league(_clicks: int, request: Mapping[str, Any] | None, data: Mapping[str, Any]) -> dict[str, Any]:
    """Every user who fits, in the grid's order, unrounded."""
    scope = scope_of_store(data)
    rows = pd.DataFrame() if no_users(scope) else wanted(league(known_users(scope)), request)
    return {"content": csv(rows), "filename": f"heliograph-{LEAGUE}.csv", "type": "text/csv"}


clientside_callback(
    ClientsideFunction("finder", "searchAgain"),
    Output(LEAGUE_GRID, "className"),
    FILTERS_CHANGED,
    State(LEAGUE_GRID, "id"),
    prevent_initial_call=True,
)
