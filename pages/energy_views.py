"""What a result of an energy run shows below its charts: the frontier, the choice of the model, the marks."""

from typing import Any

import pandas as pd

from components import frontier_summary
from components.figures import decomposition as parts_figure
from components.figures import frontier as frontier_figure
from components.forecast_models import model_title
from components.numbers import duration, plural, signed_percent
from components.tables import Column, data_table
from pages.finished_run import FinishedRun
from pages.scope import local_times, naive_utc
from pages.views import View

Document = dict[str, Any]


def own_point(document: Document) -> tuple[float, float] | None:
    """The run's own lack events and sleeping nodes."""
    result = document.get("result")
    if result is None or result["mean_sleeping_nodes"] is None:
        return None
    return float(result["lack_events"]), float(result["mean_sleeping_nodes"])


def points(run: FinishedRun) -> pd.DataFrame:
    """The frontier's points, with the titles that the table shows."""
    rows = pd.DataFrame(run.document["frontier"])
    rows = rows.astype({"parameter": float, "mean_sleeping_nodes": float})
    titles = [
        frontier_figure.curve_title(name, None if pd.isna(forecast) else forecast)
        for name, forecast in zip(rows["controller"], rows["forecast"], strict=True)
    ]
    return rows.assign(title=titles)


def frontier_note(run: FinishedRun) -> str:
    """What a point is, whether the forecast is worth it, and which controller is best."""
    comparison = run.document["comparison"]
    chosen = run.document["forecast"].get("chosen")
    said = [frontier_summary.forecast_verdict(comparison, chosen), frontier_summary.best_curve(comparison)]
    return (
        "Each dot is a buffer, a margin or a quantile; up and left is better; lines are compared at the "
        "dotted number of lack events. The true future is the limit. "
        + " ".join(each for each in said if each)
    )


def decision(run: FinishedRun) -> pd.DataFrame:
    """The table that ``auto`` decided from: differences to the local level, in words and by horizon."""
    made = run.document["forecast"]["decision"]
    chosen = run.document["forecast"]["chosen"]
    rows = pd.DataFrame(
        {
            "model": each["model"],
            "title": f"{model_title(each['model'])}{' (chosen)' if each['model'] == chosen else ''}",
            "verdict": "the baseline" if each["model"] == "level" else each["verdict"],
            "interval": f"{signed_percent(each['low'])} to {signed_percent(each['high'])}",
            "difference": each["difference"],
        }
        for each in made["models"]
    )
    by_horizon = pd.DataFrame(made["horizons"]).pivot(index="model", columns="horizon_s", values="difference")
    for horizon_s in by_horizon:
        rows[f"at_{horizon_s}"] = rows["model"].map(by_horizon[horizon_s])
    return rows


def decision_columns(rows: pd.DataFrame) -> list[Column]:
    """The columns of the table: the verdict, the difference with its interval, the difference by horizon."""
    horizons = [name for name in rows if name.startswith("at_")]
    return [
        Column("title", "Model"),
        Column("verdict", "Against the level"),
        Column("interval", "95 % interval", "written"),
        Column("difference", "Error, all horizons", "change"),
        *(Column(name, f"at {duration(int(name[3:]))}", "change") for name in horizons),
    ]


def decision_note(run: FinishedRun) -> str:
    """What was compared, over which days, and what came of it."""
    made = run.document["forecast"]["decision"]
    return (
        f"{made['sentence']} Difference of absolute errors to the local level's over "
        f"{plural(made['days'], 'day')} before the window, paired by day; "
        "less is better. No measurable difference: the interval includes 0."
    )


def marks(run: FinishedRun) -> pd.DataFrame:
    """The marked slots before and in the window: reason, local beginning and end, what stood there."""
    rows = pd.DataFrame(run.document["forecast"]["marks"])
    for name in ("from", "to"):
        rows[name] = local_times(pd.Series([naive_utc(each) for each in rows[name]]), run.timezone)
    return rows.assign(
        treated=["as recorded (kept by the operator)" if kept else "missing" for kept in rows["kept"]]
    )


def late_by_vc(run: FinishedRun) -> pd.DataFrame:
    """What sleep did to the jobs of each VC, the most delayed first."""
    rows = pd.DataFrame(run.document["jobs"]["by_vc"])
    return rows.sort_values(["jobs_delayed", "vc"], ascending=[False, True], kind="stable")


FRONTIER = View[FinishedRun](
    name="energy-frontier",
    title="Choose your point",
    rows=points,
    figure=lambda rows, run: frontier_figure.frontier(
        rows, own_point(run.document), run.document["comparison"]["at_lack_events"]
    ),
    columns=(
        Column("title", "Controller, forecast"),
        Column("parameter", "Parameter", "count"),
        Column("mean_sleeping_nodes", "Asleep", "count"),
        Column("lack_events", "Lack events", "count"),
        Column("lacking_nodes", "Lacking nodes", "count"),
        Column("wake_ups_per_day", "Wake-ups a day", "count"),
        Column("nodes_woken_per_day", "Nodes woken a day", "count"),
    ),
    note=lambda rows, run: frontier_note(run),
    method=(
        "Every controller acts on the same demand, without the jobs' replay. Swept: CES's buffer σ and "
        "the margin, and the quantile of the forecast. A lack event is a slot that needs more nodes than "
        "are awake when it begins."
    ),
    height=frontier_figure.HEIGHT_PX,
    span="full",
)
LATE = View[FinishedRun](
    name="energy-late-jobs",
    title="Who waits for sleeping nodes?",
    method=(
        "The jobs are replayed twice, with every node awake and with the nodes that slept and took their "
        "time to boot; a job's delay is the difference of its two starts."
    ),
    rows=late_by_vc,
    table=lambda rows, run: data_table(rows, LATE.columns),
    columns=(
        Column("vc", "Virtual cluster"),
        Column("jobs", "Jobs", "count"),
        Column("jobs_delayed", "Delayed", "count"),
        Column("delayed_mean_s", "Their mean delay", "if_any"),
        Column("delayed_p95_s", "p95", "if_any"),
        Column("delayed_max_s", "Longest", "if_any"),
    ),
    note=lambda rows, run: (
        "Jobs that start at least a second later than without sleep. No job is moved; a node with a "
        "running job stays awake."
    ),
    nothing="No job was submitted in this window.",
    span="full",
)
DECISION = View[FinishedRun](
    name="energy-decision",
    title="Why this model?",
    method=(
        "Candidates forecast the last weeks before the window from earlier slots alone and are held against "
        "the local level; another one is taken only where it is better by more than one standard error of "
        "the days' differences, and by 1 %. Nothing of the window takes part."
    ),
    rows=decision,
    table=lambda rows, run: data_table(rows, decision_columns(rows)),
    columns=(),
    note=lambda rows, run: decision_note(run),
    span="full",
)
PARTS = View[FinishedRun](
    name="energy-parts",
    title="What the model sees in the demand",
    method=(
        "Level, day and week are the states of a model that is fitted on the days before; the remainder is "
        "what they leave of the slot."
    ),
    rows=lambda run: run.table("slots"),
    figure=lambda rows, run: parts_figure.decomposition(rows, run.timezone),
    columns=(
        Column("local_time", "Time", "time"),
        Column("used", "In use", "count"),
        *(Column(name, title.capitalize(), "count") for name, (title, _) in parts_figure.PARTS.items()),
    ),
    note=lambda rows, run: (
        "Nodes in use = level + day + week + remainder, each slot taken apart with what is known after "
        "it and nothing later. A pattern that gains no likelihood on the days before is taken as none: "
        "a flat line."
    ),
    height=parts_figure.height_px(len(parts_figure.PARTS) - 1),
    span="full",
)
MARKS = View[FinishedRun](
    name="energy-marks",
    title="What was left out of the demand",
    method=(
        "Rules about the slot and earlier ones: runs of zeros, fewer than 60 % of the usual nodes reporting "
        "(the median of the week before), more in use than present, hours that come twice."
    ),
    rows=marks,
    table=lambda rows, run: data_table(rows, MARKS.columns),
    columns=(
        Column("reason", "Reason"),
        Column("treated", "Treated as"),
        Column("from", "From", "time"),
        Column("to", "To", "time"),
        Column("slots", "Slots", "count"),
        Column("recorded_mean_nodes", "Nodes recorded, mean", "count"),
    ),
    note=lambda rows, run: (
        f"Before and in the window, times in {run.timezone}; found by rule from earlier slots. Missing "
        "is unknown, never zero. heliograph energy --keep FROM/TO and --drop FROM/TO overrule a mark."
    ),
    span="full",
)


def shown(view: View[FinishedRun], document: Document) -> bool:
    """Whether a run has what a view shows."""
    forecast = document["forecast"]
    return {
        FRONTIER.name: bool(document.get("frontier")),
        LATE.name: bool(document.get("jobs")),
        DECISION.name: bool(forecast.get("decision")),
        PARTS.name: (forecast.get("chosen") or forecast["model"]) == "seasonal",
        MARKS.name: bool(forecast.get("marks")),
    }.get(view.name, True)
