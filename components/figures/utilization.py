"""How busy GPUs are: over time by cluster, and by hour and weekday."""

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import blank, percent_axis
from components.theme import cluster_styles, in_order

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def utilization_over_time(series: pd.DataFrame, clusters: list[str], timezone: str) -> go.Figure:
    """One line per cluster of ``series`` (cluster, local_time, utilization 0–1; a null is a gap).

    ``clusters`` are all clusters of the trace, which fixes the colors; ``timezone`` labels the axis.
    """
    figure = blank(x_title=f"time ({timezone})", y_title="")
    styles = cluster_styles(clusters)
    for cluster in in_order(series["cluster"]):
        part = series[series["cluster"] == cluster]
        color, dash = styles[cluster]
        figure.add_scatter(
            x=part["local_time"],
            y=100 * part["utilization"].astype("float32"),
            name=cluster,
            mode="lines",
            line={"color": color, "width": 1.6, "dash": dash},
            hovertemplate="%{y:.1f} %",
        )
    percent_axis(figure)
    return figure


def utilization_by_hour_and_weekday(cells: pd.DataFrame, timezone: str) -> go.Figure:
    """A heat map of ``cells`` (weekday 1–7 with Monday first, hour 0–23, utilization 0–1), local time."""
    grid = cells.pivot(index="weekday", columns="hour", values="utilization").reindex(
        index=range(1, 8), columns=range(24)
    )
    figure = blank(x_title=f"hour of day ({timezone})", legend=False)
    figure.add_heatmap(
        x=[f"{hour:02d}" for hour in grid.columns],
        y=[WEEKDAYS[weekday - 1] for weekday in grid.index],
        z=100 * grid.to_numpy(dtype=float),
        colorbar={"ticksuffix": " %", "thickness": 10, "outlinewidth": 0, "len": 0.95},
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate="%{y} %{x} h: %{z:.1f} %<extra></extra>",
    )
    figure.update_layout(
        hovermode="closest",
        xaxis={
            "type": "category",
            "tickmode": "array",
            "tickvals": [f"{hour:02d}" for hour in range(0, 24, 3)],
        },
        yaxis={"autorange": "reversed", "showgrid": False},
    )
    return figure
