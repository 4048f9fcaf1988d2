"""Which jobs are these? Every job of the scope, found, sorted and saved, however many there are."""

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import dash
import pandas as pd
from dash import (
    ClientsideFunction,
    Input,
    Output,
    State,
    callback,
    clientside_callback,
    dcc,
    get_relative_path,
    html,
)
from flask import Response, request

from components.filter_bar import FILTERS
from components.grid import TEXT_FILTER, grid, grid_column
from components.numbers import plural
from components.tables import Column
from pages import identities
from pages.frame import FILTERS_CHANGED, SENTENCES, scope_exists, scoped_page, skeleton, there
from pages.job_links import job_address
from pages.job_search import TEXTS, Wanted, from_grid, from_query
from pages.scope import Scope, scope_of_query, scope_of_store
from queries import search
from queries.search import DEEPEST_ROW, NUMBER_COLUMNS, SORT_COLUMNS

QUESTION = "Which jobs are these?"
ANSWER, GRID, CSV, COLUMNS, WANTED = (
    "finder-answer",
    "finder-grid",
    "finder-csv",
    "finder-columns",
    "finder-wanted",
)
#: Rows that the grid asks for at a time. Of up to 50 rows DuckDB reads all columns only after it has sorted
#: (its late_materialization_max_rows): several times as fast as reading them of every job.
BLOCK_ROWS = 50
SHOWN = (
    Column("job_id", "Job"),
    Column("submit_time", "Submitted", "time"),
    Column("user", "User"),
    Column("cluster", "Cluster"),
    Column("vc", "Virtual cluster"),
    Column("gpu_num", "GPUs", "count"),
    Column("state", "State"),
    Column("queueing_delay_s", "Queueing delay", "duration"),
    Column("duration_s", "Duration", "duration"),
    Column("job_name", "Name"),
    Column("start_time", "Started", "time"),
    Column("end_time", "Ended", "time"),
    Column("cpu_num", "CPU cores", "count"),
    Column("node_num", "Nodes", "count"),
    Column("gpu_type", "GPU type"),
    Column("submit_hour", "Hour submitted", "count"),
    Column("submit_weekday", "Weekday submitted", "count"),
)
HIDDEN_AT_FIRST = (
    *("job_name", "start_time", "end_time", "cpu_num", "node_num", "gpu_type"),
    *("submit_hour", "submit_weekday"),
)
TOOLTIPS = {
    "duration_s": "Filters are in seconds",
    "queueing_delay_s": "Filters are in seconds",
    "submit_hour": "Local hour, 0 to 23",
    "submit_weekday": "Local weekday, 1 is Monday and 7 is Sunday",
}
WIDTHS_PX = {
    "job_id": 124,
    "submit_time": 160,
    "start_time": 160,
    "end_time": 160,
    "gpu_num": 120,
    "job_name": 200,
    "cluster": 100,
    "vc": 120,
}
NO_JOB = "No job was submitted in this choice. Choose more days, clusters or virtual clusters above."
NONE_FITS = (
    "No job fits all of it. Empty or widen a field under the column titles, or choose more days, clusters or "
    "virtual clusters above."
)
NUMBER_FILTER = {
    "filter": "agNumberColumnFilter",
    "filterParams": {
        "filterOptions": ["greaterThanOrEqual", "lessThanOrEqual", "equals", "inRange"],
        "maxNumConditions": 1,
        "inRangeInclusive": True,
        "debounceMs": 400,
    },
}


def shown_columns() -> tuple[Column, ...]:
    """The columns that visitors may see."""
    hidden = {"user"} if identities.policy() == identities.OFF else set()
    return tuple(column for column in SHOWN if column.name not in hidden)


def shown_at_first(wanted: Wanted) -> list[str]:
    """The columns that are shown before anybody chooses others: those that are searched among them."""
    searched = {name for name, *_ in (*wanted.texts, *wanted.ranges)}
    return [
        column.name
        for column in shown_columns()
        if column.name not in HIDDEN_AT_FIRST or column.name in searched
    ]


def grid_columns(wanted: Wanted) -> list[dict[str, Any]]:
    """The grid's columns, with what can be searched and sorted, in the order that is wanted.

    Of those hidden at first, the searched ones come first, so that their filters are seen. Pseudonyms cannot
    be sorted by: the order of the names behind them would show.
    """
    seen = {name for name in shown_at_first(wanted) if name in HIDDEN_AT_FIRST}
    columns = sorted(shown_columns(), key=lambda column: column.name not in {"job_id", *seen})
    return [_grid_column(column, wanted) for column in columns]


def _grid_column(column: Column, wanted: Wanted) -> dict[str, Any]:
    sortable = column.name in SORT_COLUMNS and not (
        column.name == "user" and identities.policy() != identities.NAMES
    )
    kind = TEXT_FILTER if column.name in TEXTS else NUMBER_FILTER if column.name in NUMBER_COLUMNS else {}
    more: dict[str, Any] = {"sortable": sortable, "hide": column.name not in shown_at_first(wanted), **kind}
    if kind:
        more["floatingFilter"] = True
    if column.name in TOOLTIPS:
        more["headerTooltip"] = TOOLTIPS[column.name]
    more["width"] = WIDTHS_PX.get(column.name, 130)
    if column.name == "job_id":
        more |= {"cellRenderer": "HeliographLink", "pinned": "left"}
    if column.name == wanted.sort and (wanted.sort, wanted.descending) != ("submit_time", True):
        more["sort"] = "desc" if wanted.descending else "asc"
    return grid_column(column, **more)


def body(wanted: Wanted = Wanted()) -> list[html.Div]:  # noqa: B008 (frozen)
    """The grid, which columns it shows, and where the CSV is."""
    choices = [{"label": column.title, "value": column.name} for column in shown_columns()]
    heading = html.Div(
        [
            html.Div([html.H2("Jobs"), dcc.Store(id=WANTED)], className="card-title"),
            html.Div(html.A("CSV", id=CSV, className="link action"), className="card-actions"),
        ],
        className="card-heading",
    )
    note = html.P(
        "Texts are found anywhere in a column, numbers from the one given on (the funnel offers ranges), "
        "durations in seconds. Times are local to the trace. The CSV has every job that fits, unrounded.",
        className="note",
    )
    columns = html.Details(
        [
            html.Summary("Columns"),
            dcc.Checklist(
                choices,
                shown_at_first(wanted),
                id=COLUMNS,
                inline=True,
                className="finder-columns",
            ),
        ],
        className="report",
    )
    table = grid(
        grid_columns(wanted),
        id=GRID,
        height_px=640,
        rowModelType="infinite",
        filterModel=wanted.grid_filters(),
        options={
            "cacheBlockSize": BLOCK_ROWS,
            "maxBlocksInCache": 20,
            "maxConcurrentDatasourceRequests": 1,
            "infiniteInitialRowCount": 1,
            "tooltipShowDelay": 300,
            "localeText": {"noRowsToShow": NO_JOB, "noMatchingRows": NONE_FITS},
        },
    )
    # Another id for each layout: a grid that stays keeps the search that it had and writes it in the address.
    fresh = html.Div(table, id={"type": "finder", "name": secrets.token_hex(4)})
    return [
        html.Section([heading, note, columns, fresh], className="card card-body", **{"aria-label": "Jobs"})
    ]


def layout(**query: Any) -> html.Div:
    """The page about the scope and the search that the address names."""

    def searched() -> list[html.Div]:
        return body(from_query(query))

    return scoped_page(QUESTION, ANSWER, searched, query)


def exists(**query: Any) -> bool:
    """Whether the scope is there, and the search is one; the server answers 404 otherwise."""
    return there(from_query, query) and scope_exists(**query)


dash.register_page(
    __name__,
    path="/jobs/find",
    title="Job finder · Heliograph",
    label="Job finder",
    group="What is going on",
    order=2.5,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=exists,
)


@callback(
    Output(GRID, "getRowsResponse"),
    Output(ANSWER, "children"),
    Output(CSV, "href"),
    Output(WANTED, "data"),
    Input(GRID, "getRowsRequest"),
    State(FILTERS, "data"),
    prevent_initial_call=True,
)
def show_jobs(request: Mapping[str, Any] | None, data: Mapping[str, Any]) -> tuple[Any, str, str, str]:
    """A block of rows, how many jobs fit, where all of them are, and the search as the address says it."""
    wanted, scope = from_grid(request or {}), scope_of_store(data)
    first = int((request or {}).get("startRow") or 0)
    rows, total = found(wanted, scope, first)
    response = {"rowData": rows, "rowCount": min(total, DEEPEST_ROW)}
    return response, answer(total, scope), csv_address(wanted, scope), wanted.query_string()


def found(wanted: Wanted, scope: Scope, first: int) -> tuple[list[dict[str, Any]], int]:
    """A block of the jobs that fit as the grid takes them, and how many fit."""
    size = min(BLOCK_ROWS, DEEPEST_ROW - first)
    frame, total = search.find(
        wanted.search(scope.trace), trace=scope.trace, skip=first, size=size, **scope_parameters(scope)
    )
    frame = frame.assign(
        user=identities.shown_users(frame["user"], scope.trace),
        address=[job_address(scope.trace, job.cluster, job.job_id) for job in frame.itertuples()],
    )
    for column in ("submit_time", "start_time", "end_time"):
        frame[column] = frame[column].dt.strftime("%Y-%m-%dT%H:%M:%S")
    frame = frame[[*(column.name for column in shown_columns()), "address"]]
    return frame.astype(object).where(frame.notna(), None).to_dict("records"), total


def scope_parameters(scope: Scope) -> dict[str, Any]:
    """The scope as the search takes it."""
    return {
        "clusters": list(scope.filters.clusters),
        "vcs": list(scope.filters.vcs),
        "start": scope.start_time,
        "end": scope.end_time,
    }


def answer(total: int, scope: Scope) -> str:
    """How many jobs fit, and how to see those beyond the grid's reach."""
    if not total:
        return f"No job submitted {scope.window_text()} fits."
    sentence = f"{plural(total, 'job')} submitted {scope.window_text()} {'fits' if total == 1 else 'fit'}."
    if total > DEEPEST_ROW:
        sentence += (
            f" The grid reaches the first {DEEPEST_ROW:,}; sort or filter for others, the CSV has all."
        )
    return sentence


def csv_address(wanted: Wanted, scope: Scope) -> str:
    """Where the CSV of all jobs that fit is."""
    return get_relative_path("/jobs/find.csv") + "&".join(
        part for part in (scope.filters.query_string(), wanted.query_string()) if part
    )


def csv_chunks(frames: Iterator[pd.DataFrame], trace: str) -> Iterator[str]:
    """Frames of jobs as CSV: unrounded, local times, unknown is empty, users as they may be shown."""
    names, header = [column.name for column in shown_columns()], True
    for frame in frames:
        shown = frame.assign(user=identities.shown_users(frame["user"], trace))
        yield shown[names].to_csv(index=False, header=header)
        header = False
    if header:
        yield ",".join(names) + "\n"


def serve_csv() -> Response:
    """The answer to a request for a search's CSV: the file, or 404 with the reason."""
    query = {name: request.args.getlist(name) for name in request.args}
    single = {name: values if name in ("cluster", "vc") else values[0] for name, values in query.items()}
    try:
        scope = scope_of_query(single)
        wanted = from_query(single).search(scope.trace)
        frames = search.all_found(wanted, trace=scope.trace, **scope_parameters(scope))
    except SENTENCES as error:
        return Response(str(error), 404, mimetype="text/plain")
    headers = {"Content-Disposition": 'attachment; filename="heliograph-jobs.csv"'}
    return Response(csv_chunks(frames, scope.trace), mimetype="text/csv", headers=headers)


clientside_callback(
    ClientsideFunction("finder", "searchAgain"),
    Output(GRID, "className"),
    FILTERS_CHANGED,
    State(GRID, "id"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("finder", "keepSearch"),
    Output(CSV, "title"),
    Input(WANTED, "data"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("finder", "chooseColumns"),
    Output(GRID, "columnState"),
    Input(COLUMNS, "value"),
    State(GRID, "columnDefs"),
    prevent_initial_call=True,
)
dash.get_app().server.add_url_rule(get_relative_path("/jobs/find.csv"), "found_jobs", serve_csv)
