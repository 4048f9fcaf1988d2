"""What a run looks like until it has a result: its progress, how it ended, its state in a word."""

from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

#: The run on the page (its id, or None), and what a callback fills about it.
RUN, POLL, ANSWER, OUTCOME = "run", "run-poll", "run-answer", "run-outcome"
PROGRESS, BAR, STEP, CANCEL, CANCELLED = "run-progress", "run-bar", "run-step", "run-cancel", "run-cancelled"
AGAIN, AGAIN_LOCATION = "run-again", "run-again-location"
POLL_MS = 600
#: States of a run that somebody still works on.
OPEN_STATES = ("queued", "running")

#: State → (word, Mantine color).
STATES = {
    "queued": ("waiting", "gray"),
    "running": ("running", "blue"),
    "done": ("done", "teal"),
    "failed": ("failed", "red"),
    "cancelled": ("cancelled", "gray"),
    "interrupted": ("interrupted", "red"),
}


def live_run(run_id: str | None, nothing: str = "") -> html.Div:
    """The place of a run: its progress, then its result; ``nothing`` stands there before one starts."""
    waiting, before = html.Div(className="skeleton"), html.Div(nothing, className="empty")
    return html.Div(
        [
            dcc.Store(id=RUN, data=run_id),
            dcc.Interval(id=POLL, interval=POLL_MS, disabled=run_id is None),
            dcc.Location(id=AGAIN_LOCATION, refresh="callback-nav"),
            html.Div(
                [
                    html.Div(
                        [
                            html.Div(id=STEP, className="step", role="status"),
                            dmc.Button("Cancel", id=CANCEL, variant="default", size="compact-sm"),
                        ],
                        className="card-heading",
                    ),
                    dmc.Progress(
                        id=BAR, value=0, size="sm", transitionDuration=300, **{"aria-label": "Progress"}
                    ),
                    html.Div(id=CANCELLED),
                ],
                id=PROGRESS,
                className="card run-progress hidden",
            ),
            html.Div(waiting if run_id else before, id=OUTCOME, className="outcome"),
        ],
        className="live-run",
    )


def state_badge(state: str) -> dmc.Badge:
    """A run's state in one word."""
    word, color = STATES[state]
    return dmc.Badge(word, color=color, variant="light", size="sm", className="state")


def ended_without_result(state: str, reason: str, about: str, settings_link: Any) -> html.Div:
    """How a run ended that has no result, why, and how to start it again."""
    titles = {
        "failed": "This run failed",
        "cancelled": "This run was cancelled",
        "interrupted": "This run was interrupted",
    }
    return html.Div(
        [
            html.H2(titles[state]),
            html.P(reason, className="reason"),
            html.P(about, className="muted"),
            dmc.Group([again_button(), settings_link], gap=10),
        ],
        className=f"card ended {state}",
        role="alert" if state != "cancelled" else "status",
    )


def again_button() -> dmc.Button:
    """Starts a run with the same settings."""
    return dmc.Button("Start again", id=AGAIN, size="xs", variant="light")


def step_sentence(state: str, step: str, progress: float, queued_s: float) -> str:
    """What an open run is doing; a run that nobody takes says what to look at."""
    if state == "queued" and queued_s > 10:
        return "Waiting for a worker. If none is running, start one: heliograph worker"
    if state == "queued":
        return "Waiting for a worker"
    return f"{step or 'Starting'} · {100 * progress:.0f} %"
