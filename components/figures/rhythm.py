"""When clusters are busy: by hour of day, by hour and weekday, by week or month."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from components.figures.jobs import PeriodAddress
from components.figures.template import bar_marker, blank, percent_axis
from components.figures.utilization import WEEKDAYS
from components.theme import SIZE_CLASSES, SIZES, cluster_styles, in_order

#: What is published is drawn thinner and dotted, in its cluster's color.
PUBLISHED_LINE = {"width": 1.5, "dash": "2px,3px"}
DIVIDER, OUTLINE = "rgba(128,128,128,.35)", "rgba(128,128,128,.7)"
EVERY_THIRD = list(range(0, 24, 3))


def by_hour(
    rows: pd.DataFrame,
    value: str,
    clusters: list[str],
    timezone: str,
    *,
    ratio: bool = False,
    unit: str = "",
    published: pd.DataFrame | None = None,
) -> go.Figure:
    """A line per cluster over the hours of the day: cluster, hour (0–23), ``value``.

    A ``ratio`` is drawn in per cent. ``clusters`` are all of the trace. ``published`` are reference rows of
    the same columns; those of the drawn clusters are drawn.
    """
    figure = blank(x_title=f"hour of day ({timezone})", y_title="" if ratio else unit)
    styles, factor = cluster_styles(clusters), 100 if ratio else 1
    for cluster in in_order(rows["cluster"]):
        part = rows[rows["cluster"] == cluster]
        color, dash = styles[cluster]
        line = {"color": color, "width": 2, "dash": dash}
        _hours(figure, part, part[value] * factor, cluster, line, ratio)
        reference = published[published["cluster"] == cluster] if published is not None else pd.DataFrame()
        if len(reference):
            dotted = {"color": color, **PUBLISHED_LINE}
            _hours(figure, reference, reference[value] * factor, f"{cluster}, published", dotted, ratio)
            figure.data[-1].update(showlegend=False)
    figure.update_layout(xaxis={"tickvals": EVERY_THIRD, "ticktext": [f"{hour:02d}" for hour in EVERY_THIRD]})
    if ratio:
        percent_axis(figure)
        figure.update_layout(yaxis={"rangemode": "normal"})
    else:
        figure.update_layout(yaxis={"rangemode": "tozero"})
    return figure


def submissions_by_hour_and_weekday(cells: pd.DataFrame, timezone: str) -> go.Figure:
    """A heat map of ``cells``: weekday 1–7 with Monday first, hour 0–23, gpu_jobs_per_hour."""
    grid = cells.pivot(index="weekday", columns="hour", values="gpu_jobs_per_hour")
    grid = grid.reindex(index=range(1, 8), columns=range(24))
    figure = blank(x_title=f"hour of day ({timezone})", legend=False)
    figure.add_heatmap(
        x=[f"{hour:02d}" for hour in grid.columns],
        y=[WEEKDAYS[weekday - 1] for weekday in grid.index],
        z=grid.to_numpy(dtype=float),
        colorbar={"thickness": 10, "outlinewidth": 0, "len": 0.95},
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate="%{y} %{x} h: %{z:.1f} GPU jobs an hour<extra></extra>",
    )
    figure.update_layout(
        hovermode="closest",
        xaxis={
            "type": "category",
            "tickmode": "array",
            "tickvals": [f"{hour:02d}" for hour in EVERY_THIRD],
        },
        yaxis={"autorange": "reversed", "showgrid": False},
    )
    return figure


def split_by_period(
    rows: pd.DataFrame,
    value: str,
    label: str,
    addresses: Mapping[str, str],
    *,
    ratio: bool,
    published: pd.DataFrame | None = None,
) -> go.Figure:
    """Stacked bars of jobs of one GPU and of more, per cluster and period.

    ``rows``: cluster, period (its first day), ``single_<value>``, ``multi_<value>``; ``label`` formats a
    period with strftime. ``addresses``: cluster → what a click on its bars opens. ``published`` totals are
    drawn as marks.
    """
    figure = blank(y_title="" if ratio else "GPU jobs")
    ordered = _in_order(rows)
    factor = 100 if ratio else 1
    shown = ".1f} %" if ratio else ",.0f}"
    for part, (color, pattern) in SIZES.items():
        figure.add_bar(
            x=_places(ordered, label),
            y=factor * ordered[f"{part}_{value}"].astype(float),
            name="one GPU or less" if part == "single" else "several GPUs",
            customdata=[[addresses.get(cluster)] for cluster in ordered["cluster"]],
            marker=bar_marker(color, pattern),
            hovertemplate=f"%{{y:{shown}",
        )
    if published is not None and len(published):
        marks = _in_order(published)
        figure.add_scatter(
            x=_places(marks, label),
            y=factor * (marks[f"single_{value}"] + marks[f"multi_{value}"]),
            name="published, both",
            mode="markers",
            marker={"symbol": "diamond-open", "size": 8, "color": "#d55e00", "line": {"width": 1.6}},
            hovertemplate=f"%{{y:{shown}",
        )
    figure.update_layout(
        barmode="stack", bargap=0.22, xaxis={"type": "multicategory", "dividercolor": DIVIDER}
    )
    if ratio:
        percent_axis(figure, upper=105)
    return figure


def size_mix(
    rows: pd.DataFrame, share: str, label: str, address: PeriodAddress = lambda _: None
) -> go.Figure:
    """Stacked shares of the classes of GPU counts per period: period, gpus (in order), ``share`` (0–1).

    A click on a bar opens the ``address`` of its period.
    """
    figure = blank(y_title="")
    classes = [name for name in SIZE_CLASSES if name in set(rows["gpus"])]
    periods = sorted(set(rows["period"]))
    places = [[address(period)] for period in periods]
    for name in classes:
        part = rows[rows["gpus"] == name].set_index("period").reindex(periods)
        figure.add_bar(
            x=[pd.Timestamp(period).strftime(label) for period in periods],
            y=100 * part[share].astype(float).fillna(0.0),
            customdata=places,
            name=f"{name} GPU{'' if name == '≤ 1' else 's'}",
            marker={"color": SIZE_CLASSES[name], "line": {"width": 0.75, "color": OUTLINE}},
            hovertemplate="%{y:.1f} %",
        )
    figure.update_layout(barmode="stack", bargap=0.12, xaxis={"type": "category"})
    percent_axis(figure, upper=100)
    return figure


def _hours(figure: go.Figure, rows: pd.DataFrame, y: pd.Series, name: str, line: dict, ratio: bool) -> None:
    figure.add_scatter(
        x=rows["hour"],
        y=y,
        name=name,
        mode="lines",
        line=line,
        hovertemplate="%{y:.1f} %" if ratio else "%{y:.1f}",
    )


def _in_order(rows: pd.DataFrame) -> pd.DataFrame:
    places = {name: place for place, name in enumerate(in_order(rows["cluster"]))}
    return rows.assign(_place=rows["cluster"].map(places)).sort_values(["_place", "period"])


def _places(rows: pd.DataFrame, label: str) -> list[list[str]]:
    return [rows["cluster"].tolist(), [pd.Timestamp(period).strftime(label) for period in rows["period"]]]
