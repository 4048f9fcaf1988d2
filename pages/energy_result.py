"""The result of an energy run as a layout: the same on the energy page and at the run's own address."""

import pandas as pd
from dash import Input, dcc, html

from components import energy_summary as summary
from components.backtest_table import backtest_table
from components.cards import result_cards
from components.figures import energy as figures
from components.numbers import duration
from components.page_frame import card_grid
from components.tables import Column
from pages.energy_views import DECISION, FRONTIER, LATE, MARKS, PARTS, shown
from pages.finished_run import FinishedRun, finished_run
from pages.run_header import run_header
from pages.views import View, wire
from runs.store import Run

RESULT = "energy-result"


def slots(run: FinishedRun) -> pd.DataFrame:
    """The window's slots."""
    return run.table("slots")


def demand_note(run: FinishedRun) -> str:
    """What the chart shows of which cluster, and how the forecast in it was made."""
    scenario = run.document["scenario"]
    ahead = duration(scenario["shown_horizon_s"])
    return (
        f"{scenario['cluster']}, {run.window_text()}, slots of 10 minutes. The forecast of a slot was made "
        f"{ahead} before its end from earlier slots alone; right of the dotted line it looks 24 h beyond the "
        "window. Grey strips: missing slots; outlined: marked and kept."
    )


NODES = View[FinishedRun](
    name="energy-nodes",
    title="Nodes in use, awake and present",
    method=(
        "In use is the most nodes that were in use at once in a slot of 10 minutes; awake is what the "
        "controller kept ready, present what there was. The band holds 80 % of the outcomes the forecast "
        "expects. Lacking: nodes that a slot needed and that were not awake when it began."
    ),
    rows=slots,
    figure=lambda rows, run: figures.node_demand(rows, run.table("outlook"), run.timezone),
    columns=(
        Column("missing", "Missing because"),
        Column("local_time", "Time", "time"),
        Column("used", "In use", "count"),
        Column("awake", "Awake", "count"),
        Column("asleep", "Asleep", "count"),
        Column("total", "Present", "count"),
        Column("lack", "Lacking", "count"),
        Column("forecast_mean", "Forecast", "count"),
        Column("forecast_low", "80 % low", "count"),
        Column("forecast_high", "80 % high", "count"),
    ),
    note=lambda rows, run: demand_note(run),
    height=figures.HEIGHT_PX,
    span="full",
)
BACKTEST = View[FinishedRun](
    name="energy-backtest",
    title="How good was the forecast?",
    method=(
        "Every slot of the window is an origin: the run's model and the naive ones forecast from the slots "
        "before it and are held against what came, each horizon apart."
    ),
    rows=lambda run: run.table("backtest"),
    table=lambda rows, run: backtest_table(
        rows, run.document["forecast"]["model"], run.document["forecast"].get("chosen")
    ),
    columns=(),
    note=lambda rows, run: backtest_note(rows, run),
    span="full",
)
VIEWS = (NODES, FRONTIER, LATE, BACKTEST, DECISION, PARTS, MARKS)
for _view in VIEWS:
    wire(_view, Input(RESULT, "data"), finished_run)


def backtest_note(rows: pd.DataFrame, run: FinishedRun) -> str:
    """How the backtest was made, and what it says."""
    how = (
        "One forecast from every slot of the window, from the slots before it. sMAPE from 0 to 200 %; skill "
        "is the error saved against the last value. In parentheses: what so few days leave open of a "
        "coverage, by which to judge 24 h."
    )
    made = run.document["forecast"]
    return f"{how} {summary.verdict(rows.to_dict('records'), made['model'], made.get('chosen'))}"


def result(run: Run) -> tuple[html.Div, str]:
    """The result of a run, and its sentence."""
    document = finished_run(run.id).document
    return layout(run.id, run_header(run), document), summary.sentence(document)


def layout(run_id: str | None, header: html.Div | None, document: dict | None) -> html.Div:
    """Header, cards, notes and charts; the charts fill themselves from the run's tables."""
    cards = summary.energy_cards(document) if document else []
    told = summary.notes(document) if document else []
    return html.Div(
        [
            dcc.Store(id=RESULT, data=run_id),
            header,
            result_cards(cards),
            html.Ul([html.Li(note) for note in told], className="result-notes") if told else None,
            card_grid(*(view.card() for view in VIEWS if document is None or shown(view, document))),
        ]
    )


def skeleton() -> html.Div:
    """The same without a run: every id that callbacks name."""
    return layout(None, None, None)
