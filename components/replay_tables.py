"""The numbers of a replay as tables: a short one, the percentiles behind it, and groups of like jobs."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from dash import html

from components.numbers import GPU_H, UNKNOWN
from components.policies import policy_label
from components.tables import FORMATS, Column, data_table

ALL = "*"
NAMES = (Column("policy_title", "Policy"), Column("label", "Virtual cluster"))
#: What a reader compares first.
SHORT = (
    *NAMES,
    Column("jobs", "Jobs", "count"),
    Column("avg_jct_s", "Average JCT", "duration"),
    Column("avg_queueing_delay_s", "Average queueing", "duration"),
    Column("p95_queueing_delay_s", "Queueing, p95", "duration"),
    Column("queued_jobs", "Waited", "count"),
    Column("gpu_utilization", "Utilization", "percent"),
)
#: Behind “more numbers”: how the jobs are distributed …
SPREAD = (
    *NAMES,
    Column("median_jct_s", "JCT, median", "duration"),
    Column("p90_jct_s", "p90", "duration"),
    Column("p95_jct_s", "p95", "duration"),
    Column("p99_jct_s", "p99", "duration"),
    Column("median_queueing_delay_s", "Queueing, median", "duration"),
    Column("p90_queueing_delay_s", "p90", "duration"),
    Column("p95_queueing_delay_s", "p95", "duration"),
    Column("p99_queueing_delay_s", "p99", "duration"),
)
#: … and what the cluster did meanwhile.
COURSE = (
    *NAMES,
    Column("avg_slowdown", "Slowdown", "times"),
    Column("rejected_jobs", "Rejected", "count"),
    Column("unfinished_jobs", "Unfinished", "count"),
    Column("unfinished_gpu_h", f"Backlog, {GPU_H}", "count"),
    Column("preemptions", "Preemptions", "count"),
    Column("makespan_s", "Makespan", "duration"),
    Column("fragmentation_gpu_h", f"Free in vain, {GPU_H}", "count"),
    Column("scattered_gpu_h", "of these scattered", "count"),
)
#: Columns that a table leaves out where every row says zero.
ONLY_IF_ANY = ("unfinished_jobs", "unfinished_gpu_h", "preemptions", "rejected_jobs")
#: How far a number moves when jobs of the same second go in reverse order, where both were replayed.
TIES = (
    Column("avg_jct_s", "Average JCT", "duration"),
    Column("avg_queueing_delay_s", "Average queueing", "duration"),
    Column("p95_queueing_delay_s", "Queueing, p95", "duration"),
    Column("queued_jobs", "Waited", "count"),
    Column("makespan_s", "Makespan", "duration"),
    Column("gpu_utilization", "Utilization", "percent"),
)
GROUPS = {
    "by_duration": {"short": "below 15 min", "middle": "15 min to 6 h", "long": "6 h and more"},
    "by_size": {"1": "1 GPU", "2-8": "2–8 GPUs", "9-32": "9–32 GPUs", "33+": "33 and more"},
}
GROUP_COLUMNS = (
    Column("policy_title", "Policy"),
    Column("label", "Jobs that take"),
    Column("jobs", "Jobs", "count"),
    Column("avg_jct_s", "Average JCT", "duration"),
    Column("avg_queueing_delay_s", "Average queueing", "duration"),
    Column("avg_slowdown", "Slowdown", "times"),
)


def known(rows: pd.DataFrame, columns: tuple[Column, ...]) -> list[Column]:
    """The columns that the rows have; those of ``ONLY_IF_ANY`` where any row says more than zero."""
    has = [column for column in columns if column.name in rows]
    return [column for column in has if column.name not in ONLY_IF_ANY or rows[column.name].any()]


def results_table(rows: pd.DataFrame) -> html.Div:
    """The short table, and behind “more numbers” percentiles and what the cluster did."""
    more = [data_table(rows, known(rows, columns)) for columns in (SPREAD, COURSE)]
    more += _ties(rows)
    opened = html.Details([html.Summary("More numbers"), *more], className="more-numbers")
    return html.Div([data_table(rows, known(rows, SHORT)), opened])


def _ties(rows: pd.DataFrame) -> list[Any]:
    """The interval of each number under both orders of ties; nothing where one was replayed."""
    shown = rows[[column.name for column in NAMES]].copy()
    columns = list(NAMES)
    for column in TIES:
        ends = rows.get(f"tie_interval_{column.name}")
        if ends is not None:
            shown[column.name] = [_ends(each, FORMATS[column.kind]) for each in ends]
            columns.append(Column(column.name, column.title, "written"))
    if len(columns) == len(NAMES):
        return []
    said = "Under both orders of jobs that were submitted in the same second:"
    return [html.P(said, className="muted"), data_table(shown, columns)]


def _ends(interval: Any, written: Callable[[Any], str]) -> str:
    """Both ends, one where they are written alike; unknown where there are none."""
    if not isinstance(interval, (list, tuple)):
        return UNKNOWN
    return " – ".join(dict.fromkeys(written(each) for each in interval))


def group_rows(totals: Mapping[str, Mapping[str, Any]], by: str) -> pd.DataFrame:
    """A row per policy and group of like jobs, of the totals by policy; ``by`` is a key of ``GROUPS``.

    A group of which no policy ran a job is left out.
    """
    present = {group for row in totals.values() for group, own in row.get(by, {}).items() if own["jobs"]}
    made = []
    for policy, row in totals.items():
        for group, numbers in row.get(by, {}).items():
            if group not in present:
                continue
            names = {"policy": policy, "policy_title": policy_label(policy), "label": GROUPS[by][group]}
            made.append(names | dict(numbers))
    return pd.DataFrame(made, columns=["policy", *(column.name for column in GROUP_COLUMNS)])
