"""A run on a page: its progress while it is open, then its result or how it ended. Shared by three pages."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from dash import Input, Output, State, callback, ctx, get_relative_path, html, no_update
from dash.development.base_component import Component

from components.notices import empty
from components.run_status import (
    AGAIN,
    AGAIN_LOCATION,
    ANSWER,
    BAR,
    CANCEL,
    CANCELLED,
    OUTCOME,
    POLL,
    PROGRESS,
    RUN,
    STEP,
    ended_without_result,
    step_sentence,
)
from pages import energy_result, plan_result, replay_result, sweep_result
from pages.run_header import about, header_skeleton
from pages.run_links import settings_link
from runs import RunError, queue
from runs.store import OPEN_STATES, Run

#: Kind of run → its result as a layout, and its sentence.
RESULTS: dict[str, Callable[[Run], tuple[Component, str]]] = {
    "scheduling": replay_result.result,
    "sweep": sweep_result.result,
    "plan": plan_result.result,
    "energy": energy_result.result,
}
CANCELLING = "Cancelling"


def run_of(query: Mapping[str, Any], kind: str) -> str | None:
    """The run that a form's address names, if it is (still) there and of the form's kind."""
    try:
        run = queue.store().get(str(query["run"]))
    except (KeyError, RunError):
        return None
    return run.id if run.kind == kind else None


def outcome(run: Run) -> tuple[Component, str]:
    """What stands in the place of an ended run, and the sentence under the page's question."""
    if run.state == "done":
        return RESULTS[run.kind](run)
    reason = run.error or "It was stopped before it had a result."
    return (
        ended_without_result(run.state, reason, about(run), settings_link(run, "Change its settings")),
        "",
    )


@callback(
    Output(PROGRESS, "className"),
    Output(BAR, "value"),
    Output(STEP, "children"),
    Output(OUTCOME, "children"),
    Output(ANSWER, "children"),
    Output(POLL, "disabled"),
    Input(POLL, "n_intervals"),
    Input(RUN, "data"),
)
def show_run(_ticks: int | None, run_id: str | None) -> tuple[Any, ...]:
    """Follow the run's record until it has ended; then stop asking."""
    hidden, shown = "card run-progress hidden", "card run-progress"
    if run_id is None:
        return hidden, 0, "", no_update, no_update, True
    try:
        run = queue.store().get(run_id)
        if run.state not in OPEN_STATES:
            return hidden, 100, "", *outcome(run), True
    except RunError as error:
        return hidden, 0, "", empty(str(error)), "", True
    cancelling = queue.store().cancel_requested(run_id)
    step = (
        CANCELLING
        if cancelling
        else step_sentence(run.state, run.step, run.progress, time.time() - run.created)
    )
    says = [step, html.Div(about(run), className="muted")]
    before = (None, "") if ctx.triggered_id != POLL else (no_update, no_update)  # of another run
    return shown, 100 * run.progress, says, *before, False


@callback(
    Output(CANCELLED, "children"), Input(CANCEL, "n_clicks"), State(RUN, "data"), prevent_initial_call=True
)
def cancel_run(_clicks: int, run_id: str | None) -> Any:
    """Ask the worker to stop; the record then says that it has."""
    if run_id:
        try:
            queue.cancel(run_id)
        except RunError as error:
            return empty(str(error))
    return html.Span()


@callback(
    Output(AGAIN_LOCATION, "href"), Input(AGAIN, "n_clicks"), State(RUN, "data"), prevent_initial_call=True
)
def start_again(clicks: int | None, run_id: str) -> Any:
    """Start a run with the same settings and open it."""
    if not clicks:
        return no_update
    run = queue.store().get(run_id)
    return get_relative_path(f"/runs/{queue.start(run.settings(), run.name).id}")


def skeleton() -> html.Div:
    """The place of a run with everything that may stand in it: every id that callbacks name."""
    ended = ended_without_result("failed", "", "", None)
    results = (replay_result, sweep_result, plan_result, energy_result)
    return html.Div([header_skeleton(), ended, *(each.skeleton() for each in results)])
