"""The numbers of a result row, the load series and the delay distribution, by hand and against plain sums."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workloads import jobs_frame, workloads

from scheduling import POLICIES, ScenarioError, replay
from scheduling.metrics import delay_cdf, result_rows, series, summary

ROWS = [(0, 8, 10), (0, 8, 10), (5.5, 4, 20), (6, 99, 1), (6, 0, 1), (6, 1, float("nan"))]


def test_a_summary_has_the_numbers_of_a_result_row():
    outcome = replay(jobs_frame(ROWS), {"v": 8}, policy="fifo")
    # starts 0, 10, 20; ends 10, 20, 40; delays 0, 10, 14.5
    assert summary(outcome.jobs, 8, {"cpu": 1, "no_duration": 1}) == {
        "jobs": 4,
        "rejected_jobs": 1,
        "unfinished_jobs": 0,
        "unfinished_gpu_h": 0,
        "excluded": {"cpu": 1, "no_duration": 1, "no_gpu_num": 0},
        "avg_jct_s": pytest.approx((10 + 20 + 34.5) / 3),
        "avg_queueing_delay_s": pytest.approx(24.5 / 3),
        "p95_queueing_delay_s": pytest.approx(10 + 0.9 * 4.5),
        "queued_jobs": 2,
        "preemptions": 0,
        "makespan_s": 40,
        "gpu_utilization": pytest.approx((80 + 80 + 80) / (8 * 40)),
    }


def test_what_is_undefined_is_null_and_not_zero():
    nothing = summary(replay(jobs_frame([(0, 9, 1)]), {"v": 8}, policy="fifo").jobs, 8)
    for key in ("avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s", "makespan_s", "gpu_utilization"):
        assert nothing[key] is None
    assert nothing["jobs"] == nothing["rejected_jobs"] == 1
    no_time = summary(replay(jobs_frame([(3, 1, 0)]), {"v": 8}, policy="fifo").jobs, 8)
    assert (no_time["makespan_s"], no_time["gpu_utilization"]) == (0, None)
    unknown = summary(replay(jobs_frame([(3, 1, 5)]), {"v": 8}, policy="fifo").jobs, None)
    assert unknown["gpu_utilization"] is None


def test_a_delay_below_one_second_is_not_queued():
    jobs = replay(jobs_frame([(0, 8, 1.5), (0.5, 8, 1), (0.75, 8, 1)]), {"v": 8}, policy="fifo").jobs
    assert jobs["queueing_delay_s"].tolist() == [0, 1.0, 1.75]
    assert summary(jobs, 8)["queued_jobs"] == 2
    assert summary(jobs.assign(queueing_delay_s=[0, 0.999, 1.0]), 8)["queued_jobs"] == 1


def test_there_is_a_row_per_vc_with_jobs_per_cluster_and_for_all_clusters():
    jobs = jobs_frame(ROWS, vc=["a", "b", "b", "a", "only cpu", "b"])
    first = replay(jobs, {"a": 8, "b": 8, "idle": 16}, policy="sjf")
    second = replay(jobs_frame([(0, 1, 4)]), {"v": 4}, policy="sjf")
    rows = result_rows({"Earth": first, "Venus": second})
    assert [(row["cluster"], row["vc"]) for row in rows] == [
        ("Earth", "a"),
        ("Earth", "b"),
        ("Earth", "only cpu"),
        ("Earth", "*"),
        ("Venus", "v"),
        ("Venus", "*"),
        ("*", "*"),
    ]
    assert [row["jobs"] for row in rows] == [2, 2, 0, 4, 1, 1, 5]
    assert rows[2]["excluded"] == {"cpu": 1, "no_duration": 0, "no_gpu_num": 0}
    assert rows[6]["excluded"] == {"cpu": 1, "no_duration": 1, "no_gpu_num": 0}
    assert rows[3]["gpu_utilization"] == pytest.approx(240 / (32 * rows[3]["makespan_s"]))
    assert len(result_rows({"Venus": second})) == 2
    json.dumps(rows, allow_nan=False)


def test_a_series_has_time_weighted_means_and_the_largest_number_of_used_nodes():
    outcome = replay(jobs_frame([(0, 8, 15), (5, 8, 5), (12, 8, 1)]), {"v": 16}, policy="fifo")
    assert series(outcome.steps, slot_s=10).to_numpy().tolist() == [[0, 12, 0, 2], [10, 4.8, 0, 2]]
    one_node = replay(jobs_frame([(0, 8, 15), (5, 8, 5)]), {"v": 8}, policy="fifo")
    assert series(one_node.steps, slot_s=10)["waiting_jobs"].tolist() == [0.5, 0.5]


def test_a_series_may_begin_before_the_first_job_and_end_after_the_last():
    outcome = replay(jobs_frame([(15, 4, 10)]), {"v": 8}, policy="fifo")
    grid = series(outcome.steps, slot_s=10, start_s=-10, end_s=45)
    assert grid["time_s"].tolist() == [-10, 0, 10, 20, 30, 40]
    assert grid["running_gpus"].tolist() == [0, 0, 2, 2, 0, 0]
    assert grid["used_nodes"].tolist() == [0, 0, 1, 1, 0, 0]


def test_a_series_of_nothing_is_empty_and_one_of_too_many_slots_is_refused():
    outcome = replay(jobs_frame([]), {"v": 8}, policy="fifo")
    assert len(series(outcome.steps)) == 0
    assert series(outcome.steps, end_s=1200)["running_gpus"].tolist() == [0, 0]
    with pytest.raises(ScenarioError, match="longer than 0 s"):
        series(outcome.steps, slot_s=0)
    with pytest.raises(ScenarioError, match="choose longer slots"):
        series(outcome.steps, slot_s=1e-3, end_s=1e6)


@settings(max_examples=40, deadline=None)
@given(
    rows=workloads(), other=workloads(), policy=st.sampled_from(sorted(POLICIES)), slot_s=st.integers(1, 50)
)
def test_a_series_of_two_vcs_adds_up_to_their_gpu_time_and_waiting_time(rows, other, policy, slot_s):
    both = jobs_frame(rows + other, vc=["v"] * len(rows) + ["w"] * len(other))
    outcome = replay(both, {"v": 24, "w": 30}, policy=policy)
    grid = series(outcome.steps, slot_s=slot_s)
    waited_s = outcome.jobs["queueing_delay_s"].sum()
    assert grid["waiting_jobs"].sum() * slot_s == pytest.approx(waited_s)
    if not POLICIES[policy].preempts:
        gpu_time = (outcome.jobs["gpu_num"] * outcome.jobs["duration_s"]).sum()
        assert grid["running_gpus"].sum() * slot_s == pytest.approx(gpu_time)
    per_vc = [
        series(steps, slot_s=slot_s, end_s=float(outcome.steps["time_s"].max()))
        for _, steps in outcome.steps.groupby("vc", observed=True)
    ]
    np.testing.assert_allclose(sum(part["running_gpus"] for part in per_vc), grid["running_gpus"], atol=1e-9)
    assert (grid["used_nodes"] <= sum(part["used_nodes"] for part in per_vc)).all()


def test_the_delay_distribution_is_exact_and_has_at_most_the_points_asked_for():
    jobs = pd.DataFrame({"queueing_delay_s": [0.0, 0.0, 5.0, 7.0, np.nan]})
    assert delay_cdf(jobs).to_numpy().tolist() == [[0, 0.5], [5, 0.75], [7, 1]]
    many = pd.DataFrame({"queueing_delay_s": np.arange(10_000.0)})
    cdf = delay_cdf(many)
    assert len(cdf) == 400
    assert cdf.iloc[[0, -1]].to_numpy().tolist() == [[0, 1e-4], [9999, 1]]
    np.testing.assert_allclose(cdf["share"], (cdf["queueing_delay_s"] + 1) / 10_000)
    assert len(delay_cdf(jobs.iloc[:0])) == 0
