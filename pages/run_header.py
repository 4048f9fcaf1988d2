"""The strip above a run's result: its name, its link, its tables, and what became of its trace."""

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, callback, clientside_callback, dcc, html, no_update

from components.notices import notice
from components.numbers import duration
from components.run_table import scenario_sentence
from pages.run_links import csv_links, run_path, settings_link
from pages.run_users import shown_settings
from queries import manifests
from runs import RunError, queue
from runs.store import Run

NAME, RENAME, COPY, PATH = "result-name", "result-rename", "result-copy", "result-path"
OF_RUN = "result-run"


def run_header(run: Run) -> html.Div:
    """Name and address of a finished run, and links to its numbers and to its settings."""
    links = [settings_link(run, "Change its settings"), csv_links(run), _took(run)]
    return html.Div(
        [
            *_strip(run.id, run.name, run_path(run.id)),
            html.Div(about(run), className="muted run-about"),
            html.Div(links, className="run-strip muted"),
            *trace_notices(run),
        ],
        className="run-header",
    )


def about(run: Run) -> str:
    """The run's settings in one line."""
    return scenario_sentence(run.kind, shown_settings(run.scenario))


def header_skeleton() -> html.Div:
    """The strip of no run: every id that callbacks name."""
    return html.Div(_strip("", "", ""))


def _strip(run_id: str, name: str, path: str) -> list[Any]:
    return [
        dcc.Store(id=OF_RUN, data=run_id),
        dcc.Store(id=PATH, data=path),
        html.Div(
            [
                dmc.TextInput(
                    id=NAME,
                    value=name,
                    placeholder="Name this run",
                    size="xs",
                    className="run-name",
                    debounce=True,
                    **{"aria-label": "Name of this run"},
                ),
                html.Span(id=RENAME, className="muted", role="status"),
                dcc.Link(path, href=path, className="link run-path"),
                dmc.Button("Copy link", id=COPY, variant="default", size="compact-xs", radius="xl"),
            ],
            className="run-strip",
        ),
    ]


def trace_notices(run: Run) -> list[Any]:
    """Whether the run's trace is gone, or is another one by now."""
    trace = run.scenario["trace"]
    if trace not in manifests.names():
        return [
            notice(f"Trace “{trace}” is gone. These are the results that the run stored while it was there.")
        ]
    version = _version_of(run)
    if version is not None and manifests.manifest(trace)["version"] != version:
        return [
            html.Div(
                f"Trace “{trace}” was imported again since this run; a new run may differ.",
                className="banner",
            )
        ]
    return []


def _version_of(run: Run) -> int | None:
    try:
        return queue.store().result(run.id)["scenario"].get("trace_version")
    except RunError:
        return None


def _took(run: Run) -> html.Span:
    if run.started is None or run.finished is None:
        return html.Span()
    return html.Span(f"took {duration(run.finished - run.started)}")


@callback(Output(RENAME, "children"), Input(NAME, "value"), State(OF_RUN, "data"), prevent_initial_call=True)
def rename_run(name: str | None, run_id: str) -> Any:
    """Keep a new name; the same one is nothing to tell."""
    try:
        if queue.store().get(run_id).name == (name or "").strip()[:80]:
            return no_update
        queue.store().update(run_id, name=(name or "").strip()[:80])
    except RunError as error:
        return str(error)
    return "Saved"


clientside_callback(
    ClientsideFunction("whatIf", "copyRunLink"),
    Output(COPY, "children"),
    Input(COPY, "n_clicks"),
    State(PATH, "data"),
    State(COPY, "id"),
    prevent_initial_call=True,
)
