"""The result of a scheduling run as a layout, on the scheduling page and at the run's own address."""

import pandas as pd
from dash import Input, dcc, html

from components import replay_settings as settings
from components import replay_summary as summary
from components.cards import result_cards
from components.page_frame import card_grid, facts
from pages import replay_gains
from pages.finished_run import finished_run
from pages.replay_views import VIEWS, is_shown
from pages.run_header import run_header
from pages.run_users import shown_settings
from pages.views import wire
from runs.store import Run

RESULT = "scheduling-result"
for _view in VIEWS:
    wire(_view, Input(RESULT, "data"), finished_run)


def result(run: Run) -> tuple[html.Div, str]:
    """The result of a run, and its sentence."""
    finished = finished_run(run.id)
    jobs = finished.table("jobs")
    return layout(run.id, run_header(run), finished.document, jobs), summary.sentence(finished.document, jobs)


def layout(
    run_id: str | None, header: html.Div | None, document: dict | None, jobs: pd.DataFrame
) -> html.Div:
    """Header, cards, notes and charts; the charts fill themselves from the run's tables."""
    cards = summary.replay_cards(document, jobs) if document else []
    told = summary.notes(document) if document else []
    return html.Div(
        [
            dcc.Store(id=RESULT, data=run_id),
            header,
            result_cards(cards),
            html.Ul([html.Li(note) for note in told], className="result-notes") if told else None,
            _changed(document["scenario"]) if document else None,
            card_grid(*(view.card() for view in VIEWS if document is None or is_shown(view, document))),
            _gains(run_id, document),
        ]
    )


def _gains(run_id: str | None, document: dict | None) -> html.Div:
    """Winners and losers, also against what was recorded where that is known."""
    if document is None:
        return replay_gains.layout(None, [])
    return replay_gains.layout(run_id, summary.policies(document), bool(document.get("baseline")))


def _changed(scenario: dict) -> html.Section:
    """What differs from the trace as it is, in words."""
    told = settings.described(shown_settings(scenario))
    body = facts(told) if told else html.P(settings.nothing_differs(len(scenario["policies"])))
    return html.Section([html.H2("What differs from the trace"), body], className="card changed")


def skeleton() -> html.Div:
    """The same without a run: every id that callbacks name."""
    return layout(None, None, None, pd.DataFrame())
