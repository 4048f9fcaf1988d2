"""The Plotly templates of the two color schemes, and what every figure shares.

A figure is drawn without a template; the browser adds the one of the scheme in force, so that switching the
theme asks nothing of the server (``showFigure`` in ``assets/heliograph.js``).
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from components.theme import CLUSTER_COLORS, FONT, SEQUENTIAL, WORST_TO_BEST, token

#: Most points of one line of a time series, and of one CDF.
SERIES_POINTS, CDF_POINTS = 1500, 400
HEIGHT_PX = 300


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


#: Ticks of a logarithmic axis of seconds.
DURATION_TICKS = {
    1: "1 s",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    21600: "6 h",
    86400: "1 d",
    604800: "7 d",
    2592000: "30 d",
}


def duration_axis(figure: go.Figure, *, axis: str = "xaxis") -> None:
    """A logarithmic axis of seconds whose ticks are durations people know."""
    figure.update_layout(
        {axis: {"type": "log", "tickvals": list(DURATION_TICKS), "ticktext": list(DURATION_TICKS.values())}}
    )
