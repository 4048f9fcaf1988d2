"""Percentiles, slowdown, groups of jobs, fragmentation, and who gains and loses, by hand."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workloads import jobs_frame, workloads

from scheduling import POLICIES, ScenarioError, replay
from scheduling.comparison import compare
from scheduling.metrics import result_rows


def row(outcome):
    return result_rows({"c": outcome})[0]


def test_percentiles_interpolate_and_slowdown_is_bounded():
    # delays 0, 4, 5: the second job lasts 1 s, which counts as 10
    made = row(replay(jobs_frame([(0, 8, 4), (0, 8, 1), (0, 8, 20)]), {"v": 8}, policy="fifo"))
    assert made["median_queueing_delay_s"] == 4
    assert made["p90_queueing_delay_s"] == pytest.approx(4.8)
    assert made["p99_jct_s"] == pytest.approx(np.percentile([4, 5, 25], 99))
    assert made["avg_slowdown"] == pytest.approx((1 + 1 + 25 / 20) / 3)


def test_jobs_are_counted_by_duration_and_by_size():
    rows = [(0, 1, 899), (0, 0.5, 900), (0, 8, 21_599), (0, 9, 21_600), (0, 40, 1)]
    made = row(replay(jobs_frame(rows), {"v": 800}, policy="fifo"))
    assert [group["jobs"] for group in made["by_duration"].values()] == [2, 2, 1]
    assert [group["jobs"] for group in made["by_size"].values()] == [2, 1, 1, 1]
    assert made["by_size"]["9-32"]["avg_jct_s"] == 21_600
    assert made["by_duration"]["long"] == {
        "jobs": 1,
        "avg_jct_s": 21_600,
        "avg_queueing_delay_s": 0,
        "avg_slowdown": 1,
    }


def test_a_row_without_an_ended_job_has_nulls_and_is_json():
    made = row(replay(jobs_frame([(0, 99, 1)]), {"v": 8}, policy="fifo"))
    assert made["p99_jct_s"] is None
    assert made["by_size"]["1"] == {
        "jobs": 0,
        "avg_jct_s": None,
        "avg_queueing_delay_s": None,
        "avg_slowdown": None,
    }
    json.dumps(made, allow_nan=False)


@pytest.mark.parametrize(
    ("gpus", "rows", "free_gpu_s", "scattered_gpu_s"),
    [
        # 10 s long the 8-GPU job waits beside 3 + 3 free GPUs, which are too few
        (16, [(0, 5, 20), (0, 5, 10), (0, 8, 3600)], 60, 0),
        # 4 + 0 + 3 are fewer than 8
        (24, [(0, 4, 10), (0, 8, 10), (0, 5, 10), (0, 8, 5)], 70, 0),
        # 3 + 3 + 3 are enough, on the wrong nodes
        (24, [(0, 5, 10), (0, 5, 10), (0, 5, 10), (0, 8, 5)], 90, 90),
    ],
)
def test_gpus_that_are_free_while_the_head_waits_are_fragmentation(gpus, rows, free_gpu_s, scattered_gpu_s):
    made = row(replay(jobs_frame(rows), {"v": gpus}, policy="fifo"))
    assert made["fragmentation_gpu_h"] == free_gpu_s / 3600
    assert made["scattered_gpu_h"] == scattered_gpu_s / 3600


def test_winners_and_losers_are_those_whose_delay_changed_by_a_second():
    rows = [(0, 8, 10, "a"), (1, 8, 9, "a"), (2, 8, 3, "b"), (3, 8, 3, "b")]
    fifo, sjf = (replay(jobs_frame(rows), {"v": 8}, policy=policy).jobs for policy in ("fifo", "sjf"))
    made = compare(sjf, fifo)  # delays 0, 9, 17, 19 become 0, 15, 8, 10
    assert made.jobs["change_s"].tolist() == [0, 6, -9, -9]
    assert made.totals == {
        "jobs": 4,
        "winners": 2,
        "losers": 1,
        "avg_change_s": -3,
        "losing_users": 1,
        "losing_vcs": 0,
    }
    assert made.users[["user", "change_s", "losers", "winners"]].to_numpy().tolist() == [
        ["a", 3, 1, 0],
        ["b", -9, 0, 2],
    ]
    assert made.vcs["change_s"].tolist() == [-3]


def test_jobs_of_one_id_cannot_be_compared():
    jobs = replay(jobs_frame([(0, 1, 1), (0, 1, 1)]), {"v": 8}, policy="fifo").jobs.assign(job_id="x")
    with pytest.raises(ScenarioError, match="several jobs x"):
        compare(jobs, jobs)


@settings(max_examples=40, deadline=None)
@given(
    rows=workloads(),
    policy=st.sampled_from(sorted(POLICIES)),
    until_s=st.integers(0, 300),
    gpus=st.integers(1, 30),
    backfill=st.booleans(),
)
def test_ended_rejected_and_unfinished_jobs_are_all_jobs_at_any_horizon(
    rows, policy, until_s, gpus, backfill
):
    options = {"policy": policy, "backfill": backfill}
    outcome = replay(jobs_frame(rows), {"v": gpus}, until_s=until_s, **options)
    made, jobs = row(outcome), outcome.jobs
    ended = jobs["end_s"].notna()
    assert made["jobs"] == made["rejected_jobs"] + made["unfinished_jobs"] + ended.sum()
    assert (jobs["end_s"].dropna() <= until_s).all()
    whole = replay(jobs_frame(rows), {"v": gpus}, **options).jobs
    assert (whole.loc[ended, "end_s"] == jobs.loc[ended, "end_s"]).all()  # what is later changes nothing
    assert (jobs.loc[~ended & jobs["rejected"].isna(), "left_s"] >= 0).all()
    held = (
        outcome.steps["running_gpus"].iloc[:-1] * outcome.steps["time_s"].diff().iloc[1:].to_numpy()
    ).sum()
    if not POLICIES[policy].preempts:
        done = jobs[jobs["rejected"].isna()]
        assert held == pytest.approx((done["gpu_num"] * (done["duration_s"] - done["left_s"])).sum())
