"""What jobs are like: how long they run, how many GPUs they ask for, how they end."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import CDF_POINTS, bar_marker, blank, duration_axis, percent_axis
from components.numbers import inflected, plural
from components.theme import KINDS, STATUSES, cluster_styles, in_order

#: What a job without a final status is called, and its color and bar pattern.
UNFINISHED, UNFINISHED_STYLE = "unfinished or unknown", ("#667085", ".")
#: The address that a click on a bar opens, by the first local day of its period; None where there is none.
PeriodAddress = Callable[[date], str | None]


def duration_cdf(curve: pd.DataFrame) -> go.Figure:
    """Share of jobs that lasted at most so long, by kind: columns kind, duration_s, share (0–1)."""
    figure = blank(x_title="duration (log scale)", y_title="share of jobs")
    for kind, part in curve.groupby("kind", sort=False):
        color, dash = KINDS[str(kind)]
        _line(figure, part["duration_s"], part["share"], str(kind), color, dash, shape="linear")
    duration_axis(figure)
    percent_axis(figure, upper=102)
    return figure


def gpu_count_cdf(curve: pd.DataFrame) -> go.Figure:
    """Jobs and GPU time by at most so many GPUs: gpu_num, share_of_jobs, share_of_gpu_time (0–1)."""
    figure = blank(x_title="GPUs asked for (log scale)", y_title="share")
    thinned = thin(curve, CDF_POINTS)
    _line(figure, thinned["gpu_num"], thinned["share_of_jobs"], "jobs", "#0072B2", "solid")
    if curve["share_of_gpu_time"].notna().all():
        _line(figure, thinned["gpu_num"], thinned["share_of_gpu_time"], "GPU time", "#D98A00", "dash")
    ticks = [
        2.0**power
        for power in range(-3, 15)
        if curve["gpu_num"].min() <= 2.0**power <= curve["gpu_num"].max()
    ]
    figure.update_layout(
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
    )
    percent_axis(figure, upper=102)
    return figure


def final_status(
    bars: pd.DataFrame, category: str, x_title: str, addresses: Mapping[str, str | None] | None = None
) -> go.Figure:
    """Stacked shares of the status groups per ``category`` column: category, status, jobs, share (0–1).

    ``addresses``: category → the address that a click on its bar opens.
    """
    figure = blank(x_title=x_title, y_title="share of jobs")
    categories = list(dict.fromkeys(bars[category]))
    for status in ("completed", "cancelled", "failed"):
        part = bars[bars["status"] == status].set_index(category).reindex(categories)
        color, pattern = STATUSES[status]
        figure.add_bar(
            x=categories,
            y=100 * part["share"].fillna(0.0),
            customdata=[
                [(addresses or {}).get(name), plural(jobs, "job")]
                for name, jobs in zip(categories, part["jobs"].fillna(0), strict=True)
            ],
            name=status,
            marker={
                "color": color,
                "pattern": {
                    "shape": pattern,
                    "bgcolor": color,
                    "fgcolor": "rgba(255,255,255,.55)",
                    "size": 6,
                },
            },
            hovertemplate="%{y:.1f} % · %{customdata[1]}",
        )
    figure.update_layout(barmode="stack", xaxis={"type": "category"})
    percent_axis(figure, upper=100)
    return figure


def statuses_over_time(
    rows: pd.DataFrame,
    value: str,
    statuses: Sequence[str],
    y_title: str,
    *,
    factor: float,
    written: Callable[[float], str],
    address: PeriodAddress = lambda _: None,
) -> go.Figure:
    """Stacked bars over time: period (its first local day), status, ``value`` × ``factor``.

    ``written`` is a value as the pointer tells it, such as 1,204 jobs. A null status is “unfinished or
    unknown”. A click on a bar opens the ``address`` of its period.
    """
    figure = blank(y_title=y_title)
    named = rows.assign(status=rows["status"].fillna(UNFINISHED))
    for status in statuses:
        part = named[named["status"] == status]
        if part.empty:
            continue
        figure.add_bar(
            x=pd.to_datetime(part["period"]),
            y=factor * part[value].astype(float),
            customdata=[
                [address(period), written(each)]
                for period, each in zip(part["period"], part[value], strict=True)
            ],
            name=status,
            marker=bar_marker(*STATUSES.get(status, UNFINISHED_STYLE)),
            hovertemplate="%{customdata[1]}",
        )
    figure.update_layout(barmode="stack", xaxis={"type": "date"}, yaxis={"rangemode": "tozero"})
    return figure


def shares_over_time(rows: pd.DataFrame, status: str, clusters: Sequence[str]) -> go.Figure:
    """A line per cluster: cluster, period, ``<status>_share`` (0–1), ``<status>_jobs``, ended_jobs.

    ``clusters`` are all of the trace, which fixes the colors.
    """
    figure, styles = blank(), cluster_styles(list(clusters))
    for cluster in in_order(rows["cluster"]):
        part = rows[rows["cluster"] == cluster]
        color, dash = styles[cluster]
        figure.add_scatter(
            x=pd.to_datetime(part["period"]),
            y=100 * part[f"{status}_share"],
            customdata=[
                [jobs, ended, inflected(ended, "job")]
                for jobs, ended in zip(part[f"{status}_jobs"], part["ended_jobs"], strict=True)
            ],
            name=cluster,
            mode="lines+markers",
            marker={"color": color, "size": 4},
            line={"color": color, "width": 1.8, "dash": dash},
            hovertemplate="%{y:.1f} % · %{customdata[0]:,} of %{customdata[1]:,} %{customdata[2]}",
        )
    percent_axis(figure)
    figure.update_layout(xaxis={"type": "date"})
    return figure


def thin(curve: pd.DataFrame, most: int) -> pd.DataFrame:
    """At most ``most`` rows of a curve, evenly chosen, the first and the last always among them."""
    if len(curve) <= most:
        return curve
    places = sorted({round(i * (len(curve) - 1) / (most - 1)) for i in range(most)})
    return curve.iloc[places]


def _line(
    figure: go.Figure, x: pd.Series, y: pd.Series, name: str, color: str, dash: str, *, shape: str = "hv"
) -> None:
    figure.add_scatter(
        x=x,
        y=100 * y,
        name=name,
        mode="lines" if len(x) > 1 else "markers",
        marker={"color": color, "size": 7},
        line={"color": color, "width": 2, "dash": dash, "shape": shape},
        hovertemplate="%{y:.1f} %",
    )
