"""The Plotly templates of the two color schemes, and what every figure shares.

A figure is drawn without a template; the browser adds the one of the scheme in force, so that switching the
theme asks nothing of the server (``showFigure`` in ``assets/heliograph.js``).
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.numbers import duration
from components.theme import CLUSTER_COLORS, FONT, SEQUENTIAL, WORST_TO_BEST, token

#: Most points of one line of a time series, and of one CDF.
SERIES_POINTS, CDF_POINTS = 1500, 400
HEIGHT_PX = 300
#: A day and a minute as ``components/numbers.py`` writes them.
DAY, MINUTE = "%-d %b %Y", "%-d %b %Y, %H:%M"


def template(scheme: str) -> dict[str, Any]:
    """The template of ``light`` or ``dark`` as Plotly's JSON."""
    ink, muted, line, surface = (token(name, scheme) for name in ("ink", "muted", "line", "surface"))
    axis = {
        "gridcolor": line,
        "linecolor": line,
        "zerolinecolor": line,
        "tickfont": {"color": muted, "size": 12},
        "title": {"font": {"color": muted, "size": 12}, "standoff": 8},
        "automargin": True,
        "separatethousands": True,
        "exponentformat": "none",
        "ticks": "",
        "ticklabelstandoff": 5,
    }
    layout = {
        "font": {"family": FONT, "size": 12, "color": ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(CLUSTER_COLORS),
        "xaxis": {**axis, "showgrid": False},
        "yaxis": {**axis, "showgrid": True},
        "legend": {"font": {"color": muted, "size": 12}, "bgcolor": "rgba(0,0,0,0)"},
        "hoverlabel": {
            "bgcolor": surface,
            "bordercolor": line,
            "font": {"color": ink, "family": FONT, "size": 12},
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": muted, "activecolor": ink},
        "coloraxis": {
            "colorscale": _scale(WORST_TO_BEST[scheme]),
            "colorbar": {"outlinewidth": 0, "tickfont": {"color": muted, "size": 12}},
        },
    }
    # Much stands out from the page in either scheme: it is dark on light, and bright on dark.
    shades = SEQUENTIAL if scheme == "light" else SEQUENTIAL[::-1]
    heat_map = {
        "colorscale": _scale(shades),
        "colorbar": {"outlinewidth": 0, "tickfont": {"color": muted, "size": 12}, "thickness": 10},
        "textfont": {"color": ink},
    }
    return {"layout": layout, "data": {"heatmap": [heat_map], "bar": [{"marker": {"line": {"width": 0}}}]}}


def _scale(shades: Sequence[str]) -> list[list[Any]]:
    return [[place / (len(shades) - 1), color] for place, color in enumerate(shades)]


def templates() -> dict[str, Any]:
    """Both templates by scheme, for the browser."""
    return {scheme: template(scheme) for scheme in ("light", "dark")}


def blank(*, x_title: str = "", y_title: str = "", legend: bool = True) -> go.Figure:
    """An empty figure with the shared layout: legend on top, tight margins, hover along x."""
    layout = {
        "template": "none",
        "margin": {"l": 8, "r": 12, "t": 34 if legend else 10, "b": 8},
        "height": HEIGHT_PX,
        "showlegend": legend,
        "legend": {
            "orientation": "h",
            "traceorder": "normal",
            "x": 0,
            "y": 1.02,
            "xanchor": "left",
            "yanchor": "bottom",
        },
        "hovermode": "x unified",
        "xaxis": {"title": {"text": x_title}},
        "yaxis": {"title": {"text": y_title}},
        "bargap": 0.28,
        "bargroupgap": 0.08,
    }
    return go.Figure(layout=layout)  # a tenth of the time that update_layout takes


def write_dates(figure: go.Figure) -> None:
    """Have times under the pointer written as ``numbers.day`` where all are midnights, else ``minute``.

    Those on the axes are Plotly's choice for each zoom, in the same words (``assets/charts.js``).
    """
    days: dict[str, bool] = {}
    for line in figure.data:
        times = _times(getattr(line, "x", None))
        if times is not None:
            axis = (line.xaxis or "x").replace("x", "xaxis")
            midnights = bool((times == times.astype("datetime64[D]")).all())
            days[axis] = days.get(axis, True) and midnights
    for axis in figure.select_xaxes({"type": "date"}):
        days.setdefault(axis.plotly_name, False)  # lengths of time, drawn from where each begins
    for name, all_days in days.items():
        figure.layout[name].update(hoverformat=DAY if all_days else MINUTE, tickangle=0)


def _times(values: Any) -> "np.ndarray[Any, Any] | None":
    """The drawn values without the unknown ones where they are times or days; None where they are none."""
    drawn = np.asarray(values)
    if drawn.dtype.kind == "O" and any(isinstance(each, date) for each in drawn.flat):
        drawn = pd.to_datetime(drawn).to_numpy()
    return drawn[~np.isnat(drawn)] if drawn.dtype.kind == "M" else None


def percent_axis(figure: go.Figure, *, axis: str = "yaxis", upper: float | None = None) -> None:
    """An axis of per cent from zero, up to ``upper`` per cent; figures hold 100 × the ratio."""
    style: dict[str, Any] = {"ticksuffix": " %", "rangemode": "tozero"}
    if upper is not None:
        style["range"] = [0, upper]
    figure.update_layout({axis: style})


def bar_marker(color: str, pattern: str) -> dict[str, Any]:
    """How a bar is filled: a color doubled by a pattern (``""`` for none)."""
    return {
        "color": color,
        "pattern": {"shape": pattern, "bgcolor": color, "fgcolor": "rgba(255,255,255,.6)", "size": 6},
    }


#: Ticks of a logarithmic axis of seconds, and of one on which the longest is no hundred times the shortest.
DURATION_TICKS_S = (1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000)
CLOSE_TICKS_S = (
    *(1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 18000, 43200),
    *(86400, 172800, 345600, 604800, 1209600, 2592000),
)


def duration_axis(figure: go.Figure, *, axis: str = "xaxis") -> None:
    """A logarithmic axis of seconds whose ticks are durations people know, as are those under the pointer."""
    lines = [line[axis[0]] for line in figure.data]
    drawn = pd.Series([each for values in lines if values is not None for each in values], dtype=float)
    ticks = CLOSE_TICKS_S if drawn.max() < 100 * drawn.min() else DURATION_TICKS_S
    figure.update_layout(
        {axis: {"type": "log", "tickvals": ticks, "ticktext": [duration(tick) for tick in ticks]}}
    )
    if axis == "xaxis" and figure.layout.hovermode == "x unified":
        _say_durations(figure)


def _say_durations(figure: go.Figure) -> None:
    """Under the pointer each line says within which duration, below a title that says of what."""
    what = figure.layout.xaxis.title.text.partition(" (")[0]
    figure.update_layout(xaxis={"unifiedhovertitle": {"text": what}})
    for line in figure.data:
        if line.hovertemplate and line.x is not None:
            line.text = [duration(x) for x in line.x]
            line.hovertemplate += " within %{text}"
