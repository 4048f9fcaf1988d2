"""How long jobs wait to start: curves by cluster, and mean delays of what jobs have in common."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import bar_marker, blank, duration_axis, percent_axis
from components.figures.virtual_clusters import short_ticks
from components.numbers import DAY_S, HOUR_S, MINUTE_S, duration, inflected, percent, plural
from components.theme import LINE_STYLES, STATUSES, cluster_styles, in_order

#: Bars that are legible side by side; the table and the CSV have all.
BARS = 30
#: A cluster's bars have a pattern where its lines have a style.
PATTERNS = dict(zip(LINE_STYLES, ("", "/", ".", "x"), strict=True))
#: The address that a click on a row's bar opens, None where there is none.
Address = Callable[[Any], str | None]
#: How a number stands above a bar, in one size however narrow the bar is.
ABOVE: dict[str, Any] = {
    "textposition": "outside",
    "textangle": 0,
    "textfont": {"size": 11},
    "constraintext": "none",
    "cliponaxis": False,
}
UNITS = (("d", DAY_S), ("h", HOUR_S), ("min", MINUTE_S), ("s", 1.0))


def delay_cdf(curve: pd.DataFrame, clusters: list[str]) -> go.Figure:
    """Share of jobs that waited at most so long: cluster, delay_s, share; ``clusters`` fix the colors."""
    figure = blank(x_title="queueing delay (log scale; up to 1 s on the left)", y_title="share of GPU jobs")
    styles = cluster_styles(clusters)
    for cluster in in_order(curve["cluster"]):
        part = curve[curve["cluster"] == cluster]
        color, dash = styles[cluster]
        figure.add_scatter(
            x=part["delay_s"],
            y=100 * part["share"],
            name=cluster,
            mode="lines" if len(part) > 1 else "markers",
            marker={"color": color, "size": 7},
            line={"color": color, "width": 2, "dash": dash},
            hovertemplate="%{y:.1f} %",
        )
    duration_axis(figure)
    percent_axis(figure, upper=102)
    return figure


def mean_delays(
    groups: pd.DataFrame, x_title: str, *, labelled: bool = True, address: Address | None = None
) -> go.Figure:
    """A bar per row of ``groups``: label, jobs, waiting_jobs, mean_delay_s, p50_wait_s, p95_wait_s.

    ``labelled`` writes the share of jobs that wait above each bar; a click on a bar opens its ``address``.
    """
    figure = blank(x_title=x_title, y_title="mean queueing delay", legend=False)
    _bars(figure, groups, "delay", STATUSES["waiting"][0], labelled=labelled, address=address)
    few = groups["label"].tolist() if len(groups) <= 12 else groups["label"].tolist()[::3]
    figure.update_layout(xaxis={"type": "category", "tickmode": "array", "tickvals": few})
    return figure.update_layout(margin={"t": 24}) if labelled else figure


def mean_delays_by_vc(groups: pd.DataFrame, clusters: list[str], address: Address) -> go.Figure:
    """A bar per VC in the color of its ``cluster``, longest first; else as :func:`mean_delays`."""
    figure = blank(x_title="virtual cluster", y_title="mean queueing delay")
    shown = groups.sort_values("mean_delay_s", ascending=False, kind="stable").head(BARS)
    names = shown["label"].fillna("no VC")
    twice = names.duplicated(keep=False)
    shown = shown.assign(
        address=[address(row) for row in shown.itertuples()],
        label=names.where(~twice, names + " (" + shown["cluster"] + ")"),
    )
    styles = cluster_styles(clusters)
    for cluster in in_order(shown["cluster"]):
        part = shown[shown["cluster"] == cluster]
        color, line = styles[cluster]
        _bars(figure, part, cluster, color, PATTERNS[line], whole=shown, address=lambda row: row.address)
    order = shown["label"].tolist()
    figure.update_layout(
        barmode="overlay",
        xaxis={"type": "category", "categoryorder": "array", "categoryarray": order, **short_ticks(order)},
    )
    return figure


def _bars(
    figure: go.Figure,
    groups: pd.DataFrame,
    name: str,
    color: str,
    pattern: str = "",
    *,
    labelled: bool = False,
    whole: pd.DataFrame | None = None,
    address: Address | None = None,
) -> None:
    unit, seconds = _unit(groups if whole is None else whole)
    shares = groups["waiting_jobs"] / groups["jobs"]
    hover = [
        f"mean {duration(row.mean_delay_s)} · {percent(share)} of {plural(row.jobs, 'job')} "
        f"{inflected(row.jobs, 'waits', 'wait')}"
        + (
            f"<br>of those: median {duration(row.p50_wait_s)}, p95 {duration(row.p95_wait_s)}"
            if share > 0
            else ""
        )
        for row, share in zip(groups.itertuples(), shares, strict=True)
    ]
    figure.add_bar(
        x=groups["label"],
        y=groups["mean_delay_s"] / seconds,
        name=name,
        customdata=[
            [address(row) if address else None, text]
            for row, text in zip(groups.itertuples(), hover, strict=True)
        ],
        **({"text": [percent(share, 0) for share in shares], **ABOVE} if labelled else {}),
        marker=bar_marker(color, pattern),
        hovertemplate="%{customdata[1]}",
    )
    figure.update_layout(yaxis={"ticksuffix": f" {unit}", "rangemode": "tozero"})


def _unit(groups: pd.DataFrame) -> tuple[str, float]:
    longest = groups["mean_delay_s"].max()
    return next((unit for unit in UNITS if longest >= 2 * unit[1]), UNITS[-1])
