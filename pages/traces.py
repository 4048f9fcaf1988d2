"""What is imported, and can it be trusted?"""

from typing import Any

import dash
import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, callback, ctx, dcc, get_relative_path, html, no_update

import settings
from components.filters import Filters
from components.notices import import_link, notice, welcome
from components.numbers import day, duration, listing, minute, plural
from components.page_frame import page_frame
from components.trace_card import ClusterTimes, trace_card
from pages.import_routes import rejects_file, rejects_path
from pages.scope import local, naive_utc
from traces import TraceError
from traces.catalog import Catalog

QUESTION = "What is imported, and can it be trusted?"
LIST, ABOUT = "traces-list", "traces-about"
RENAME, NEW_NAME, RENAME_NOW, RENAME_ERROR = "rename", "rename-name", "rename-now", "rename-error"
DELETE, DELETE_SENTENCE, DELETE_NOW, DELETE_ERROR = "delete", "delete-sentence", "delete-now", "delete-error"


def catalog() -> Catalog:
    """The stored traces."""
    return Catalog(settings.current().data)


def layout(**_: object) -> html.Div:
    """The page; it takes no filters."""
    manifests = catalog().manifests()
    return page_frame(
        QUESTION,
        html.Div(import_link("Import a file"), className="page-actions"),
        html.Div(cards(manifests), id=LIST, className="stack"),
        dcc.Store(id=ABOUT),
        rename_dialog(),
        delete_dialog(),
        answer=answer(manifests),
        generated=any(manifest["generated"] for manifest in manifests),
    )


dash.register_page(
    __name__,
    path="/traces",
    title="Traces · Heliograph",
    label="Traces",
    group="Data",
    order=1,
    layout=layout,
)


def answer(manifests: list[dict[str, Any]]) -> str:
    """One sentence: how much is stored, and how many rows no import could use."""
    reports = [cluster["report"] for manifest in manifests for cluster in manifest["clusters"].values()]
    kept, rejected = (
        sum(report["rows_kept"] or 0 for report in reports),
        sum(sum((report["rows_rejected"] or {}).values()) for report in reports),
    )
    if not manifests:
        return ""
    names, more = [manifest["trace"] for manifest in manifests[:4]], len(manifests) - 4
    unused = "every row that was read could be used"
    if rejected:
        unused = f"{plural(rejected, 'row')} could not be used, each for a stated reason"
    return f"{plural(kept, 'row')} in {listing([*names, *([f'{more} more'] if more > 0 else [])])}; {unused}."


def cards(manifests: list[dict[str, Any]]) -> list[Any]:
    """A card per trace, or how to bring one in."""
    if not manifests:
        return [welcome()]
    return [
        trace_card(manifest, times(manifest), href(manifest["trace"]), rejects(manifest))
        for manifest in manifests
    ]


def rejects(manifest: dict[str, Any]) -> dict[str, str]:
    """Where the rejected rows of each cluster are that has any."""
    trace = manifest["trace"]
    return {name: rejects_path(trace, name) for name in manifest["clusters"] if rejects_file(trace, name)}


def times(manifest: dict[str, Any]) -> dict[str, ClusterTimes]:
    """Span, latest instant and gaps of each cluster, in the trace's time zone."""
    return {name: _times(each["report"], manifest["timezone"]) for name, each in manifest["clusters"].items()}


def href(trace: str) -> str:
    """The overview of a trace."""
    return get_relative_path("/") + Filters(trace=trace).query_string()


def rename_dialog() -> dmc.Modal:
    """Asks for the new name."""
    return dmc.Modal(
        [
            dmc.TextInput(id=NEW_NAME, label="New name", debounce=False),
            html.Div(id=RENAME_ERROR),
            dmc.Button("Rename", id=RENAME_NOW, mt=12),
        ],
        id=RENAME,
        title="Rename a trace",
        centered=True,
    )


def delete_dialog() -> dmc.Modal:
    """Asks whether the trace may really go."""
    return dmc.Modal(
        [
            html.P(id=DELETE_SENTENCE),
            html.Div(id=DELETE_ERROR),
            dmc.Button("Delete it", id=DELETE_NOW, color="red", mt=12),
        ],
        id=DELETE,
        title="Delete a trace",
        centered=True,
    )


@callback(
    Output(ABOUT, "data"),
    Output(RENAME, "opened"),
    Output(NEW_NAME, "value"),
    Output(DELETE, "opened"),
    Output(DELETE_SENTENCE, "children"),
    Output(RENAME_ERROR, "children"),
    Output(DELETE_ERROR, "children"),
    Input({"type": "trace-rename", "trace": ALL}, "n_clicks"),
    Input({"type": "trace-delete", "trace": ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def ask_first(_renames: list[int], _deletes: list[int]) -> tuple[Any, ...]:
    if not ctx.triggered_id or not ctx.triggered[0]["value"]:
        return (no_update,) * 7  # the buttons have just been drawn
    trace, renames = ctx.triggered_id["trace"], ctx.triggered_id["type"] == "trace-rename"
    sentence = (
        f"“{trace}” and everything that was imported into it will be gone. Runs that used it stay readable."
    )
    return trace, renames, trace, not renames, sentence, None, None


@callback(
    Output(LIST, "children", allow_duplicate=True),
    Output(RENAME, "opened", allow_duplicate=True),
    Output(RENAME_ERROR, "children", allow_duplicate=True),
    Input(RENAME_NOW, "n_clicks"),
    State(ABOUT, "data"),
    State(NEW_NAME, "value"),
    prevent_initial_call=True,
)
def rename(_clicks: int, trace: str, name: str) -> tuple[Any, ...]:
    try:
        catalog().rename(trace, (name or "").strip())
    except TraceError as error:
        return no_update, no_update, notice(str(error))
    return cards(catalog().manifests()), False, None


@callback(
    Output(LIST, "children", allow_duplicate=True),
    Output(DELETE, "opened", allow_duplicate=True),
    Output(DELETE_ERROR, "children", allow_duplicate=True),
    Input(DELETE_NOW, "n_clicks"),
    State(ABOUT, "data"),
    prevent_initial_call=True,
)
def delete(_clicks: int, trace: str) -> tuple[Any, ...]:
    try:
        catalog().delete(trace)
    except TraceError as error:
        return no_update, no_update, notice(str(error))
    return cards(catalog().manifests()), False, None


def _times(report: dict[str, Any], timezone: str) -> ClusterTimes:
    if not report.get("first_submit"):
        return ClusterTimes("no jobs")
    first, last = (local(naive_utc(report[key]), timezone) for key in ("first_submit", "last_submit"))
    found = report.get("gaps") or {"count": 0, "longest": []}
    gaps = [_gap(gap, timezone) for gap in found["longest"]]
    return ClusterTimes(f"{day(first)} – {day(last)}", f"{minute(last)} {timezone}", gaps, found["count"])


def _gap(gap: dict[str, Any], timezone: str) -> str:
    first, last = (minute(local(naive_utc(gap[key]), timezone)) for key in ("from", "to"))
    return f"{first} – {last} ({duration(gap['duration_s'])})"
