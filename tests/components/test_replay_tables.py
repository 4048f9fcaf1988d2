"""The tables of a replay: few columns first, all numbers behind them."""

import pandas as pd

from components import replay_tables as tables
from tests.components.text import plain, text_of

ROW = {
    "policy_title": "FIFO",
    "label": "vcA",
    "jobs": 3,
    "avg_jct_s": 3600.0,
    "avg_queueing_delay_s": 60.0,
    "p95_queueing_delay_s": 90.0,
    "queued_jobs": 2,
    "gpu_utilization": 0.5,
    "avg_slowdown": 1.52,
    "rejected_jobs": 0,
    "unfinished_jobs": 0,
    "unfinished_gpu_h": 0.0,
    "preemptions": 0,
    "makespan_s": 7200.0,
    "fragmentation_gpu_h": 12.5,
    "scattered_gpu_h": 1.25,
    **{f"{name}_{what}_s": 30.0 for name in ("median", "p90", "p99") for what in ("jct", "queueing_delay")},
    "p95_jct_s": 30.0,
}


def test_the_short_table_leaves_percentiles_and_the_course_to_more_numbers():
    short = {column.name for column in tables.SHORT}
    behind = {column.name for column in (*tables.SPREAD, *tables.COURSE)}
    assert short | behind >= set(ROW)
    assert len(tables.SHORT) <= 8
    assert "median_jct_s" not in short and "fragmentation_gpu_h" not in short
    made = tables.results_table(pd.DataFrame([ROW]))
    cells = [row for each in made._traverse() for row in (getattr(each, "data", None) or {}).get("body", [])]
    assert "More numbers" in text_of(made)
    assert [len(row) for row in cells] == [8, 10, 6]
    assert [plain(cell) for cell in cells[0][2:]] == ["3", "1 h", "1 min", "1 min 30 s", "2", "50.0 %"]
    assert [plain(cell) for cell in cells[2][2:]] == ["1.52 ×", "2 h", "12", "1.2"]


def test_a_column_that_says_zero_in_every_row_is_left_out():
    rows = pd.DataFrame([ROW, ROW | {"preemptions": 7}])
    names = [column.name for column in tables.known(rows, tables.COURSE)]
    assert "preemptions" in names and "unfinished_jobs" not in names


def test_a_run_stored_before_a_number_was_made_has_the_columns_that_it_has():
    old = pd.DataFrame([{"policy_title": "FIFO", "label": "vcA", "jobs": 3}])
    assert [column.name for column in tables.known(old, tables.SPREAD)] == ["policy_title", "label"]


def test_ties_are_an_interval_of_each_number_where_both_orders_were_replayed():
    tied = {"tie_interval_avg_jct_s": [3600.0, 7200.0], "tie_interval_gpu_utilization": [0.5, 0.50001]}
    made = tables.results_table(pd.DataFrame([ROW | tied, ROW | {"tie_interval_avg_jct_s": None}]))
    data = [each.data for each in made._traverse() if getattr(each, "data", None)][-1]
    assert data["head"] == ["Policy", "Virtual cluster", "Average JCT", "Utilization"]
    assert [plain(cell) for cell in data["body"][0][2:]] == ["1 h – 2 h", "50.0 %"]
    assert data["body"][1][2] == "unknown"
    assert "same second" not in text_of(tables.results_table(pd.DataFrame([ROW])))


def test_groups_are_a_row_per_policy_and_kind_of_job():
    numbers = {"jobs": 2, "avg_jct_s": 10.0, "avg_queueing_delay_s": 4.0, "avg_slowdown": None}
    groups = {"1": numbers, "9-32": numbers | {"jobs": 0}, "33+": numbers | {"jobs": 5}}
    totals = {"fifo": {"by_size": groups}, "qssf": {}}
    rows = tables.group_rows(totals, "by_size")
    assert rows[["policy", "label", "jobs"]].values.tolist() == [
        ["fifo", "1 GPU", 2],
        ["fifo", "33 and more", 5],
    ]
