"""What is in this file, and what becomes of it as a trace?"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import dash
from dash import ALL, Input, Output, State, callback, dcc, get_relative_path, html, no_update

import settings
from components import import_form as form
from components.file_picker import OfferedFile, drop_zone, folder_list, upload_ids
from components.import_preview import import_preview
from components.import_status import CANCEL, PUBLISH, failed, to_publish, working
from components.notices import notice
from components.numbers import plural
from components.page_frame import card_grid, page_frame
from pages import import_routes
from pages.import_progress import answer, in_work, outcome
from pages.import_routes import upload_path
from pages.import_scenario import form_facts, scenario_of, uses
from runs import RunError, import_fields, import_files, importing
from runs.import_fields import MAPS
from runs.store import OPEN_STATES, Run

QUESTION = "What is in this file, and what becomes of it as a trace?"
PICK = "Which file is to be imported?"
FILE, LOCATION, POLL = "import-source", "import-location", "import-poll"
LOOK, WORK, SHOWN = "import-look", "import-work", "import-shown"
FORM, PREVIEW, OUTCOME, ANSWER = "import-form-place", "import-preview", "import-outcome", "import-answer"
POLL_MS = 500
UPLOAD = "import-file"
#: Fields whose control shows its own error, by its id; the others have a place of their own.
CONTROLS = {
    "format": form.FORMAT,
    "trace": form.TRACE,
    "cluster": form.CLUSTER,
    "timezone": form.TIMEZONE,
    "file_timezone": form.FILE_TIMEZONE,
    "vc_field": form.VC_FIELD,
    "capacity": form.CAPACITY,
    "gpus_per_node": form.GPUS_PER_NODE,
}
PLACES = {
    "map": form.MAP_ERROR,
    "adds": form.OUTCOME_ERROR,
    "pseudonymize": form.PSEUDONYMIZE_ERROR,
    "": form.CHECK_ERROR,
}


def layout(file: Any = None, **_: Any) -> html.Div:
    """Without a file, the choice of one; with one, its form, its preview and what comes of it."""
    if file is None:
        return picker()
    try:
        path = import_files.resolved(str(file))
        look = importing.look(str(file))
    except RunError as error:
        return picker(str(error))
    return workplace(str(file), path.name, look.id)


def skeleton() -> html.Div:
    """Both states of the page, with every id that callbacks name."""
    return html.Div(
        [
            picker(),
            workplace("", "", None),
            form.import_form(form.FormFacts(maps=MAPS), ()),
            working(""),
            to_publish("", ()),
        ]
    )


def picker(mistake: str = "") -> html.Div:
    """Where the file comes from."""
    upload = html.Section(
        [
            html.H2("Upload it"),
            html.P(
                f"It is kept for {plural(settings.current().upload_kept_h, 'hour')}, then removed.",
                className="note",
            ),
            drop_zone(UPLOAD, upload_path(), settings.current().upload_mb),
        ],
        className="card",
    )
    folder = html.Section(
        [
            html.H2("Or take it from the import folder"),
            html.P("For files too large for a browser, and folders of daily files.", className="note"),
            folder_list(offered(), "HELIOGRAPH_IMPORT_FOLDER"),
        ],
        className="card",
    )
    return page_frame(
        PICK,
        notice(mistake) if mistake else None,
        card_grid(upload, folder),
        dcc.Location(id=LOCATION, refresh="callback-nav"),
        answer="Nothing is published before you have seen what a check says about it.",
    )


def workplace(source: str, name: str, look_id: str | None) -> html.Div:
    """One file: the form on the left, preview and report on the right."""
    return page_frame(
        QUESTION,
        dcc.Store(id=FILE, data=source),
        dcc.Store(id=LOOK, data=look_id),
        dcc.Store(id=WORK),
        dcc.Store(id=SHOWN),
        dcc.Interval(id=POLL, interval=POLL_MS, disabled=look_id is None),
        html.Div(
            [
                html.Div(html.Div(html.Div(className="skeleton"), className="card"), id=FORM),
                html.Div(
                    [html.Div(id=OUTCOME), html.Div(html.Div(className="skeleton"), id=PREVIEW)],
                    className="stack",
                ),
            ],
            className="what-if importing",
        ),
        answer_id=ANSWER,
        answer=f"Looking at {name}.",
    )


def offered() -> list[OfferedFile]:
    """The files of the import folder with their addresses."""
    return [
        OfferedFile(
            each.path,
            each.bytes,
            datetime.fromtimestamp(each.modified, UTC).strftime("%-d %b %Y"),
            file_path(each.source),
        )
        for each in import_files.offered()
    ]


def file_path(source: str) -> str:
    """The page about a file."""
    return f"{get_relative_path('/traces/import')}?file={quote(source, safe='')}"


dash.register_page(
    __name__,
    path="/traces/import",
    title="Import · Heliograph",
    layout=layout,
    skeleton=skeleton,
)
import_routes.register()


@callback(
    Output(LOCATION, "href"),
    Output(upload_ids(UPLOAD)["error"], "children", allow_duplicate=True),
    Input(upload_ids(UPLOAD)["uploaded"], "data"),
    prevent_initial_call=True,
)
def open_upload(upload: Mapping[str, str] | None) -> tuple[Any, Any]:
    """Go on with the file that has arrived."""
    if not upload:
        return no_update, no_update
    return file_path(upload["source"]), ""


@callback(
    Output(FORM, "children"),
    Output(PREVIEW, "children"),
    Output(OUTCOME, "children"),
    Output(ANSWER, "children"),
    Output(SHOWN, "data"),
    Output(POLL, "disabled"),
    Input(POLL, "n_intervals"),
    Input(WORK, "data"),
    State(LOOK, "data"),
    State(SHOWN, "data"),
)
def follow(_ticks: int | None, work_id: str | None, look_id: str | None, shown: Any) -> tuple[Any, ...]:
    """Show the look when it is done, then what the worker does and has done."""
    if look_id is None:
        return (no_update,) * 5 + (True,)
    try:
        look = importing.store().get(look_id)
        work = importing.store().get(work_id) if work_id else None
        now = [look.state, work and [work.id, work.state]]
        still = all(run is None or run.state not in OPEN_STATES for run in (look, work))
        if now == shown:
            busy = in_work(work) if work and not still else no_update
            return no_update, no_update, busy, no_update, no_update, still
        new_look = shown is None or shown[0] != look.state
        looked = _looked(look) if new_look else (no_update, no_update)
        place = _placed(work) if work else no_update
        return *looked, place, answer(look, work), now, still
    except RunError as error:
        return no_update, no_update, notice(str(error)), no_update, no_update, True


def _looked(look: Run) -> tuple[Any, Any]:
    """The form and the preview of a file, as far as its look has come."""
    if look.state in OPEN_STATES:
        return no_update, in_work(look, can_be_cancelled=False)
    if look.state != "done":
        return None, failed("look", look.error or "It was stopped.")
    preview = importing.store().result(look.id)["preview"]
    about = {name: each.about for name, each in importing.FORMATS.items()}
    name = import_files.resolved(look.scenario["source"]).name
    filled = form.import_form(form_facts(preview), uses(preview["format"]))
    return filled, import_preview(preview, name, about)


def _placed(work: Run) -> Any:
    return in_work(work) if work.state in OPEN_STATES else outcome(work)


@callback(
    Output(form.field_id(ALL), "className"),
    Output(form.OUTCOME, "value"),
    Output(form.TRACE, "value"),
    Input(form.FORMAT, "value"),
    State(form.field_id(ALL), "id"),
    State(form.TRACE, "value"),
    prevent_initial_call=True,
)
def show_fields(format_name: str | None, places: list[dict[str, str]], trace: str | None) -> tuple[Any, ...]:
    """Only the fields that the format uses, with its usual values."""
    shown = uses(format_name)
    classes = [form.field_class(place["field"] in shown) for place in places]
    chosen = importing.FORMATS.get(format_name or "")
    return classes, form.usual_outcome(format_name), trace or (chosen and chosen.trace) or ""


@callback(
    Output(form.CAPACITY, "data"),
    Output(form.CAPACITY, "value"),
    Input(upload_ids(form.CAPACITY_UPLOAD)["uploaded"], "data"),
    State(form.CAPACITY, "data"),
    prevent_initial_call=True,
)
def take_capacity(upload: Mapping[str, str] | None, options: list[dict[str, str]]) -> tuple[Any, Any]:
    """Choose the capacity file that has arrived."""
    if not upload:
        return no_update, no_update
    return [*options, {"value": upload["source"], "label": upload["name"]}], upload["source"]


@callback(
    Output(WORK, "data"),
    Output(POLL, "disabled", allow_duplicate=True),
    *(Output(control, "error") for control in CONTROLS.values()),
    *(Output(place, "children") for place in PLACES.values()),
    Input(form.CHECK, "n_clicks"),
    State(FILE, "data"),
    State(LOOK, "data"),
    State(form.OUTCOME, "value"),
    State(form.PSEUDONYMIZE, "checked"),
    State(form.PROCESSORS, "checked"),
    State(form.IDS_FOLLOW, "checked"),
    State(form.column_id(ALL), "value"),
    State(form.column_id(ALL), "id"),
    *(State(control, "value") for control in CONTROLS.values()),
    prevent_initial_call=True,
)
def check(
    clicks: int | None,
    source: str,
    look_id: str,
    outcome: str,
    pseudonymize: bool,
    processors: bool,
    ids_follow: bool,
    columns: list[str | None],
    column_ids: list[dict[str, str]],
    *values: Any,
) -> tuple[Any, ...]:
    """Start a check of what the form says, or show what is wrong with it beside each control."""
    if not clicks:
        return no_update, no_update, *_beside({})
    said = dict(zip(CONTROLS, values, strict=True))
    said |= {"outcome": outcome, "pseudonymize": pseudonymize, "processors_are_gpus": processors}
    said |= {"ids_follow_submission": ids_follow}
    chosen = {each["column"]: name for each, name in zip(column_ids, columns, strict=True) if name}
    try:
        seen = importing.store().get(look_id).scenario["seen"]
        scenario = scenario_of(source, seen, said, chosen)
        mistakes = import_fields.refusals(scenario)
        if not mistakes:
            return importing.start(scenario).id, False, *_beside({})
    except RunError as error:
        mistakes = {"": str(error)}
    return no_update, no_update, *_beside(mistakes)


@callback(
    *(Output(control, "error", allow_duplicate=True) for control in CONTROLS.values()),
    *(Output(place, "children", allow_duplicate=True) for place in PLACES.values()),
    Input(SHOWN, "data"),
    State(WORK, "data"),
    prevent_initial_call=True,
)
def place_mistake(_shown: Any, work_id: str | None) -> tuple[str, ...]:
    """What the worker found wrong, beside the control where it can be put right."""
    work = importing.store().get(work_id) if work_id else None
    if work is None or work.state != "failed":
        return _beside({})
    field, sentence = import_fields.placed(work.error)
    return _beside({field: sentence} if field else {})


def _beside(mistakes: Mapping[str, str]) -> tuple[str, ...]:
    """The sentences in the order of the controls and then of the places, empty where nothing is wrong."""
    return tuple(mistakes.get(name, "") for name in (*CONTROLS, *PLACES))


@callback(
    Output(WORK, "data", allow_duplicate=True),
    Output(POLL, "disabled", allow_duplicate=True),
    Input(PUBLISH, "n_clicks"),
    State(WORK, "data"),
    prevent_initial_call=True,
)
def publish(clicks: int | None, work_id: str) -> tuple[Any, Any]:
    """Import exactly what was checked."""
    if not clicks:
        return no_update, no_update
    checked = importing.store().get(work_id).settings()
    return importing.start(importing.published(checked)).id, False


@callback(
    Output(CANCEL, "disabled"), Input(CANCEL, "n_clicks"), State(WORK, "data"), prevent_initial_call=True
)
def cancel(clicks: int | None, work_id: str | None) -> Any:
    """Stop the worker; the record then says that it has."""
    if not clicks or not work_id:
        return no_update
    importing.cancel(work_id)
    return True
