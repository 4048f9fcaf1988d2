"""A replay that begins with jobs of the trace, backfill, fair share, ties: by hand and whatever the jobs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workloads import jobs_frame, workloads

from scheduling import PLACEMENTS, POLICIES, ScenarioError, replay


def initial(rows):
    """Jobs from before the window: (submit_s, gpu_num, duration_s, start_s)."""
    frame = jobs_frame([row[:3] for row in rows]).assign(start_s=[row[3] for row in rows])
    return frame.assign(job_id=[f"before{i}" for i in range(len(rows))])


def test_jobs_that_run_at_the_start_hold_gpus_for_what_is_left_of_them():
    before = initial([(-50, 8, 60, -40), (-50, 8, 10, -40)])  # the second had ended
    outcome = replay(jobs_frame([(0, 8, 5)]), {"v": 8}, policy="fifo", initial=before)
    assert outcome.jobs["start_s"].tolist() == [20]
    assert outcome.initial["end_s"].tolist() == [20]


@pytest.mark.parametrize("policy", ["fifo", "sjf", "qssf", "fairshare"])
def test_running_jobs_come_before_any_order_and_waiting_ones_are_in_the_queue(policy):
    before = initial([(-50, 4, 1000, np.nan), (-40, 4, 100, -1)])
    outcome = replay(jobs_frame([(0, 8, 5)]), {"v": 8}, policy=policy, initial=before)
    ends = outcome.initial.set_index("job_id")["end_s"]
    assert ends["before1"] == 99
    assert ends["before0"] == (1000 if policy != "sjf" else 1104)
    assert outcome.jobs["start_s"].tolist() == [1000 if policy != "sjf" else 99]


def test_the_jobs_of_the_start_are_no_part_of_the_results_and_of_no_effect_if_there_are_none():
    jobs = jobs_frame([(0, 8, 5), (1, 8, 5)])
    alone = replay(jobs, {"v": 8}, policy="qssf").jobs
    pd.testing.assert_frame_equal(replay(jobs, {"v": 8}, policy="qssf", initial=initial([])).jobs, alone)
    with_some = replay(jobs, {"v": 8}, policy="las", initial=initial([(-9, 8, 30, -9)]))
    assert with_some.jobs["job_id"].tolist() == ["j0", "j1"]
    with pytest.raises(ScenarioError, match="column start_s"):
        replay(jobs, {"v": 8}, policy="fifo", initial=jobs)
    with pytest.raises(ScenarioError, match="before second 0"):
        replay(jobs, {"v": 8}, policy="fifo", initial=jobs.assign(start_s=1.0))


def test_backfill_lets_a_short_job_overtake_a_blocked_head_that_it_does_not_delay():
    rows = [(0, 4, 100), (1, 8, 50), (2, 4, 98), (3, 4, 99)]
    estimates = pd.DataFrame({"estimated_duration_s": [100, 50, 98, 99], "rung": "x", "priority": 0.0})
    outcome = replay(jobs_frame(rows), {"v": 8}, policy="fifo", backfill=True, estimates=estimates)
    assert outcome.jobs["start_s"].tolist() == [0, 100, 2, 150]
    assert outcome.reservations["reserved_s"].tolist()[1] == 100
    assert outcome.reservations["backfilled"].tolist() == [False, False, True, False]


def test_a_long_job_may_use_gpus_that_the_head_leaves_over():
    rows = [(0, 8, 100), (1, 12, 50), (2, 4, 1000)]
    estimates = pd.DataFrame({"estimated_duration_s": [100, 50, 1000], "rung": "x", "priority": 0.0})
    outcome = replay(jobs_frame(rows), {"v": 16}, policy="fifo", backfill=True, estimates=estimates)
    assert outcome.jobs["start_s"].tolist() == [0, 100, 2]


def test_a_job_of_unknown_duration_counts_as_a_day_and_one_that_outlives_its_estimate_as_twice_as_long():
    rows = [(0, 4, 100), (1, 8, 50), (2, 4, 10)]
    unknown = pd.DataFrame({"estimated_duration_s": [np.nan] * 3, "rung": "none", "priority": 0.0})
    outcome = replay(jobs_frame(rows), {"v": 8}, policy="fifo", backfill=True, estimates=unknown)
    assert outcome.reservations["reserved_s"].tolist()[1] == 86_400
    assert outcome.jobs["start_s"].tolist() == [0, 100, 150]
    short = unknown.assign(estimated_duration_s=[1.5, 50, 10])  # at 2 s the first is believed to last 3
    outcome = replay(jobs_frame(rows), {"v": 8}, policy="fifo", backfill=True, estimates=short)
    assert outcome.reservations["reserved_s"].tolist()[1] == 3


def test_a_policy_that_preempts_says_that_backfill_changes_nothing():
    rows = [(0, 4, 100), (1, 8, 50), (2, 4, 10)]
    plain, filled = (replay(jobs_frame(rows), {"v": 8}, policy="srtf", backfill=b) for b in (False, True))
    pd.testing.assert_frame_equal(plain.jobs, filled.jobs)
    assert "backfill changes nothing" in filled.notes[0]


@settings(max_examples=120, deadline=None)
@given(
    rows=workloads(most=40, latest=30),
    policy=st.sampled_from(["fifo", "sjf", "gputime", "smallest", "priority"]),
    placement=st.sampled_from(sorted(PLACEMENTS)),
    gpus=st.integers(24, 44),
)
def test_backfill_never_delays_the_head_beyond_its_reservation_if_estimates_are_true(
    rows, policy, placement, gpus
):
    # all at once, so that no later job goes ahead of a head that has a reservation
    jobs = jobs_frame([(0, *row[1:]) for row in rows])
    true = pd.DataFrame(
        {"estimated_duration_s": jobs["duration_s"], "rung": "true", "priority": np.arange(float(len(rows)))}
    )
    outcome = replay(jobs, {"v": gpus}, policy=policy, placement=placement, backfill=True, estimates=true)
    reserved_s = outcome.reservations["reserved_s"]
    late = outcome.jobs["start_s"] > reserved_s
    assert not late.any()


def test_fair_share_lets_the_user_go_first_who_has_had_the_least():
    rows = [(0, 8, 100, "a"), (1, 8, 10, "a"), (2, 8, 10, "b"), (3, 8, 10, "a"), (4, 8, 10, "b")]
    starts = replay(jobs_frame(rows), {"v": 8}, policy="fairshare").jobs["start_s"].tolist()
    assert starts == [0, 120, 100, 130, 110]


def test_attained_gpu_time_fades_in_fair_share():
    rows = [(0, 8, 100, "a"), (0, 8, 200, "b"), (300, 8, 1, "c"), (300, 8, 1, "b"), (300, 8, 1, "a")]
    order = replay(jobs_frame(rows), {"v": 8}, policy="fairshare", half_life_s=10).jobs["start_s"]
    assert order.tolist()[2:] == [300, 302, 301]
    rows[:2] = [(0, 8, 200, "a"), (0, 8, 100, "b")]  # a has had more, but long ago
    order = replay(jobs_frame(rows), {"v": 8}, policy="fairshare", half_life_s=10).jobs["start_s"]
    assert order.tolist()[2:] == [300, 302, 301]
    order = replay(jobs_frame(rows), {"v": 8}, policy="fairshare", half_life_s=np.inf).jobs["start_s"]
    assert order.tolist()[2:] == [300, 301, 302]


def test_least_attained_service_preempts_a_job_at_the_end_of_its_level():
    rows = [(0, 8, 100), (10, 8, 20)]
    jobs = replay(jobs_frame(rows), {"v": 8}, policy="las", levels_gpu_s=[240]).jobs
    # at 30 s the first has had 240 GPU-seconds
    assert jobs["start_s"].tolist() == [0, 30]
    assert jobs["end_s"].tolist() == [150, 50]


def test_ties_can_be_reversed():
    jobs = jobs_frame([(0, 8, 10), (0, 8, 5), (1, 8, 1)])
    outcome = replay(jobs, {"v": 8}, policy="fifo", reverse_ties=True)
    assert outcome.jobs.set_index("job_id")["start_s"].to_dict() == {"j1": 0, "j0": 5, "j2": 15}


@settings(max_examples=40, deadline=None)
@given(rows=workloads(), policy=st.sampled_from(sorted(POLICIES)))
def test_reversed_ties_are_the_replay_of_the_rows_in_reverse(rows, policy):
    jobs = jobs_frame(rows)
    backwards = jobs.iloc[::-1].sort_values("submit_s", kind="stable")
    made = replay(jobs, {"v": 30}, policy=policy, reverse_ties=True).jobs
    pd.testing.assert_frame_equal(made, replay(backwards, {"v": 30}, policy=policy).jobs)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"half_life_s": 0}, "half-life"),
        ({"levels_gpu_s": [5, 3]}, "ascend"),
        ({"until_s": float("nan")}, "number of seconds"),
        ({"policy": "priority"}, "column priority"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_with_a_sentence(options, sentence):
    jobs = jobs_frame([(0, 1, 1)]).drop(columns="priority")
    with pytest.raises(ScenarioError, match=sentence):
        replay(jobs, {"v": 8}, **{"policy": "fifo", **options})
