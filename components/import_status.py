"""How an import stands: being worked on, checked and ready to publish, published, refused."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.numbers import count, listing

PUBLISH, CANCEL = "import-publish", "import-cancel"
TITLES = {
    "look": "This file cannot be looked at",
    "check": "This cannot be imported",
    "publish": "It was not published",
}


def working(step: str, done: float = 0, can_be_cancelled: bool = True) -> html.Div:
    """What the worker is doing; ``done`` is the share that is behind it, 0 where it is not known."""
    cancel = dmc.Button("Cancel", id=CANCEL, variant="default", size="compact-sm")
    return html.Div(
        [
            html.Div(
                [
                    html.Div(step, className="step", role="status"),
                    *([cancel] if can_be_cancelled else []),
                ],
                className="card-heading",
            ),
            dmc.Progress(
                value=100 * done if done else 100,
                size="sm",
                animated=True,
                striped=not done,
                **{"aria-label": "Working"},
            ),
        ],
        className="card run-progress",
    )


def to_publish(
    trace: str, clusters: Sequence[str], replaced: Sequence[str] = (), rejects: str = "", rejected: int = 0
) -> html.Div:
    """A check that went through: nothing is published yet, one button publishes.

    The jobs of the clusters ``replaced``, which are stored already, would go. ``rejects`` is the address of
    all ``rejected`` rows.
    """
    all_rejected = f"all {count(rejected)} rejected rows (CSV)" if rejected > 1 else "the rejected row (CSV)"
    link = html.A(all_rejected, href=rejects, className="link", download="")
    brings = f"Publishing brings {listing(list(clusters))} into trace {trace}"
    loses = f" and replaces what is stored there of {listing(list(replaced))}" if replaced else ""
    return html.Div(
        [
            html.Div(
                [
                    html.H2("Checked; nothing is published yet"),
                    html.Div([f"{brings}{loses}.", *([" ", link] if rejected else [])], className="muted"),
                ]
            ),
            dmc.Button("Publish", id=PUBLISH, className="start"),
        ],
        className="card import-verdict",
    )


def published(trace: str, overview: str, traces: str, rejects: Mapping[str, str]) -> html.Div:
    """A publication: where to look at it, and what could not be used."""
    downloads: list[Any] = []
    for cluster, href in rejects.items():
        link = html.A(f"rejected rows of {cluster} (CSV)", href=href, className="link", download="")
        downloads += [" · ", link]
    return html.Div(
        [
            html.Div(
                [
                    html.H2(f"{trace} is published"),
                    html.Div(
                        [dcc.Link("All traces and their reports", href=traces, className="link"), *downloads],
                        className="muted",
                    ),
                ]
            ),
            dcc.Link("Open the Overview", href=overview, className="primary-link"),
        ],
        className="card import-verdict done",
        role="status",
    )


def failed(step: str, sentence: str) -> html.Div:
    """Why it did not work; nothing has changed."""
    return html.Div(
        [
            html.H2(TITLES[step]),
            html.P(sentence, className="reason"),
            html.P("Nothing was changed.", className="muted"),
        ],
        className="card ended failed",
        role="alert",
    )
