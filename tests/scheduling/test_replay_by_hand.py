"""Replays small enough to check by hand, and jobs or settings that cannot be."""

import numpy as np
import pandas as pd
import pytest
from workloads import jobs_frame

from scheduling import POLICIES, Costs, ScenarioError, replay
from scheduling.waiting import explained


def starts(rows, policy, gpus=8, **options):
    return replay(jobs_frame(rows), {"v": gpus}, policy=policy, **options).jobs["start_s"].tolist()


def test_fifo_lets_nobody_overtake_a_blocked_head():
    assert starts([(0, 4, 100), (1, 8, 5), (2, 1, 1)], "fifo") == [0, 100, 105]


def test_sjf_puts_the_shortest_waiting_job_first():
    assert starts([(0, 8, 10), (1, 8, 9), (2, 8, 3)], "sjf") == [0, 13, 10]


def test_gpus_freed_at_an_instant_serve_a_job_submitted_at_that_instant():
    assert starts([(0, 8, 10), (10, 8, 5)], "fifo") == [0, 10]


def test_srtf_preempts_a_job_which_then_pays_for_its_checkpoint():
    jobs = replay(jobs_frame([(0, 8, 100), (10, 8, 20)]), {"v": 8}, policy="srtf").jobs
    assert jobs["start_s"].tolist() == [0, 10]
    assert jobs["end_s"].tolist() == [150, 30]  # 100 s of work, 30 s of checkpoint, 20 s of waiting
    assert jobs["queueing_delay_s"].tolist() == [20, 0]
    assert jobs["preemptions"].tolist() == [1, 0]


def test_the_cost_of_a_preemption_is_a_parameter():
    costs = Costs(one_node_s=5)
    jobs = replay(jobs_frame([(0, 8, 100), (10, 8, 20)]), {"v": 8}, policy="srtf", costs=costs).jobs
    assert jobs["end_s"].tolist() == [125, 30]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_larger_than_its_vc_is_rejected_and_never_hangs(policy):
    jobs = replay(jobs_frame([(0, 17, 10), (0, 1e30, 10), (1, 16, 10)]), {"v": 16}, policy=policy).jobs
    assert jobs["rejected"].tolist() == ["larger than its VC", "larger than its VC", None]
    assert jobs["start_s"].isna().tolist() == [True, True, False]
    assert jobs["queueing_delay_s"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize("policy", POLICIES)
def test_jobs_of_a_vc_that_is_empty_or_of_unknown_capacity_are_rejected_with_that_reason(policy):
    jobs = jobs_frame([(0, 1, 10), (0, 1, 10), (0, 1, 10)], vc=["empty", "unknown", None])
    assert replay(jobs, {"empty": 0}, policy=policy).jobs["rejected"].tolist() == [
        "no capacity",
        "capacity unknown",
        "capacity unknown",
    ]


@pytest.mark.parametrize("policy", POLICIES)
def test_jobs_that_last_no_time_end_when_they_start(policy):
    jobs = replay(jobs_frame([(5, 8, 0), (5, 8, 0), (5, 8, 2)]), {"v": 8}, policy=policy).jobs
    assert jobs["start_s"].tolist() == [5, 5, 5]
    assert jobs["end_s"].tolist() == [5, 5, 7]


@pytest.mark.parametrize("policy", POLICIES)
def test_fractions_of_a_second_are_kept(policy):
    jobs = replay(jobs_frame([(0.25, 8, 1.5), (0.5, 8, 0.125)]), {"v": 8}, policy=policy).jobs
    assert jobs["end_s"].tolist() == ([31.875, 0.625] if policy in ("srtf", "srsf") else [1.75, 1.875])


def test_jobs_without_gpus_or_without_a_known_duration_are_counted_apart():
    rows = [(0, 0, 5), (0, np.nan, 5), (0, -1, 5), (0, 1, np.nan), (0, 1, -3), (0, 1, np.inf), (0, 1, 5)]
    outcome = replay(jobs_frame(rows), {"v": 8}, policy="fifo")
    assert outcome.jobs["job_id"].tolist() == ["j6"]
    counts = outcome.excluded.set_index("reason")["jobs"].to_dict()
    assert counts == {"cpu": 1, "no_gpu_num": 2, "no_duration": 3}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_trace_without_jobs_gives_an_empty_schedule(policy):
    outcome = replay(jobs_frame([]), {"v": 8}, policy=policy, with_placements=True)
    assert len(outcome.jobs) == len(outcome.steps) == len(outcome.placements) == 0


def test_a_remainder_of_gpus_is_a_smaller_last_node():
    outcome = replay(jobs_frame([(0, 12, 9), (0, 4, 9)]), {"v": 20}, policy="fifo", with_placements=True)
    assert outcome.placements[["job_id", "node", "gpus"]].to_numpy().tolist() == [
        ["j0", 0, 8],
        ["j0", 1, 4],
        ["j1", 1, 4],
    ]
    assert starts([(0, 20, 9), (1, 4, 9)], "fifo", gpus=20) == [0, 9]


def test_nodes_may_have_another_size():
    assert starts([(0, 6, 10), (0, 6, 10)], "fifo", gpus=8, gpus_per_node=4) == [0, 10]
    assert starts([(0, 3, 10), (0, 3, 10), (0, 2, 10)], "fifo", gpus=8, gpus_per_node=4) == [0, 0, 10]


def test_consolidate_first_takes_scattered_gpus_where_consolidate_waits():
    rows = [(0, 5, 10), (0, 5, 10), (0, 6, 10)]
    assert starts(rows, "fifo", gpus=16) == [0, 0, 10]
    assert starts(rows, "fifo", gpus=16, placement="consolidateFirst") == [0, 0, 0]


def test_a_request_for_some_gpus_and_part_of_one_holds_whole_ones_and_says_so():
    outcome = replay(jobs_frame([(0, 1.5, 10), (0, 1, 10)]), {"v": 2}, policy="fifo")
    assert outcome.jobs["start_s"].tolist() == [0, 10]
    assert outcome.notes == ("1 job asks for some GPUs and part of one; the replay gives it whole GPUs.",)


def test_the_load_is_a_step_function_that_changes_at_each_instant_once():
    steps = replay(jobs_frame([(0, 4, 10), (0, 8, 5), (3, 4, 1)]), {"v": 16}, policy="fifo").steps
    columns = ["time_s", "used_nodes", "running_gpus", "waiting_jobs"]
    assert steps[columns].to_numpy().tolist() == [
        [0, 2, 12, 0],
        [3, 2, 16, 0],
        [4, 2, 12, 0],
        [5, 1, 4, 0],
        [10, 0, 0, 0],
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"policy": "lifo"}, "no policy 'lifo'; choose one of fifo, sjf, srtf, qssf"),
        ({"policy": "fifo", "placement": "nowhere"}, "no placement 'nowhere'"),
        ({"policy": "fifo", "gpus_per_node": 0}, "GPUs per node must be between 1 and 1,024, not 0"),
        ({"policy": "qssf", "ends": "recorded"}, "no end times"),
        ({"policy": "qssf", "ends": "guessed"}, "recorded or simulated, not 'guessed'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_a_sentence(options, sentence):
    with pytest.raises(ScenarioError, match=sentence):
        replay(jobs_frame([(0, 1, 1)]), {"v": 8}, **options)


@pytest.mark.parametrize("gpus", [-8, 2.5, float("nan")])
def test_a_capacity_that_is_no_number_of_gpus_is_refused(gpus):
    with pytest.raises(ScenarioError, match="capacity of VC v"):
        replay(jobs_frame([(0, 1, 1)]), {"v": gpus}, policy="fifo")


def test_a_frame_without_a_needed_column_or_a_submit_time_is_refused():
    jobs = jobs_frame([(0, 1, 1)])
    with pytest.raises(ScenarioError, match="lack the column gpu_num"):
        replay(jobs.drop(columns="gpu_num"), {"v": 8}, policy="fifo")
    with pytest.raises(ScenarioError, match="Job j0 has no usable submit time"):
        replay(jobs.assign(submit_s=np.nan), {"v": 8}, policy="fifo")


def test_the_frame_given_is_left_as_it_was():
    jobs = jobs_frame([(5, 1, 1), (0, 0, 1), (0, 8, 1)], vc=["v", None, "v"])
    before = jobs.copy(deep=True)
    for policy in POLICIES:
        replay(jobs, {"v": 8}, policy=policy)
    pd.testing.assert_frame_equal(jobs, before)


def test_jobs_that_are_changed_after_a_replay_change_nothing_in_its_outcome():
    jobs = jobs_frame([(0, 8, 10, "a"), (1, 8, 9, "b")]).astype({"job_id": object, "vc": object})
    outcome = replay(jobs, {"v": 8}, policy="qssf")
    tables = outcome.jobs, outcome.estimates, explained(outcome).causes
    before = [table.copy(deep=True) for table in tables]
    changed = {"submit_s": 99.0, "gpu_num": 7.0, "duration_s": 5.0, "job_id": "x", "vc": "w", "user": "c"}
    for column, value in changed.items():
        jobs.loc[:, column] = value
    after = outcome.jobs, outcome.estimates, explained(outcome).causes
    for one, other in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(one, other)
