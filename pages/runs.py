"""Which what-ifs were asked, and what came of them?"""

import contextlib
from typing import Any

import dash
import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, callback, ctx, dcc, get_relative_path, html, no_update

from components.numbers import plural
from components.page_frame import page_frame
from components.run_status import OPEN_STATES
from components.run_table import KIND_TITLES, RunRow, action, run_table
from pages import run_files
from pages.run_links import csv_path, run_path
from pages.run_says import says
from pages.run_users import shown_settings
from queries import manifests
from runs import RunError, queue
from runs.store import Run

QUESTION = "Which what-ifs were asked, and what came of them?"
LIST, SENTENCE, POLL, SHOWN, ABOUT, CHANGED = (
    "runs-list",
    "runs-sentence",
    "runs-poll",
    "runs-shown",
    "runs-about",
    "runs-changed",
)
RENAME, NEW_NAME, RENAME_NOW = "runs-rename", "runs-new-name", "runs-rename-now"
DELETE, DELETE_SENTENCE, DELETE_NOW = "runs-delete", "runs-delete-sentence", "runs-delete-now"
POLL_MS = 1500


def layout(**_: Any) -> html.Div:
    """The list; a callback keeps it up to date while a run is open."""
    return page_frame(
        QUESTION,
        html.Div(id=LIST),
        dcc.Interval(id=POLL, interval=POLL_MS),
        dcc.Store(id=SHOWN),
        dcc.Store(id=ABOUT),
        dcc.Store(id=CHANGED),
        rename_dialog(),
        delete_dialog(),
        answer_id=SENTENCE,
    )


def skeleton() -> html.Div:
    """The page with one run of each state, so that every button is there."""
    rows = [_sample("done"), _sample("running")]
    return html.Div([layout(), run_table(rows)])


def rows() -> list[RunRow]:
    """The stored runs, newest first."""
    traces = manifests.names()
    return [_row(run, run.scenario["trace"] in traces) for run in queue.store().all()]


def _row(run: Run, trace_is_there: bool) -> RunRow:
    fields = ("id", "kind", "name", "scenario", "state", "progress", "created", "started", "finished")
    return RunRow(
        **{name: getattr(run, name) for name in fields} | {"scenario": shown_settings(run.scenario)},
        sentence=says(run),
        path=run_path(run.id),
        csv=csv_path(run.id, "results"),
        trace_is_there=trace_is_there,
    )


def _sample(state: str) -> RunRow:
    scenario = {
        "trace": "",
        "from": "",
        "to": "",
        "clusters": [],
        "vcs": [],
        "policies": [],
        "extra_nodes": {},
    }
    scenario |= {"load_factor": 1.0, "placement": "consolidate"}
    return RunRow("none", "scheduling", "", scenario, state, 0.0, 0.0, None, None, "", "", "", True)


def answer(listed: list[RunRow]) -> str:
    """How many runs there are, and how many are being worked on."""
    if not listed:
        return ""
    waiting = sum(row.state in OPEN_STATES for row in listed)
    there = "is" if len(listed) == 1 else "are"
    open_text = f"; {plural(waiting, 'run')} not finished yet" if waiting else ""
    return f"{plural(len(listed), 'run')} {there} stored, each at its own address{open_text}."


def empty_list() -> html.Div:
    """What to do where no run is stored."""
    link = {"className": "link"}
    return html.Div(
        [
            html.H2("No run yet"),
            html.P(
                [
                    "A run is a stored answer to a what-if. Start one on ",
                    dcc.Link("Scheduling", href=get_relative_path("/scheduling"), **link),
                    ", to see what another policy, more nodes or more load would have done, or how many "
                    "nodes a target needs, or on ",
                    dcc.Link("Energy", href=get_relative_path("/energy"), **link),
                    ", to see how many nodes could have slept.",
                ],
                className="muted",
            ),
        ],
        className="card empty-runs",
    )


def rename_dialog() -> dmc.Modal:
    """Asks for a new name."""
    body = [
        dmc.TextInput(id=NEW_NAME, label="Name", **{"data-autofocus": True}),
        dmc.Group(dmc.Button("Rename", id=RENAME_NOW), justify="flex-end", mt=14),
    ]
    return dmc.Modal(body, id=RENAME, title="Rename this run", opened=False, centered=True)


def delete_dialog() -> dmc.Modal:
    """Asks whether to delete."""
    body = [
        html.P(id=DELETE_SENTENCE),
        dmc.Group(dmc.Button("Delete", id=DELETE_NOW, color="red"), justify="flex-end", mt=14),
    ]
    return dmc.Modal(body, id=DELETE, title="Delete this run?", opened=False, centered=True)


dash.register_page(
    __name__,
    path="/runs",
    title="Runs · Heliograph",
    label="Runs",
    group="What if",
    order=3,
    layout=layout,
    skeleton=skeleton,
)
run_files.register()


@callback(
    Output(LIST, "children"),
    Output(SENTENCE, "children"),
    Output(POLL, "disabled"),
    Output(SHOWN, "data"),
    Input(POLL, "n_intervals"),
    Input(CHANGED, "data"),
    State(SHOWN, "data"),
)
def show_runs(_ticks: int | None, _changed: Any, shown: list[Any] | None) -> tuple[Any, ...]:
    """The list as the records have it; untouched where nothing has changed."""
    listed = rows()
    now = [[row.id, row.name, row.state, round(row.progress, 2), row.trace_is_there] for row in listed]
    still = not any(row.state in OPEN_STATES for row in listed)
    if now == shown:
        return no_update, no_update, still, no_update
    return (
        html.Div(run_table(listed), className="card") if listed else empty_list(),
        answer(listed),
        still,
        now,
    )


@callback(
    Output(RENAME, "opened"),
    Output(DELETE, "opened"),
    Output(NEW_NAME, "value"),
    Output(DELETE_SENTENCE, "children"),
    Output(ABOUT, "data"),
    Output(CHANGED, "data"),
    Input(action(ALL, ALL), "n_clicks"),
    prevent_initial_call=True,
)
def choose_run(_clicks: list[int | None]) -> tuple[Any, ...]:
    """Open the dialog that a button asks for; cancelling needs none."""
    nothing = (no_update,) * 6
    if not ctx.triggered_id or not ctx.triggered[0]["value"]:
        return nothing
    kind, run_id = ctx.triggered_id["action"], ctx.triggered_id["run"]
    try:
        run = queue.store().get(run_id)
        if kind == "cancel":
            queue.cancel(run_id)
    except RunError:
        return (*nothing[:5], run_id)  # deleted elsewhere: draw the list anew
    if kind == "cancel":
        return (*nothing[:5], [run_id, "cancel"])
    title = run.name or f"{KIND_TITLES[run.kind]} {run.id}"
    sentence = f"“{title}” and its results will be gone, for everyone who has its link."
    return kind == "rename", kind == "delete", run.name, sentence, run_id, no_update


@callback(
    Output(RENAME, "opened", allow_duplicate=True),
    Output(CHANGED, "data", allow_duplicate=True),
    Input(RENAME_NOW, "n_clicks"),
    Input(NEW_NAME, "n_submit"),
    State(NEW_NAME, "value"),
    State(ABOUT, "data"),
    prevent_initial_call=True,
)
def rename_run(_clicks: int | None, _submits: int | None, name: str | None, run_id: str) -> tuple[Any, Any]:
    """Keep the name and close."""
    with contextlib.suppress(RunError):  # deleted elsewhere: the list, drawn anew, shows that
        queue.store().update(run_id, name=(name or "").strip()[:80])
    return False, [run_id, "rename", name]


@callback(
    Output(DELETE, "opened", allow_duplicate=True),
    Output(CHANGED, "data", allow_duplicate=True),
    Input(DELETE_NOW, "n_clicks"),
    State(ABOUT, "data"),
    prevent_initial_call=True,
)
def delete_run(_clicks: int | None, run_id: str) -> tuple[Any, Any]:
    """Delete and close."""
    with contextlib.suppress(RunError):  # deleted elsewhere
        queue.store().delete(run_id)
    return False, [run_id, "delete"]
