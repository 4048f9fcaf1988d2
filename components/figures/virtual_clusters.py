"""Virtual clusters side by side: how full they are, who waits, what their quota is against their use."""

from collections.abc import Callable
from math import log10

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import bar_marker, blank, duration_axis, percent_axis
from components.numbers import GPU_H, NBSP, duration, plural
from components.theme import NODE_SERIES, SIZES, STATUSES, cluster_styles, in_order

#: VCs that a figure shows; its table and CSV have all.
SHOWN_VCS = 12
ROW_PX, FRAME_PX, ROWS_AT_LEAST = 25, 92, 6
QUEUEING, DURATION = "#c2620a", "#0072B2"
WAITING = "#e69f00"
#: Letters of a name on an axis, and what stands between its parts.
MOST_LETTERS, SEPARATOR = 22, " · "
#: How many times as far as its points an axis of durations reaches.
AROUND = 3.0
#: The address that a click on a VC opens.
Address = Callable[[str, str], str]


#: Height of a figure with one row per VC.
HEIGHT_PX = FRAME_PX + ROW_PX * SHOWN_VCS


def utilization_boxes(rows: pd.DataFrame, clusters: list[str], address: Address) -> go.Figure:
    """A box per VC, largest first: cluster, vc, min_, q1_, median_, q3_, max_, mean_utilization (0–1).

    Whiskers reach from the least to the highest value, the diamond is the mean; a click opens the VC.
    """
    figure = blank()
    shown, styles = _named(rows), cluster_styles(clusters)
    for cluster in in_order(shown["cluster"]):
        part = shown[shown["cluster"] == cluster]
        color = styles[cluster][0]
        values = {name: 100 * part[f"{name}_utilization"] for name in ("min", "q1", "median", "q3", "max")}
        figure.add_box(
            y=part["name"],
            q1=values["q1"],
            median=values["median"],
            q3=values["q3"],
            lowerfence=values["min"],
            upperfence=values["max"],
            orientation="h",
            name=cluster,
            line={"color": color, "width": 1.5},
            fillcolor=_faint(color),
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=100 * part["mean_utilization"],
            y=part["name"],
            mode="markers",
            marker={"symbol": "diamond", "size": 8, "color": color},
            showlegend=False,
            name="mean",
            customdata=_addresses(
                part, address, part["median_utilization"], part["q1_utilization"], part["q3_utilization"]
            ),
            hovertemplate="mean %{x:.1f} % · median %{customdata[1]:.1%}, "
            "middle half %{customdata[2]:.1%} to %{customdata[3]:.1%}<extra>%{y}</extra>",
        )
    _rows_of_vcs(figure, shown)
    percent_axis(figure, axis="xaxis")
    figure.update_layout(boxgap=0.35)
    return figure


def waits_and_durations(rows: pd.DataFrame, address: Address) -> go.Figure:
    """Mean queueing delay and mean duration per VC on one logarithmic axis; under 1 s at its left edge.

    Columns cluster, vc, avg_queueing_delay_s, avg_duration_s (null where unknown).
    """
    figure = blank(x_title="mean, log scale")
    shown = _named(rows)
    series = (
        ("avg_queueing_delay_s", "queueing delay", "circle", QUEUEING),
        ("avg_duration_s", "duration", "diamond-open", DURATION),
    )
    for column, name, symbol, color in series:
        known = shown[shown[column].notna()]
        figure.add_scatter(
            x=known[column].clip(lower=1.0),
            y=known["name"],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 10, "color": color, "line": {"width": 2, "color": color}},
            customdata=_addresses(known, address, known[column].map(duration)),
            hovertemplate="%{customdata[1]}<extra>%{y}, " + name + "</extra>",
        )
    _rows_of_vcs(figure, shown)
    duration_axis(figure)
    drawn = pd.concat([shown[column] for column, *_ in series]).dropna().clip(lower=1.0)
    if len(drawn):
        # One VC alone has two points: what is around them gives their axis its ticks.
        figure.update_xaxes(range=[log10(drawn.min() / AROUND), log10(drawn.max() * AROUND)])
    return figure


def use_against_quota(series: pd.DataFrame, timezone: str) -> go.Figure:
    """GPUs in use, by small and by large jobs, stacked, under the line of GPUs present, over time.

    Columns local_time, single_gpus, multi_gpus, present_gpus: means of a bin.
    """
    figure = blank(x_title=f"time ({timezone})", y_title="GPUs")
    for part, name in (("multi", "in use by jobs of several GPUs"), ("single", "by jobs of one")):
        color = SIZES[part][0]
        figure.add_scatter(
            x=series["local_time"],
            y=series[f"{part}_gpus"].astype("float32"),
            name=name,
            mode="lines",
            stackgroup="use",
            line={"width": 0.8, "color": color},
            fillcolor=_faint(color, 0.5),
            hovertemplate="%{y:,.1f}",
        )
    color, dash = NODE_SERIES["present"]
    figure.add_scatter(
        x=series["local_time"],
        y=series["present_gpus"],
        name="present",
        mode="lines",
        line={"width": 2, "color": color, "dash": dash, "shape": "hv"},
        hovertemplate="%{y:,.1f}",
    )
    figure.update_layout(yaxis={"rangemode": "tozero"})
    return figure


def waiting_over_time(series: pd.DataFrame, timezone: str) -> go.Figure:
    """GPUs that waiting jobs ask for: local_time, waiting_jobs, waiting_gpus."""
    figure = blank(x_title=f"time ({timezone})", y_title="GPUs waited for", legend=False)
    figure.add_scatter(
        x=series["local_time"],
        y=series["waiting_gpus"],
        customdata=[
            f"{plural(round(gpus), 'GPU')}, {plural(jobs, 'job')}"
            for gpus, jobs in zip(series["waiting_gpus"], series["waiting_jobs"], strict=True)
        ],
        mode="lines",
        name="waiting",
        fill="tozeroy",
        fillcolor=_faint(WAITING, 0.35),
        line={"width": 1.4, "color": WAITING, "shape": "hv"},
        hovertemplate="%{customdata}",
    )
    figure.update_layout(yaxis={"rangemode": "tozero"})
    return figure


def gangs_beside_free_gpus(rows: pd.DataFrame, address: Address) -> go.Figure:
    """GPU-hours that gangs waited, per VC: beside as many free GPUs, and the rest.

    Columns cluster, vc, waited_gpu_s, beside_free_gpu_s.
    """
    figure = blank(x_title="GPU-hours waited by gangs")
    shown = _named(rows)
    rest = shown["waited_gpu_s"] - shown["beside_free_gpu_s"]
    parts = (
        ("beside enough free GPUs", shown["beside_free_gpu_s"], WAITING, "/"),
        ("without", rest, "#98a2b3", ""),
    )
    for name, values, color, pattern in parts:
        figure.add_bar(
            x=values / 3600,
            y=shown["name"],
            orientation="h",
            name=name,
            marker=bar_marker(color, pattern),
            customdata=_addresses(shown, address),
            hovertemplate=f"%{{x:,.0f}}{NBSP}{GPU_H}<extra>%{{y}}, {name}</extra>",
        )
    _rows_of_vcs(figure, shown)
    figure.update_layout(barmode="stack", xaxis={"rangemode": "tozero"})
    return figure


def lost_gpu_time(rows: pd.DataFrame, address: Address) -> go.Figure:
    """GPU-hours that failed and cancelled jobs held, per VC: cluster, vc, failed_gpu_s, cancelled_gpu_s."""
    figure = blank(x_title="GPU-hours")
    shown = _named(rows)
    for status in ("failed", "cancelled"):
        figure.add_bar(
            x=shown[f"{status}_gpu_s"] / 3600,
            y=shown["name"],
            orientation="h",
            name=status,
            marker=bar_marker(*STATUSES[status]),
            customdata=_addresses(shown, address),
            hovertemplate=f"%{{x:,.0f}}{NBSP}{GPU_H}<extra>%{{y}}, {status}</extra>",
        )
    _rows_of_vcs(figure, shown)
    figure.update_layout(barmode="stack", xaxis={"rangemode": "tozero"})
    return figure


def _rows_of_vcs(figure: go.Figure, rows: pd.DataFrame) -> None:
    """VCs as rows, the first on top; a few are no thicker than many."""
    free = 0.5 + max(0, ROWS_AT_LEAST - len(rows)) / 2
    figure.update_layout(
        height=HEIGHT_PX,
        hovermode="closest",
        xaxis={"showgrid": True},
        yaxis={
            "type": "category",
            "range": [-free, len(rows) - 1 + free],
            "categoryorder": "array",
            "categoryarray": rows["name"].tolist()[::-1],
            **short_ticks(rows["name"].tolist()),
            "showgrid": False,
        },
    )


def short_ticks(names: list[str]) -> dict[str, object]:
    """Ticks of a category axis of names: long ones lose their middle, to leave room for the chart.

    Of a name in two parts, such as a VC and its cluster, each loses its own.
    """
    return {"tickmode": "array", "tickvals": names, "ticktext": [_short(name) for name in names]}


def _short(name: str) -> str:
    first, between, second = name.partition(SEPARATOR)
    if not between:
        return _without_middle(name, MOST_LETTERS)
    room = MOST_LETTERS - len(SEPARATOR)
    own = max(room // 2, room - len(second))
    parts = _without_middle(first, own), _without_middle(second, room - min(len(first), own))
    return SEPARATOR.join(parts)


def _without_middle(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """The first rows with the name of each on the axis: with its cluster where there are several."""
    shown, several = rows.head(SHOWN_VCS), rows["cluster"].nunique() > 1
    vcs = shown["vc"].fillna("no VC").astype(str)
    return shown.assign(name=vcs + SEPARATOR + shown["cluster"] if several else vcs)


def _addresses(rows: pd.DataFrame, address: Address, *more: pd.Series) -> list[list[object]]:
    """Per point: the address that a click opens, or None, and what its hover shows."""
    places = [
        None if pd.isna(vc) else address(cluster, vc)
        for cluster, vc in zip(rows["cluster"], rows["vc"], strict=True)
    ]
    return [list(values) for values in zip(places, *more, strict=True)]


def _faint(color: str, opacity: float = 0.25) -> str:
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
