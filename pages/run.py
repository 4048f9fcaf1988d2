"""One run at its own address: its settings, its state while it is worked on, its result ever after."""

from typing import Any

import dash
from dash import html

from components.notices import way_back
from components.page_frame import page_frame
from components.run_status import ANSWER, live_run
from components.run_table import KIND_TITLES
from pages.live_run import skeleton as run_skeleton
from queries import manifests
from runs import RunError, queue
from runs.store import Run


def layout(run_id: str | None = None, **_: Any) -> html.Div:
    """The run of this id, or the page that says that there is none."""
    try:
        run = queue.store().get(run_id or "")
    except RunError as error:
        return way_back("There is no such run", f"{error} The list of runs has those that are stored.")
    return page_frame(
        title(run),
        live_run(run.id),
        answer_id=ANSWER,
        generated=_generated(run),
    )


def title(run: Run) -> str:
    """The run's name, else what it is about."""
    return run.name or f"{KIND_TITLES[run.kind]} of {run.scenario['trace']}"


def trace_of(run_id: str) -> str | None:
    """The trace that a stored run is about; None where there is no such run."""
    return str(queue.store().get(run_id).scenario["trace"]) if exists(run_id) else None


def exists(run_id: str | None = None, **_: Any) -> bool:
    """Whether a run of this id is stored; the server answers 404 otherwise."""
    try:
        queue.store().get(run_id or "")
    except RunError:
        return False
    return True


def _generated(run: Run) -> bool:
    trace = run.scenario["trace"]
    return trace in manifests.names() and bool(manifests.manifest(trace)["generated"])


dash.register_page(
    __name__,
    path_template="/runs/<run_id>",
    title=lambda run_id="": f"Run {run_id} · Heliograph",
    layout=layout,
    skeleton=run_skeleton,
    exists=exists,
    trace_of=trace_of,
)
