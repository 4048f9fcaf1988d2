"""The charts and tables of a replay's result, each a view of a finished run."""

import pandas as pd

from components import replay_summary as summary
from components import replay_tables as tables
from components import replay_trust, replay_worth
from components.figures import scheduling as figures
from components.numbers import plural
from components.policies import policy_label
from components.tables import Column, data_table
from pages.finished_run import FinishedRun
from pages.views import View

#: VCs that a bar chart shows, whose names stand side by side on a phone; its table and CSV have all.
SHOWN_VCS = 6
#: Of charts side by side: under a phone's legend of every policy there is still room for a chart.
CHART_PX = 340
QUEUEING = "avg_queueing_delay_s", "average queueing delay"
#: What the CSV and the table of a chart by VC show.
VC_COLUMNS = tables.SHORT


def by_vc(run: FinishedRun) -> pd.DataFrame:
    """The result rows of single VCs."""
    return summary.by_vc(run.document)


def all_rows(run: FinishedRun) -> pd.DataFrame:
    """Every result row, totals first, the policies of a VC together, with the titles that the table shows."""
    rows = pd.json_normalize(run.document["results"], sep="_")
    several = rows["cluster"].nunique() > 1
    rows.insert(
        0, "label", [_label(*each, several) for each in zip(rows["cluster"], rows["vc"], strict=True)]
    )
    rows.insert(0, "policy_title", rows["policy"].map(policy_label))
    rows["_total"] = (rows["cluster"] != summary.ALL).astype(int) + (rows["vc"] != summary.ALL).astype(int)
    return rows.sort_values(["_total", "label"], kind="stable").drop(columns="_total")


def _label(cluster: str, vc: str, several: bool) -> str:
    if vc != summary.ALL:
        return f"{vc} · {cluster}" if several else vc
    return "all clusters" if cluster == summary.ALL else f"all of {cluster}"


def totals(run: FinishedRun) -> dict[str, dict]:
    """The row of all VCs of each policy."""
    return summary.totals(run.document)


def load(run: FinishedRun) -> pd.DataFrame:
    """The load over time by policy, with its share of the GPUs present."""
    series = run.table("series")
    present = series["present_gpus"].astype(float)
    return series.assign(utilization=series["running_gpus"] / present.where(present > 0))


RESULTS_METHOD = (
    "JCT is submission to end, queueing all time spent waiting. Slowdown is JCT ÷ duration of a job (10 s at "
    "least), its mean. Free in vain are GPU-hours in which GPUs were free while a job waited at the head of "
    "the queue and could not use them; of these scattered: enough of them were free, on the wrong nodes."
)
WORTH_METHOD = (
    "Gap closed: (FIFO − own) ÷ (FIFO − true GPU time), of average queueing. It may exceed 100 %: no order "
    "by GPU time is optimal where a blocked head holds up the queue. The user's mean is that of the jobs "
    "that had ended by the submission."
)


def _groups(by: str) -> tuple[Column, ...]:
    first, second, *rest = tables.GROUP_COLUMNS
    return (first, Column(second.name, {"by_size": "Jobs of", "by_duration": second.title}[by]), *rest)


def _scope_note(run: FinishedRun) -> str:
    scenario = run.document["scenario"]
    return f"GPU jobs of {', '.join(scenario['clusters'])} submitted {run.window_text()}"


def _vcs_note(rows: pd.DataFrame, what: str) -> str:
    vcs = rows["label"].nunique()
    if vcs <= SHOWN_VCS:
        return f"{what}, by virtual cluster."
    shown = f"the {SHOWN_VCS} of {plural(vcs, 'virtual cluster')} where it is longest under FIFO"
    return f"{what}: {shown}; the table has all."


def _in_two_lines(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with labels that stand side by side on a phone, not slanted."""
    return rows.assign(label=rows["label"].str.replace(" ", "<br>", n=1))


def _no_job(run: FinishedRun) -> str | None:
    """Why there are no averages; None where there are."""
    ran = any(row["avg_jct_s"] is not None for row in totals(run).values())
    return None if ran else "No job could be replayed."


def _no_gpus(run: FinishedRun) -> str | None:
    """Why there is no utilization; None where there is."""
    return None if load(run)["utilization"].notna().any() else "No capacity is known, or there were no GPUs."


def _bars(value: str, title: str):  # a figure of the largest VCs
    return lambda rows, run: figures.averages_by_vc(summary.largest_vcs(rows, value, SHOWN_VCS), value, title)


VIEWS = (
    View[FinishedRun](
        name="replay-delays",
        title="Queueing delay, share of jobs",
        method=(
            "Queueing delay is all time from submission that a job spends waiting, also after a preemption. "
            "The curve is exact at each of its steps."
        ),
        rows=lambda run: run.table("cdf"),
        figure=lambda rows, run: figures.queueing_delay_cdf(rows),
        columns=(
            Column("policy", "Policy"),
            Column("queueing_delay_s", "Queueing delay at most", "duration"),
            Column("share", "Share of jobs", "percent"),
        ),
        note=lambda rows, run: f"{_scope_note(run)}; log scale, delays under a second at its left edge.",
        nothing="No job ran, so nobody waited.",
        height=CHART_PX,
    ),
    View[FinishedRun](
        name="replay-queueing",
        title="Average queueing by virtual cluster",
        method=(
            "The delays of all jobs of the VC that ran, added up and divided by their number; jobs that no "
            "node could ever hold are rejected and in no average."
        ),
        rows=by_vc,
        figure=_bars(*QUEUEING),
        columns=VC_COLUMNS[1:],
        note=lambda rows, run: _vcs_note(rows, "Mean of submission to start"),
        absent=_no_job,
        nothing="No job could be replayed.",
        height=CHART_PX,
    ),
    View[FinishedRun](
        name="replay-jct",
        title="Average job completion time by virtual cluster",
        method=(
            "Job completion time is submission to end: waiting, running and what preemption added. Rejected "
            "jobs are in no average."
        ),
        rows=by_vc,
        figure=_bars("avg_jct_s", "average JCT"),
        columns=VC_COLUMNS[1:],
        note=lambda rows, run: _vcs_note(rows, "Mean of submission to end"),
        absent=_no_job,
        nothing="No job could be replayed.",
        height=CHART_PX,
    ),
    View[FinishedRun](
        name="replay-durations",
        title="Average queueing by duration",
        method=(
            "A job's group is its duration in the trace, which no policy changes; the mean is over the jobs "
            "of the group that ran."
        ),
        rows=lambda run: tables.group_rows(totals(run), "by_duration"),
        figure=lambda rows, run: figures.averages_by_vc(rows, *QUEUEING),
        columns=_groups("by_duration"),
        note=lambda rows, run: "Jobs that take less than 15 minutes, less than 6 hours, and longer.",
        nothing="No job could be replayed.",
        height=CHART_PX,
    ),
    View[FinishedRun](
        name="replay-sizes",
        title="Average queueing by size",
        method=(
            "A job's group is the GPUs that it asks for; the mean is over the jobs of the group that ran."
        ),
        rows=lambda run: tables.group_rows(totals(run), "by_size"),
        figure=lambda rows, run: figures.averages_by_vc(_in_two_lines(rows), *QUEUEING),
        columns=_groups("by_size"),
        note=lambda rows, run: "Jobs by the GPUs that they ask for; less than one counts as one.",
        nothing="No job could be replayed.",
        height=CHART_PX,
    ),
    View[FinishedRun](
        name="replay-utilization",
        title="Utilization over time",
        method=(
            "GPUs that jobs hold, integrated exactly over each slot of 10 minutes, ÷ the GPUs of the "
            "replayed nodes in it."
        ),
        rows=load,
        absent=_no_gpus,
        figure=lambda rows, run: figures.utilization(rows, run.timezone),
        columns=(
            Column("policy", "Policy"),
            Column("local_time", "Time", "time"),
            Column("running_gpus", "GPUs running", "count"),
            Column("present_gpus", "GPUs present", "count"),
            Column("utilization", "Utilization", "percent"),
        ),
        note=lambda rows, run: "GPUs running ÷ GPUs present, mean of 10 minutes.",
        height=CHART_PX,
    ),
    View[FinishedRun](
        name="replay-waiting",
        title="Jobs waiting over time",
        method=(
            "Jobs between their submission and their start, and preempted ones until they go on, integrated "
            "exactly over each slot of 10 minutes."
        ),
        rows=load,
        figure=lambda rows, run: figures.waiting_jobs(rows, run.timezone),
        columns=(
            Column("policy", "Policy"),
            Column("local_time", "Time", "time"),
            Column("waiting_jobs", "Jobs waiting", "count"),
        ),
        note=lambda rows, run: (
            "Jobs submitted and not started, mean of 10 minutes. Jobs run on after the window's end."
        ),
        span="full",
    ),
    View[FinishedRun](
        name="replay-results",
        title="Results by policy and virtual cluster",
        rows=all_rows,
        table=lambda rows, run: tables.results_table(rows),
        columns=VC_COLUMNS,
        note=lambda rows, run: (
            "Rejected jobs are in no average. Waited: a second or more. Percentiles: linear interpolation. "
            "The CSV has all numbers."
        ),
        method=RESULTS_METHOD,
        span="full",
    ),
)
WORTH = View[FinishedRun](
    name="replay-worth",
    title="What are QSSF's estimates worth?",
    rows=lambda run: replay_worth.rows(run.document.get("worth") or []),
    table=lambda rows, run: replay_worth.table(run.document["worth"], rows),
    columns=replay_worth.COLUMNS,
    note=lambda rows, run: (
        "The same jobs under the same rules, by plain orders that predict little or nothing, and by true GPU "
        "time, which nobody knows."
    ),
    method=WORTH_METHOD,
    span="full",
)
RECORDED = View[FinishedRun](
    name="replay-recorded",
    title="How near is the replay to what was recorded?",
    method=(
        "FIFO replays the jobs as the trace has them. Per job: the difference between the start that was "
        "recorded and the one that was simulated."
    ),
    rows=lambda run: pd.DataFrame(replay_trust.recorded_rows(run.document)),
    table=lambda rows, run: data_table(rows, RECORDED.columns),
    columns=(
        Column("label", "Virtual cluster"),
        Column("jobs", "Jobs", "count"),
        Column("recorded_avg_queueing_delay_s", "Queueing recorded", "duration"),
        Column("fifo_avg_queueing_delay_s", "FIFO simulated", "duration"),
        Column("recorded_avg_jct_s", "JCT recorded", "duration"),
        Column("fifo_avg_jct_s", "FIFO simulated", "duration"),
        Column("mean_absolute_difference_s", "Off by, per job", "duration"),
        Column("within_60_s", "Within a minute", "percent"),
    ),
    note=lambda rows, run: (
        "The schedule that the trace recorded beside FIFO on the same jobs, without any change of this "
        "scenario: "
        "how far to trust the replay."
    ),
    span="full",
)
VIEWS = (*VIEWS, WORTH, RECORDED)


def is_shown(view: View[FinishedRun], document: dict) -> bool:
    """QSSF is judged where it was replayed, the recorded schedule shown where the trace has one."""
    if view is WORTH:
        return bool(document.get("worth"))
    return view is not RECORDED or bool(replay_trust.recorded_rows(document))
