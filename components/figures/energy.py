"""Nodes in use, awake and present over time, with the forecast, its interval and what is missing."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.figures.template import SERIES_POINTS, blank
from components.figures.thinning import changes, thinned
from components.numbers import plural
from components.theme import NODE_SERIES

BAND = "rgba(0,158,115,.16)"
#: Order of the legend; what is drawn first is not what is read first.
RANKS = {"in use": 1, "awake": 2, "asleep": 3, "present": 4, "forecast": 5, "interval": 6, "missing": 7}
SLOT = pd.Timedelta(minutes=10)
MISSING = "rgba(138,148,163,.22)"
HEIGHT_PX = 380


def node_demand(slots: pd.DataFrame, outlook: pd.DataFrame, timezone: str) -> go.Figure:
    """The nodes of a window by slot, and the forecast of the day after it.

    ``slots``: local_time, used, total, forecast_mean, forecast_low, forecast_high, missing (the reason, or
    null), and awake where a controller ran. ``outlook``: local_time, mean, low, high.
    """
    figure = blank(x_title=f"time ({timezone})", y_title="nodes")
    if "awake" in slots:
        _add_asleep(figure, slots)
    band = thinned(slots[["local_time", "forecast_mean", "forecast_low", "forecast_high"]], "forecast_mean")
    _add_band(figure, band["local_time"], band["forecast_low"], band["forecast_high"], shown=True)
    _add_line(figure, band["local_time"], band["forecast_mean"], "forecast", width=1.4)
    _add_band(figure, outlook["local_time"], outlook["low"], outlook["high"], shown=False)
    _add_line(figure, outlook["local_time"], outlook["mean"], "forecast", width=2.2, shown=False)
    used = thinned(slots, "used")
    _add_line(figure, used["local_time"], used["used"], "in use", width=1.6)
    if "awake" in slots:
        awake = changes(slots, "awake")
        _add_line(figure, awake["local_time"], awake["awake"], "awake", width=2.2, shape="hv")
    _mark_missing(figure, slots)
    _mark_kept(figure, slots)
    if len(outlook):
        figure.add_vline(
            x=outlook["local_time"].iloc[0], line={"color": "#8a94a3", "width": 1, "dash": "dot"}
        )
    figure.update_layout(height=HEIGHT_PX, yaxis={"tickformat": ",d"}, legend={"y": 1.05}, margin={"t": 52})
    return figure


def missing_runs(slots: pd.DataFrame, column: str = "missing") -> pd.DataFrame:
    """The stretches of missing slots: start and end (local times, the end excluded), reason, slots.

    ``column`` holds the reason; ``kept`` in its place gives the marked slots that the operator kept.
    """
    reason = slots[column]
    known = reason.isna()
    stretch = (reason.ne(reason.shift()) | known).cumsum()[~known]
    if stretch.empty:
        return pd.DataFrame(columns=["start", "end", "reason", "slots"])
    grouped = slots[~known].groupby(stretch)
    runs = grouped.agg(
        start=("local_time", "first"),
        end=("local_time", "last"),
        reason=(column, "first"),
        slots=(column, "size"),
    )
    return runs.assign(end=runs["end"] + SLOT).reset_index(drop=True)


def asleep_area(slots: pd.DataFrame) -> pd.DataFrame:
    """The outline between awake and present nodes, one polygon per stretch in which both are known.

    Columns time and nodes; a row of nulls parts two polygons.
    """
    known = slots["awake"].notna() & slots["total"].notna()
    stretch = known.ne(known.shift()).cumsum()[known]
    outlines = []
    for _, part in slots[known].groupby(stretch):
        edges = changes(part, "awake", "total", most=SERIES_POINTS // 4)  # four corners each
        end = part["local_time"].iloc[-1] + SLOT
        upper, lower = _stairs(edges, "total", end), _stairs(edges, "awake", end)
        outlines += [upper, lower.iloc[::-1], pd.DataFrame({"time": [pd.NaT], "nodes": [np.nan]})]
    return pd.concat(outlines[:-1], ignore_index=True) if outlines else _stairs(slots.iloc[:0], "total", None)


def _stairs(edges: pd.DataFrame, column: str, end: pd.Timestamp | None) -> pd.DataFrame:
    """The corners of a step function that holds each value until the next row, the last one until ``end``."""
    times = edges["local_time"].to_list()
    until = [*times[1:], end][: len(times)]
    corners = [corner for pair in zip(times, until, strict=True) for corner in pair]
    return pd.DataFrame(
        {"time": pd.to_datetime(corners), "nodes": np.repeat(edges[column].to_numpy(float), 2)}
    )


def _add_asleep(figure: go.Figure, slots: pd.DataFrame) -> None:
    """The nodes present, and the area between them and the awake ones: what is asleep."""
    area, (color, pattern) = asleep_area(slots), NODE_SERIES["asleep"]
    figure.add_scatter(
        x=area["time"],
        y=area["nodes"],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillpattern={
            "shape": pattern,
            "fgcolor": color,
            "bgcolor": "rgba(0,0,0,0)",
            "size": 7,
            "solidity": 0.2,
        },
        name="asleep",
        legendrank=RANKS["asleep"],
        hoverinfo="skip",
    )
    present = changes(slots, "total")
    _add_line(figure, present["local_time"], present["total"], "present", width=1.4, shape="hv")


def _add_band(figure: go.Figure, x: pd.Series, low: pd.Series, high: pd.Series, *, shown: bool) -> None:
    """An 80 % interval as a band; where a bound is unknown there is none."""
    shared: dict[str, Any] = {
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "legendgroup": "interval",
        "legendrank": RANKS["interval"],
    }
    known = low.notna() & high.notna()
    figure.add_scatter(x=x[known], y=low[known], showlegend=False, name="80 % low", **shared)
    figure.add_scatter(
        x=x[known],
        y=high[known],
        showlegend=shown,
        name="80 % interval",
        fill="tonexty",
        fillcolor=BAND,
        **shared,
    )


def _add_line(
    figure: go.Figure,
    x: pd.Series,
    y: pd.Series,
    name: str,
    *,
    width: float,
    shape: str = "linear",
    shown: bool = True,
) -> None:
    color, dash = NODE_SERIES[name]
    figure.add_scatter(
        x=x,
        y=y.astype("float32"),
        name=name,
        mode="lines",
        legendgroup=name,
        legendrank=RANKS[name],
        showlegend=shown,
        line={"color": color, "dash": dash, "width": width, "shape": shape},
        hovertemplate="%{y:,.0f}",
    )


def _mark_missing(figure: go.Figure, slots: pd.DataFrame) -> None:
    """A grey strip over every stretch of missing slots; its reason is under the pointer."""
    runs = missing_runs(slots)
    if runs.empty:
        return
    for run in runs.head(200).itertuples():
        figure.add_vrect(x0=run.start, x1=run.end, fillcolor=MISSING, line_width=0, layer="below")
    middle = runs["start"] + (runs["end"] - runs["start"]) / 2
    figure.add_scatter(
        x=middle,
        y=[float(slots["used"].min())] * len(runs),
        mode="markers",
        marker={"symbol": "x-thin", "size": 8, "line": {"color": "#8a94a3", "width": 1.5}},
        name="missing",
        legendrank=RANKS["missing"],
        customdata=[f"{run.reason}, {plural(run.slots, 'slot')}" for run in runs.itertuples()],
        hovertemplate="%{customdata}",
    )


def _mark_kept(figure: go.Figure, slots: pd.DataFrame) -> None:
    """An outlined strip over every stretch that a rule marked and the operator kept as recorded."""
    if "kept" not in slots:
        return
    for run in missing_runs(slots, "kept").head(200).itertuples():
        line = {"color": "#8a94a3", "width": 1, "dash": "dot"}
        figure.add_vrect(x0=run.start, x1=run.end, line=line, fillcolor="rgba(0,0,0,0)", layer="below")
