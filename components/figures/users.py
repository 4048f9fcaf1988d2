"""How much of a datacenter few users hold, and how many of their jobs complete."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from components.figures.jobs import thin
from components.figures.template import CDF_POINTS, blank, duration_axis, percent_axis
from components.numbers import plural
from components.theme import cluster_styles, in_order, token

#: Color, line style and width of one user and of everybody else.
OWN, OTHERS = ("#0072B2", "solid", 2.4), ("#8a94a3", "9px,2px", 1.8)


def concentration_curves(curve: pd.DataFrame, clusters: list[str], quantity: str) -> go.Figure:
    """A line per cluster of ``curve``: cluster, users, top (share of the users, 0–1), share (0–1).

    ``clusters`` are all of the trace, which fixes the colors. The grey diagonal is what equal users give.
    """
    figure = blank(x_title="top users, by what they hold", y_title=f"share of {quantity}")
    figure.add_scatter(
        x=[0, 100],
        y=[0, 100],
        name="all users alike",
        mode="lines",
        line={"color": token("muted", "dark"), "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    styles = cluster_styles(clusters)
    for cluster in in_order(curve["cluster"]):
        part = thin(curve[curve["cluster"] == cluster], CDF_POINTS)
        color, dash = styles[cluster]
        figure.add_scatter(
            x=100 * part["top"],
            y=100 * part["share"],
            customdata=part["users"],
            name=cluster,
            mode="lines",
            line={"color": color, "width": 2, "dash": dash},
            hovertemplate="top %{customdata:,}: %{y:.1f} %",
        )
    figure.update_layout(
        xaxis={"ticksuffix": " %", "range": [0, 100], "hoverformat": ".1f"},
        margin={"r": 24},  # half of “100 %”
    )
    percent_axis(figure, upper=102)
    return figure


def completion_histogram(bins: pd.DataFrame, addresses: Sequence[str] = ()) -> go.Figure:
    """Users by the share of their GPU jobs that completed: columns completed (0–10, … in %), users.

    ``addresses``: what a click on each bar opens.
    """
    figure = blank(x_title="GPU jobs that completed, %", y_title="users", legend=False)
    figure.add_bar(
        x=bins["completed"],
        y=bins["users"],
        customdata=[[address] for address in addresses] or None,
        hovertext=[plural(users, "user") for users in bins["users"]],
        marker={"color": "#1b9e8a"},
        hovertemplate="%{hovertext}<extra></extra>",
    )
    figure.update_layout(xaxis={"type": "category"}, yaxis={"rangemode": "tozero", "tickformat": ",d"})
    return figure


def waits_against_others(curves: pd.DataFrame, own: str) -> go.Figure:
    """Share of GPU jobs that waited at most so long, of a user and of others: side, delay_s, share (0–1).

    ``own`` is the user's side, drawn thicker; others are grey and dashed.
    """
    figure = blank(x_title="queueing delay (log scale)", y_title="share of GPU jobs")
    for side, part in curves.groupby("side", sort=False):
        color, dash, width = OWN if side == own else OTHERS
        figure.add_scatter(
            x=part["delay_s"],
            y=100 * part["share"],
            name=str(side),
            mode="lines" if len(part) > 1 else "markers",
            marker={"color": color, "size": 7},
            line={"color": color, "width": width, "dash": dash},
            hovertemplate="%{y:.1f} %",
        )
    duration_axis(figure)
    percent_axis(figure, upper=102)
    return figure
