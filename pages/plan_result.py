"""The result of a plan as a layout: the answer, the curve with the target, the nodes of each VC."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from dash import Input, dcc, html

from components import plan_summary as summary
from components.cards import result_cards
from components.figures import plan as figures
from components.numbers import duration, plural, uncapitalized
from components.page_frame import card_grid
from components.plan_form import MEASURES
from components.tables import data_table
from pages.finished_run import FinishedRun, finished_run
from pages.run_header import run_header
from pages.views import View, wire
from runs.store import Run

RESULT = "plan-result"
VC_COLUMNS = summary.VC_COLUMNS


def curve(run: FinishedRun) -> pd.DataFrame:
    """What was replayed, the smallest size first."""
    return summary.curve_rows(run.table("curve"), run.document)


def _curve_figure(rows: pd.DataFrame, run: FinishedRun):
    plan = run.document
    x_title = "nodes" if summary.by_nodes(plan) else "load"
    return figures.curve(rows, plan, summary.key(plan), x_title, uncapitalized(MEASURES[plan["measure"]]))


def _curve_note(rows: pd.DataFrame, run: FinishedRun) -> str:
    plan = run.document
    unknown = int(rows["value"].isna().sum())
    left_out = f" Left out: {plural(unknown, 'size')} at which no job ran." if unknown else ""
    rejected = int((rows["rejected_jobs"] > rows["rejected_jobs"].min()).sum())
    more = (
        f" At {plural(rejected, 'size')} jobs are rejected that more nodes run, which misses the target."
        if rejected
        else ""
    )
    where = f"{plan['scenario']['clusters'][0]}, GPU jobs submitted {run.window_text()}"
    return f"{where}. Filled: meets the target; delays below {duration(1)} at the lower edge.{left_out}{more}"


def has_vcs(plan: summary.Plan) -> bool:
    """Whether the answer is nodes, which virtual clusters share."""
    return summary.by_nodes(plan) and plan["found"] is not None


CURVE = View[FinishedRun](
    name="plan-curve",
    title="At which size is the target met?",
    method=(
        "Every point is a whole replay of the window's jobs with that many nodes, or at that load. The "
        "plan is the least room from which on every size that was replayed meets the target."
    ),
    rows=curve,
    figure=_curve_figure,
    columns=summary.CURVE_COLUMNS,
    note=_curve_note,
    height=360,
    span="full",
)
NODES = View[FinishedRun](
    name="plan-vcs",
    title="Nodes by virtual cluster",
    method=(
        "Nodes of the plan beside those of today; what does not divide evenly goes to the largest remainders."
    ),
    rows=lambda run: summary.vc_rows(run.document),
    table=lambda rows, run: data_table(rows, VC_COLUMNS),
    columns=VC_COLUMNS,
    note=lambda rows, run: "Nodes are shared in proportion to what each virtual cluster has today.",
)
ASKED = View[FinishedRun](
    name="plan-asked",
    title="Every size that was replayed",
    method=(
        "The search doubles its steps until the answer lies between two sizes, halves the rest, and "
        "then replays three sizes on either side of the answer."
    ),
    rows=curve,
    table=lambda rows, run: data_table(rows, summary.CURVE_COLUMNS),
    columns=summary.CURVE_COLUMNS,
    note=lambda rows, run: "Those of the search, and some between them.",
)
VIEWS = (CURVE, NODES, ASKED)
for _view in VIEWS:
    wire(_view, Input(RESULT, "data"), finished_run)


def result(run: Run) -> tuple[html.Div, str]:
    """The result of a plan, and its sentence."""
    plan = finished_run(run.id).document
    views = VIEWS if has_vcs(plan) else (CURVE, replace(ASKED, span="full"))
    return layout(run.id, run_header(run), summary.cards(plan), views), summary.sentence(plan)


def layout(
    run_id: str | None, header: html.Div | None, cards: list[html.Div], views: Sequence[View[FinishedRun]]
) -> html.Div:
    """Header, cards, charts."""
    return html.Div(
        [
            dcc.Store(id=RESULT, data=run_id),
            header,
            result_cards(cards),
            card_grid(*(view.card() for view in views)),
        ]
    )


def skeleton() -> html.Div:
    """The same without a run: every id that callbacks name."""
    return layout(None, None, [], VIEWS)
