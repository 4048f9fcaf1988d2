"""The result of a sweep as a layout: a number of a cluster's scenarios as a map, lines, a table."""

from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import Input, Output, State, callback, dcc, html

from components import sweep_summary as summary
from components.figures import sweep as figures
from components.page_frame import card_grid
from components.run_status import ANSWER
from pages.finished_run import FinishedRun, finished_run
from pages.run_header import run_header
from pages.views import View, wire
from runs.store import Run

RESULT, SHOWN = "sweep-result", "sweep-shown"
CLUSTER, MEASURE = "sweep-cluster", "sweep-measure"


@dataclass(frozen=True)
class Swept:
    """A finished sweep, the cluster that is looked at and the number that is drawn."""

    run: FinishedRun
    cluster: str
    measure: str

    @property
    def about(self) -> summary.Measure:
        """The number that is drawn."""
        return summary.MEASURES[self.measure]

    def cells(self) -> pd.DataFrame:
        """A row per policy, step of nodes and load."""
        return summary.cells(self.run.table("results"), self.cluster, self.measure)


def swept(data: dict[str, str]) -> Swept:
    """The subject that the page's store holds."""
    return Swept(finished_run(data["run"]), data["cluster"], data["measure"])


def _nothing(about: Swept) -> str | None:
    flat = summary.is_flat(about.cells())
    return f"{about.about.title} is unknown in every scenario: no job could be replayed." if flat else None


def _no_line(axis: str, what: str):
    def why(about: Swept) -> str | None:
        few = len(about.run.document["grid"][axis]) < 2
        return f"The grid has one {what}, so there is no line to draw." if few else _nothing(about)

    return why


def _scope(about: Swept) -> str:
    return f"{about.cluster}, GPU jobs submitted {about.run.window_text()}"


def _draws(rows: pd.DataFrame) -> str:
    most = int(rows["draws"].max())
    return f" Mean of {most} draws of each load other than 1." if most > 1 else ""


def _stronger(about: Swept) -> str:
    order = ", by order of magnitude" if about.about.kind == "duration" else ""
    return f"The stronger the color, the better{order}."


def _map_note(rows: pd.DataFrame, about: Swept) -> str:
    more = _draws(rows) + summary.partial_note(rows)
    return f"{about.about.title}; {_scope(about)}. {_stronger(about)}{more}"


def _nodes_note(rows: pd.DataFrame, about: Swept) -> str:
    load = summary.nearest(rows["load_factor"], 1.0)
    return f"At load × {load:g}.{_whiskers(rows[rows['load_factor'] == load])}"


def _load_note(rows: pd.DataFrame, about: Swept) -> str:
    return f"With nodes {summary.step_text(summary.usual_step(rows['nodes']))}.{_whiskers(rows)}"


def _whiskers(drawn: pd.DataFrame) -> str:
    return " Whiskers: lowest and highest draw." if drawn["draws"].max() > 1 else ""


VIEWS = (
    View[Swept](
        name="sweep-map",
        title="Every scenario",
        method=(
            "Each cell is a whole replay of the window's jobs under one policy with those nodes and that "
            "load; cells are worked apart and share nothing."
        ),
        rows=Swept.cells,
        figure=lambda rows, about: figures.heat_map(rows, about.about),
        columns=summary.COLUMNS,
        note=_map_note,
        absent=_nothing,
        height=figures.MAP_HEIGHT_PX,
        span="full",
    ),
    View[Swept](
        name="sweep-nodes",
        title="Over the nodes",
        method=(
            "Cells of the map at one load, a line per policy. Other loads than 1 draw jobs at random, each "
            "draw a replay of its own."
        ),
        rows=Swept.cells,
        figure=lambda rows, about: figures.over_nodes(rows, about.about),
        columns=summary.COLUMNS,
        note=_nodes_note,
        absent=_no_line("nodes", "step of nodes"),
    ),
    View[Swept](
        name="sweep-load",
        title="Over the load",
        method=(
            "Cells of the map at one number of nodes, a line per policy. Loads above 1 repeat jobs drawn at "
            "random, loads below 1 leave some out."
        ),
        rows=Swept.cells,
        figure=lambda rows, about: figures.over_load(rows, about.about),
        columns=summary.COLUMNS,
        note=_load_note,
        absent=_no_line("load_factors", "load"),
    ),
)
for _view in VIEWS:
    wire(_view, Input(SHOWN, "data"), swept)


def result(run: Run) -> tuple[html.Div, str]:
    """The result of a sweep, and its sentence."""
    finished = finished_run(run.id)
    clusters = list(finished.document["scenario"]["clusters"])
    return layout(run.id, run_header(run), clusters, finished.document["grid"]), first_sentence(finished)


def first_sentence(finished: FinishedRun) -> str:
    """What the page says before another cluster or number is chosen."""
    return sentence(Swept(finished, finished.document["scenario"]["clusters"][0], summary.DEFAULT_MEASURE))


def sentence(about: Swept) -> str:
    """What the cells say about the number that is drawn."""
    scenarios = int((about.run.table("results")["cluster"] == about.cluster).sum())
    return summary.sentence(about.cells(), about.measure, about.cluster, scenarios)


def layout(run_id: str | None, header: Any, clusters: list[str], grid: dict[str, Any] | None) -> html.Div:
    """Header, the choice of cluster and number, the charts."""
    cluster = clusters[0] if clusters else ""
    shown = {"run": run_id, "cluster": cluster, "measure": summary.DEFAULT_MEASURE} if run_id else None
    titles = [{"value": name, "label": each.title} for name, each in summary.MEASURES.items()]
    return html.Div(
        [
            dcc.Store(id=RESULT, data=run_id),
            dcc.Store(id=SHOWN, data=shown),
            header,
            html.Div(
                [
                    _select(MEASURE, "Number", titles, summary.DEFAULT_MEASURE, 230),
                    _select(CLUSTER, "Cluster", clusters, cluster, 150),
                    html.P(summary.axes_sentence(grid) if grid else "", className="muted"),
                ],
                className="gains-choice",
            ),
            card_grid(*(view.card() for view in VIEWS)),
        ]
    )


def _select(id: str, label: str, options: list[Any], value: str, width_px: int) -> dmc.Select:
    select = {"data": options, "value": value, "allowDeselect": False, "size": "xs", "w": width_px}
    return dmc.Select(id=id, label=label, **select)


def skeleton() -> html.Div:
    """The same without a run: every id that callbacks name."""
    return layout(None, None, [], None)


@callback(
    Output(SHOWN, "data"),
    Output(ANSWER, "children", allow_duplicate=True),
    Input(MEASURE, "value"),
    Input(CLUSTER, "value"),
    State(RESULT, "data"),
    prevent_initial_call=True,
)
def show_measure(measure: str, cluster: str, run_id: str) -> tuple[dict[str, str], str]:
    """Draw the chosen number of the chosen cluster."""
    about = Swept(finished_run(run_id), cluster, measure)
    return {"run": run_id, "cluster": cluster, "measure": measure}, sentence(about)
