"""What a schedule does to jobs: waiting by VC, its distribution, and the load over time, by policy."""

from math import log10

import pandas as pd
import plotly.graph_objects as go

from components.figures.template import blank, duration_axis, percent_axis
from components.figures.thinning import thinned
from components.numbers import duration
from components.policies import policy_label
from components.theme import POLICIES

#: Line style of a policy → pattern of its bars, so that color is never alone.
PATTERNS = {
    "solid": "",
    "dash": "/",
    "dot": ".",
    "dashdot": "\\",
    "longdash": "x",
    "longdashdot": "-",
    "3px,5px": "|",
    "14px,4px": "+",
    "8px,3px,2px,3px,2px,3px": "",
}
#: Steps between the ticks of a linear axis of durations, s.
STEPS_S = (
    1,
    2,
    5,
    10,
    20,
    30,
    60,
    120,
    300,
    600,
    1200,
    1800,
    3600,
    7200,
    18000,
    36000,
    86400,
    172800,
    432000,
    864000,
)
TICKS = 5
#: Where a logarithmic axis of delays begins: a shorter delay is no waiting.
SHORTEST_DELAY_S = 1.0


def averages_by_vc(rows: pd.DataFrame, value: str, y_title: str) -> go.Figure:
    """Bars of an average duration by VC and policy: policy, label (the VC), and the column ``value`` in s.

    The VCs keep the order in which they appear; a null has no bar.
    """
    figure = blank(y_title=y_title)
    labels = list(dict.fromkeys(rows["label"]))
    for policy in _in_order(rows["policy"]):
        own = rows[rows["policy"] == policy].set_index("label")[value].reindex(labels)
        color, dash, _ = POLICIES[policy]
        figure.add_bar(
            x=[label.replace(" · ", "<br>") for label in labels],
            y=own,
            customdata=[duration(each) for each in own],
            name=policy_label(policy),
            marker={
                "color": color,
                "pattern": {
                    "shape": PATTERNS[dash],
                    "bgcolor": color,
                    "fgcolor": "rgba(255,255,255,.6)",
                    "size": 6,
                },
            },
            hovertemplate="%{customdata}",
        )
    figure.update_layout(barmode="group", xaxis={"type": "category"})
    linear_duration_axis(figure, rows[value].max())
    return figure


def queueing_delay_cdf(curve: pd.DataFrame) -> go.Figure:
    """Share of jobs that waited at most so long: policy, queueing_delay_s, share (0–1), ≤ 400 rows each."""
    figure = blank(x_title="queueing delay (log scale)", y_title="share of jobs")
    for policy in _on_top(curve["policy"]):
        own = curve[curve["policy"] == policy]
        visible = own[own["queueing_delay_s"] >= SHORTEST_DELAY_S]
        at_once = own.loc[own["queueing_delay_s"] < SHORTEST_DELAY_S, "share"].max()
        start = pd.DataFrame(
            {"queueing_delay_s": [SHORTEST_DELAY_S], "share": [0.0 if pd.isna(at_once) else at_once]}
        )
        drawn = pd.concat([start, visible[["queueing_delay_s", "share"]]])
        _line(
            figure, drawn["queueing_delay_s"], 100 * drawn["share"], policy, shape="hv", template="%{y:.1f} %"
        )
    duration_axis(figure)
    longest = max(float(curve["queueing_delay_s"].max() if len(curve) else 0), 60.0)
    figure.update_layout(xaxis={"range": [0, log10(longest * 1.1)]})
    percent_axis(figure, upper=102)
    figure.update_layout(yaxis={"range": [_below([min(line.y) for line in figure.data]), 102]})
    return figure


def _below(percents: list[float]) -> float:
    """Where an axis of per cent begins: at 0, or below all of them where they are in its upper half."""
    least = min(percents, default=0.0)
    return 10 * (least // 10) if least > 50 else 0.0


def waiting_jobs(series: pd.DataFrame, timezone: str) -> go.Figure:
    """Jobs that wait over time: policy, local_time, waiting_jobs (mean of a slot)."""
    figure = blank(x_title=f"time ({timezone})", y_title="jobs waiting")
    for policy in _on_top(series["policy"]):
        own = thinned(series[series["policy"] == policy], "waiting_jobs")
        _line(figure, own["local_time"], own["waiting_jobs"].astype("float32"), policy, template="%{y:,.0f}")
    figure.update_layout(yaxis={"rangemode": "tozero", "tickformat": ",d"})
    return figure


def utilization(series: pd.DataFrame, timezone: str) -> go.Figure:
    """GPUs running ÷ present over time: policy, local_time, utilization (0–1; null of no GPUs)."""
    figure = blank(x_title=f"time ({timezone})", y_title="GPUs running ÷ present")
    for policy in _on_top(series["policy"]):
        own = thinned(series[series["policy"] == policy], "utilization")
        _line(
            figure,
            own["local_time"],
            (100 * own["utilization"]).astype("float32"),
            policy,
            template="%{y:.1f} %",
        )
    percent_axis(figure)
    return figure


def linear_duration_axis(figure: go.Figure, largest_s: float, axis: str = "yaxis") -> None:
    """A linear axis of seconds from zero, with ticks at durations people know."""
    largest_s = 1.0 if pd.isna(largest_s) or largest_s <= 0 else float(largest_s)
    step = next(
        (each for each in STEPS_S if largest_s / each <= TICKS),
        STEPS_S[-1] * max(1, round(largest_s / STEPS_S[-1] / TICKS)),
    )
    ticks = [step * place for place in range(int(largest_s // step) + 2)]
    figure.update_layout(
        {axis: {"tickvals": ticks, "ticktext": [tick_text(tick) for tick in ticks], "rangemode": "tozero"}}
    )


def log_duration_axis(figure: go.Figure, drawn_s: "pd.Series[float]", axis: str = "yaxis") -> None:
    """A logarithmic axis of seconds around the durations that are drawn, a second at least each."""
    duration_axis(figure, axis=axis)
    known = drawn_s.dropna()
    least, most = (known.min(), known.max()) if len(known) else (SHORTEST_DELAY_S, 60.0)
    figure.update_layout({axis: {"range": [log10(least / 1.4), log10(most * 1.4)]}})


def tick_text(seconds: float) -> str:
    """A round duration in its largest whole unit: 0, 90 s, 5 min, 2 h, 3 d."""
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length:g} {unit}"
    return f"{seconds:g} s" if seconds else "0"


def _in_order(policies: pd.Series) -> list[str]:
    present = set(policies)
    return [policy for policy in POLICIES if policy in present]


def _on_top(policies: pd.Series) -> list[str]:
    """The same with QSSF, the one in question, drawn over the others; the legend keeps the order."""
    return sorted(_in_order(policies), key=lambda policy: policy == "qssf")


def _line(
    figure: go.Figure, x: pd.Series, y: pd.Series, policy: str, *, template: str, shape: str = "linear"
) -> None:
    color, dash, width = POLICIES[policy]
    figure.add_scatter(
        x=x,
        y=y,
        name=policy_label(policy),
        legendrank=list(POLICIES).index(policy),
        mode="lines",
        line={"color": color, "dash": dash, "width": width, "shape": shape},
        hovertemplate=template,
    )
