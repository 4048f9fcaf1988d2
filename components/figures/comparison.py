"""Two sides, and published references, on the same axes."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from components.figures.jobs import final_status, thin
from components.figures.template import CDF_POINTS, blank, duration_axis, percent_axis
from components.figures.virtual_clusters import short_ticks

#: Color, line style and width of side A, side B and of references in order.
SIDES = (("#0072B2", "solid", 2.2), ("#D98A00", "9px,2px", 2.2))
REFERENCES = (("#8a94a3", "dot", 1.6), ("#B5578F", "4px,2px", 1.6), ("#7A7A2E", "12px,2px,2px,2px", 1.6))


def duration_curves(curves: pd.DataFrame, sides: tuple[str, str]) -> go.Figure:
    """Share of GPU jobs that lasted at most so long: side, duration_s, share (0–1)."""
    figure = blank(x_title="duration (log scale)", y_title="share of GPU jobs")
    _lines(figure, curves, "duration_s", "share", sides, "linear")
    duration_axis(figure)
    percent_axis(figure, upper=102)
    return figure


def gpu_count_curves(curves: pd.DataFrame, sides: tuple[str, str], share: str, y_title: str) -> go.Figure:
    """The column ``share`` (0–1) of jobs that ask for at most so many GPUs: side, gpu_num."""
    figure = blank(x_title="GPUs asked for (log scale)", y_title=y_title)
    _lines(figure, curves.dropna(subset=share), "gpu_num", share, sides, "hv")
    low, high = curves["gpu_num"].min(), curves["gpu_num"].max()
    ticks = [2.0**power for power in range(-3, 15) if low <= 2.0**power <= high]
    figure.update_layout(
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
    )
    percent_axis(figure, upper=102)
    return figure


def gpu_time_by_status(bars: pd.DataFrame, addresses: Mapping[str, str]) -> go.Figure:
    """Stacked shares of GPU time of the status groups: side, status, share (0–1), gpu_s (null if unknown).

    ``addresses``: side → the address that a click on its bar opens.
    """
    figure = final_status(bars.assign(jobs=0), "side", "", addresses)
    for part in figure.data:
        part.hovertemplate = "%{y:.1f} % of GPU time"
    names = list(dict.fromkeys(bars["side"]))
    figure.update_layout(xaxis=short_ticks(names), yaxis={"title": {"text": "share of GPU time"}})
    return figure


def _lines(
    figure: go.Figure, curves: pd.DataFrame, x: str, y: str, sides: tuple[str, str], shape: str
) -> None:
    references = [name for name in dict.fromkeys(curves["side"]) if name not in sides]
    styles = dict(zip((*sides, *references), (*SIDES, *REFERENCES), strict=False))
    for name, part in curves.groupby("side", sort=False):
        color, dash, width = styles[str(name)]
        shown = thin(part, CDF_POINTS)
        figure.add_scatter(
            x=shown[x],
            y=100 * shown[y],
            name=name,
            mode="lines" if len(shown) > 1 else "markers",
            marker={"color": color, "size": 7},
            line={"color": color, "dash": dash, "width": width, "shape": shape},
            hovertemplate="%{y:.1f} %",
        )
