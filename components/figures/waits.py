"""Why jobs wait and behind whom: waiting time by cause, and by who waits and who is waited for."""

import pandas as pd
import plotly.graph_objects as go

from components.figures.queueing import Address
from components.figures.template import bar_marker, blank
from components.numbers import duration, percent

#: Column of seconds → what it is called, color, pattern.
CAUSES = {
    "capacity_s": ("too few free GPUs", "#0072B2", ""),
    "fragmentation_s": ("free GPUs on the wrong nodes", "#D98A00", "/"),
    "head_of_line_s": ("behind the head of the queue", "#B5578F", "."),
}
#: Bars, and users along each axis, that are legible; the table and the CSV have all.
BARS, USERS = 20, 12
HOUR_S = 3600.0


def waiting_by_cause(rows: pd.DataFrame, address: Address = lambda _: None) -> go.Figure:
    """Stacked bars of waiting time in job-hours: label (the VC), waited_s and a column per cause, in s.

    A click on a bar opens its ``address``.
    """
    figure = blank(x_title="virtual cluster", y_title="waiting time, job-hours")
    shown = rows.head(BARS)
    places = [address(row) for row in shown.itertuples()]
    for column, (name, color, pattern) in CAUSES.items():
        share = shown[column] / shown["waited_s"].where(shown["waited_s"] > 0)
        figure.add_bar(
            x=[label.replace(" · ", "<br>") for label in shown["label"]],
            y=shown[column] / HOUR_S,
            customdata=[
                [place, f"{duration(value)} ({percent(part, 0)})"]
                for place, value, part in zip(places, shown[column], share, strict=True)
            ],
            name=name,
            marker=bar_marker(color, pattern),
            hovertemplate="%{customdata[1]}",
        )
    figure.update_layout(barmode="stack", xaxis={"type": "category"}, yaxis={"tickformat": ",.3~r"})
    return figure


def who_waits_for_whom(rows: pd.DataFrame) -> go.Figure:
    """A heat map of job-hours: waiting_user (down), blocking_user (across), waited_s.

    The users who wait most and those who are waited for most, in that order.
    """
    figure = blank(x_title="behind the jobs of", y_title="waits", legend=False)
    down, across = (_first(rows, name) for name in ("waiting_user", "blocking_user"))
    sums = rows.groupby(["waiting_user", "blocking_user"])["waited_s"].sum().unstack()
    grid = sums.reindex(index=down, columns=across)
    figure.add_heatmap(
        x=list(grid.columns),
        y=list(grid.index),
        z=grid.to_numpy(dtype=float) / HOUR_S,
        text=[[duration(value) for value in row] for row in grid.to_numpy(dtype=float)],
        colorbar={"thickness": 10, "outlinewidth": 0, "len": 0.95, "ticksuffix": " h"},
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate="%{y} waits behind %{x}: %{text}<extra></extra>",
    )
    figure.update_layout(
        hovermode="closest",
        xaxis={"type": "category"},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
    )
    return figure


def _first(rows: pd.DataFrame, name: str) -> list[str]:
    sums = rows.groupby(name)["waited_s"].sum().sort_values(ascending=False, kind="stable")
    return [str(each) for each in sums.index[:USERS]]
