"""A sweep: a number by policy, nodes and load, as a heat map or as lines with the range of draws."""

from math import log10
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.figures.scheduling import SHORTEST_DELAY_S, log_duration_axis
from components.figures.template import blank, percent_axis
from components.numbers import uncapitalized
from components.policies import policy_label
from components.sweep_summary import Measure, nearest, step_text, usual_step
from components.theme import POLICIES

MAP_HEIGHT_PX = 420
#: Cells of a larger map are too small for their numbers, which hovering and the table tell.
MOST_ROWS, MOST_STEPS = 16, 12
#: Between policies, seen on either card.
DIVIDER = "rgba(138,148,163,.6)"


def heat_map(cells: pd.DataFrame, about: Measure) -> go.Figure:
    """A cell per policy, load (down) and step of nodes (across), its number in it; nulls are blank.

    The template's color axis goes from the worst to the best; the bar above the cells says so. A single
    policy and load is a column, not a row: there the numbers fit on every screen, which Plotly cannot tell.
    """
    rows = list(dict.fromkeys(zip(cells["policy_title"], cells["load_text"], strict=True)))
    steps = list(dict.fromkeys(cells.sort_values("gpus", kind="stable")["nodes"]))
    named = cells.set_index(["policy_title", "load_text", "nodes"])
    at, texts = named["value"], named["value_text"]
    goodness = [
        [_goodness(float(at.get((*row, step), float("nan"))), about) for step in steps] for row in rows
    ]
    written = [[texts.get((*row, step), "") for step in steps] for row in rows]
    nodes = [step_text(step) for step in steps]
    shown = "%{text}" if len(rows) <= MOST_ROWS and len(steps) <= MOST_STEPS else ""
    shared: dict[str, Any] = {"coloraxis": "coloraxis", "texttemplate": shown, "xgap": 2, "ygap": 2}
    if len(rows) == 1:
        figure = blank(y_title="nodes", legend=False)
        down, across = nodes, [", load ".join(rows[0])]
        goodness, written = [[each] for each in goodness[0]], [[each] for each in written[0]]
        hover, axis = "nodes %{y}", {"type": "category"}
    else:
        figure = blank(x_title="nodes", legend=False)
        down, across = [[policy for policy, _ in rows], [load for _, load in rows]], nodes
        hover, axis = "%{y}, nodes %{x}", {"type": "multicategory", "dividercolor": DIVIDER}
    figure.add_heatmap(
        x=across,
        y=down,
        z=goodness,
        text=written,
        hovertemplate=f"{hover}: %{{text}}<extra></extra>",
        **shared,
    )
    figure.update_layout(
        hovermode="closest",
        xaxis={"type": "category"},
        yaxis={**axis, "autorange": "reversed", "showgrid": False},
        margin={"t": 44},
    )
    _name_the_ends(figure)
    return figure


def _goodness(value: float, about: Measure) -> float:
    """How strong the color of a cell is: the better, the stronger; durations by their order of magnitude."""
    size = log10(max(value, SHORTEST_DELAY_S)) if about.kind == "duration" and value == value else value
    return -size if about.less_is_better else size


def _name_the_ends(figure: go.Figure) -> None:
    """A bar above the cells from the worst to the best; none where all are as good."""
    known = [value for line in figure.data[0].z for value in line if value == value]
    ends = sorted({min(known), max(known)}) if known else []
    bar = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "len": 180,
        "lenmode": "pixels",
        "thickness": 10,
        "ypad": 4,
        "tickvals": ends,
        "ticktext": ["worst", "best"],
    }
    figure.update_layout(coloraxis={"showscale": len(ends) == 2, "colorbar": bar})


def over_nodes(cells: pd.DataFrame, about: Measure) -> go.Figure:
    """A line per policy over the GPUs present, at the load nearest to today's."""
    own = cells[cells["load_factor"] == nearest(cells["load_factor"], 1.0)] if len(cells) else cells
    figure = _lines(own.sort_values("gpus", kind="stable"), "gpus", "GPUs present, at most", about)
    figure.update_layout(xaxis={"tickformat": ",d"})
    return figure


def over_load(cells: pd.DataFrame, about: Measure) -> go.Figure:
    """A line per policy over the load, with the nodes nearest to today's."""
    own = cells[cells["nodes"] == usual_step(cells["nodes"])] if len(cells) else cells
    figure = _lines(own.sort_values("load_factor", kind="stable"), "load_factor", "load", about)
    figure.update_layout(xaxis={"tickprefix": "× "})
    return figure


def _lines(own: pd.DataFrame, x: str, x_title: str, about: Measure) -> go.Figure:
    figure = blank(x_title=x_title)
    log = " (log scale)" if about.kind == "duration" else ""
    figure.update_layout(yaxis={"title": {"text": f"{uncapitalized(about.title)}{log}"}})
    factor = 100.0 if about.kind == "percent" else 1.0
    if about.kind == "duration":
        own = own.assign(
            **{name: own[name].clip(lower=SHORTEST_DELAY_S) for name in ("value", "low", "high")}
        )
    for policy in [name for name in POLICIES if name in set(own["policy"])]:
        _line(figure, own[own["policy"] == policy], policy, x, factor, about)
    if about.kind == "duration":
        log_duration_axis(figure, own[["low", "high"]].stack().clip(lower=SHORTEST_DELAY_S))
    elif about.kind == "percent":
        percent_axis(figure)
    else:
        figure.update_layout(yaxis={"rangemode": "tozero", "tickformat": ",d"})
    return figure


def _line(figure: go.Figure, own: pd.DataFrame, policy: str, x: str, factor: float, about: Measure) -> None:
    color, dash, width = POLICIES[policy]
    drawn_often = bool((own["draws"] > 1).any())
    ends: dict[str, Any] = {
        "type": "data",
        "symmetric": False,
        "array": factor * (own["high"] - own["value"]),
        "arrayminus": factor * (own["value"] - own["low"]),
        "thickness": 1,
        "width": 3,
        "visible": drawn_often,
    }
    figure.add_scatter(
        x=own[x],
        y=factor * own["value"],
        error_y=ends,
        name=policy_label(policy),
        mode="lines+markers",
        line={"color": color, "dash": dash, "width": width},
        marker={"color": color, "size": 6},
        customdata=own["value_text"],
        hovertemplate="%{customdata}",
    )
