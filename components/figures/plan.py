"""A plan: the measure against the nodes or the load, with the target, the answer and its interval."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.figures.scheduling import SHORTEST_DELAY_S, log_duration_axis
from components.figures.template import blank
from components.numbers import count, duration

#: Each is seen on a light card and on a dark one.
LINE, TARGET, ANSWER, BAND = "#0072B2", "#D0605E", "#009E73", "rgba(0,158,115,.14)"


def curve(points: pd.DataFrame, plan: Mapping[str, Any], x: str, x_title: str, y_title: str) -> go.Figure:
    """``points``: x, value (s, or jobs), met. Filled markers meet the target, open ones do not."""
    in_seconds = plan["measure"] != "queued_jobs"
    figure = blank(x_title=x_title, y_title=f"{y_title}{' (log scale)' if in_seconds else ''}")
    known = points.dropna(subset=["value"])
    values = known["value"].astype(float)
    drawn = values.clip(lower=SHORTEST_DELAY_S) if in_seconds else values
    figure.add_scatter(
        x=known[x],
        y=drawn,
        name="replayed",
        mode="lines+markers",
        line={"color": LINE, "width": 2},
        marker={
            "color": LINE,
            "size": 8,
            "symbol": ["circle" if met else "circle-open" for met in known["met"]],
        },
        customdata=[(duration if in_seconds else count)(value) for value in values],
        hovertemplate="%{customdata}",
    )
    _target(figure, known[x], max(plan["limit"], SHORTEST_DELAY_S) if in_seconds else plan["limit"])
    _answer(figure, plan, x)
    if in_seconds:
        log_duration_axis(figure, pd.Series([*drawn, max(plan["limit"], SHORTEST_DELAY_S)]))
    else:
        figure.update_layout(yaxis={"rangemode": "tozero", "tickformat": ",d"})
    figure.update_layout(xaxis={"tickformat": ",d"} if x == "nodes" else {"tickprefix": "× "})
    return figure


def _target(figure: go.Figure, sizes: "pd.Series[float]", limit: float) -> None:
    figure.add_scatter(
        x=[sizes.min(), sizes.max()] if len(sizes) else [],
        y=[limit, limit] if len(sizes) else [],
        name="target",
        mode="lines",
        line={"color": TARGET, "width": 1.6, "dash": "dash"},
        hoverinfo="skip",
    )


def _answer(figure: go.Figure, plan: Mapping[str, Any], x: str) -> None:
    """The answer as a dotted line, the interval as a band; today as a grey line."""
    interval = plan["interval"]
    if interval and interval["low"] is not None and interval["high"] is not None:
        figure.add_vrect(x0=interval["low"], x1=interval["high"], fillcolor=BAND, line_width=0, layer="below")
        band = {"color": "rgba(0,158,115,.35)", "size": 11, "symbol": "square"}
        figure.add_scatter(x=[None], y=[None], name="interval", mode="markers", marker=band)
    for name, at, style in (
        ("answer", (plan["found"] or {}).get(x), {"color": ANSWER, "width": 2, "dash": "dot"}),
        ("today", plan["now"][x], {"color": "#8a94a3", "width": 1.6, "dash": "solid"}),
    ):
        if at is not None:
            figure.add_vline(x=at, line=style)
            figure.add_scatter(x=[None], y=[None], name=f"{name}, {at:,g}", mode="lines", line=style)
