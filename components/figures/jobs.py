"""What jobs are like: how long they run, how many GPUs they ask for, how they end."""

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import CDF_POINTS, blank, duration_axis, percent_axis
from components.theme import KINDS, STATUSES


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


def final_status(bars: pd.DataFrame, category: str, x_title: str) -> go.Figure:
    """Stacked shares of the status groups per ``category`` column: category, status, jobs, share (0–1)."""
    figure = blank(x_title=x_title, y_title="share of jobs")
    categories = list(dict.fromkeys(bars[category]))
    for status in ("completed", "cancelled", "failed"):
        part = bars[bars["status"] == status].set_index(category).reindex(categories)
        color, pattern = STATUSES[status]
        figure.add_bar(
            x=categories,
            y=100 * part["share"].fillna(0.0),
            customdata=part["jobs"].fillna(0),
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
            hovertemplate="%{y:.1f} % · %{customdata:,} jobs",
        )
    figure.update_layout(barmode="stack", xaxis={"type": "category"})
    percent_axis(figure, upper=100)
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
