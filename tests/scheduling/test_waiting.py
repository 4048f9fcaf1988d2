"""Why jobs waited, and behind whom."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_replay import constant, replay_one_vc, split
from slow_waiting import slow_waiting
from test_replay_against_a_slow_simulator import as_dicts, fleets
from workloads import jobs_frame, random_jobs, workloads

from scheduling import PLACEMENTS, POLICIES, NodeSteps, ScenarioError, replay, waiting
from scheduling.waiting import explained

PARTS = ["capacity_s", "fragmentation_s", "head_of_line_s"]
NON_PREEMPTIVE = sorted(name for name in POLICIES if not POLICIES[name].preempts)
placements = st.sampled_from(sorted(PLACEMENTS))
policies = st.sampled_from(NON_PREEMPTIVE)
FEW = settings(max_examples=40, deadline=None)


def parts(why):
    return why.causes[PARTS].to_numpy().tolist()


def pairs(why):
    rows = why.blockers.itertuples(index=False)
    return {(row.waiting_user, row.blocking_user): row.waited_s for row in rows}


def test_a_job_waits_for_capacity_behind_those_who_hold_the_gpus_in_proportion_to_them():
    rows = [(0, 6, 100, "a"), (0, 2, 60, "b"), (10, 8, 5, "c")]
    why = explained(replay(jobs_frame(rows), {"v": 8}, policy="fifo"))
    assert parts(why) == [[0, 0, 0], [0, 0, 0], [90, 0, 0]]
    # 50 s behind a (6 of 8 GPUs) and b (2 of 8), then 40 s behind a alone.
    assert pairs(why) == pytest.approx({("c", "a"): 50 * 6 / 8 + 40, ("c", "b"): 50 * 2 / 8})
    assert why.blocking_jobs["job_id"].tolist() == ["j0", "j1"]
    assert why.blocking_jobs["waited_s"].tolist() == pytest.approx([77.5, 12.5])
    assert why.blocking_jobs["head_of_line_s"].tolist() == [0, 0]


def test_a_job_for_which_enough_gpus_are_free_on_the_wrong_nodes_waits_for_fragmentation():
    rows = [(0, 5, 100, "a"), (0, 5, 70, "b"), (10, 6, 5, "c")]
    why = explained(replay(jobs_frame(rows), {"v": 16}, policy="fifo"))
    assert parts(why)[2] == [0, 60, 0]
    assert pairs(why) == pytest.approx({("c", "a"): 30, ("c", "b"): 30})
    assert explained(replay(jobs_frame(rows), {"v": 16}, policy="fifo", placement="spread")).blockers.empty


def test_a_job_that_could_start_waits_behind_the_head_of_the_queue():
    rows = [(0, 6, 100, "a"), (10, 8, 5, "b"), (20, 2, 5, "a")]
    why = explained(replay(jobs_frame(rows), {"v": 8}, policy="fifo"))
    # The last one could start at once; from 100 on the head has all GPUs.
    assert parts(why) == [[0, 0, 0], [90, 0, 0], [5, 0, 80]]
    assert pairs(why) == pytest.approx({("b", "a"): 90, ("a", "b"): 85})
    table = why.blocking_jobs.set_index("job_id")
    assert table[["waited_s", "head_of_line_s"]].loc["j1"].tolist() == pytest.approx([85, 80])
    filled = explained(replay(jobs_frame(rows), {"v": 8}, policy="fifo", backfill=True, ends="simulated"))
    assert parts(filled)[1] == [90, 0, 0]


def test_a_job_waits_for_its_gpu_type_behind_those_on_nodes_of_it():
    fleet = [NodeSteps([0], [1], 8, "A"), NodeSteps([0], [1], 8, "B")]
    rows = [(0, 8, 100, "a"), (0, 4, 90, "b"), (10, 8, 5, "c"), (20, 4, 5, "d")]
    jobs = jobs_frame(rows).assign(gpu_type=["A", "B", "A", "B"])
    why = explained(replay(jobs, {"v": fleet}, policy="fifo"))
    assert parts(why)[2:] == [[90, 0, 0], [0, 0, 80]]
    assert pairs(why) == pytest.approx({("c", "a"): 90, ("d", "c"): 80})


def test_parts_of_a_gpu_that_add_up_on_several_gpus_are_fragmentation():
    rows = [(0, 0.6, 100, "a"), (0, 0.6, 80, "b"), (10, 0.7, 5, "c"), (20, 0.75, 5, "d")]
    why = explained(replay(jobs_frame(rows), {"v": 2}, policy="fifo"))
    assert parts(why)[2] == [0, 70, 0]
    assert parts(why)[3] == [5, 60, 0]  # 0.4 and 0.4 are left before 80, then 0.4 and 0.3, from 85 on a GPU
    assert pairs(why)["c", "a"] == pytest.approx(35)


def test_a_job_waits_behind_nobody_while_its_vc_has_no_nodes():
    jobs = jobs_frame([(5, 8, 10, "a")])
    why = explained(replay(jobs, {"v": NodeSteps([0, 50], [0, 1], 8)}, policy="fifo"))
    assert parts(why) == [[45, 0, 0]]
    assert why.blockers.empty and why.blocking_jobs.empty


def test_a_job_that_has_not_started_when_the_replay_stops_has_waited_until_then():
    rows = [(0, 8, 100, "a"), (10, 8, 5, "b"), (70, 1, 5, "c")]
    why = explained(replay(jobs_frame(rows), {"v": 8}, policy="fifo", until_s=60))
    assert why.causes["waited_s"].tolist()[:2] == [0, 50]
    assert parts(why)[1] == [50, 0, 0]
    assert why.causes[["waited_s", *PARTS]].iloc[2].isna().all()
    assert pairs(why) == {("b", "a"): 50}


def test_jobs_from_before_the_replay_are_waited_behind_and_their_waits_do_not_count():
    initial = jobs_frame([(-50, 8, 100, "a"), (-20, 8, 10, "b")]).assign(start_s=[-40.0, np.nan])
    jobs = jobs_frame([(5, 8, 10, "c")]).assign(job_id="own")
    why = explained(replay(jobs, {"v": 8}, policy="fifo", initial=initial))
    assert len(why.causes) == 1 and parts(why) == [[65, 0, 0]]
    assert pairs(why) == pytest.approx({("c", "a"): 55, ("c", "b"): 10})
    assert why.blocking_jobs["job_id"].tolist() == ["j0", "j1"]


def test_a_rejected_job_waited_for_nothing_and_unknown_users_are_null():
    rows = [(0, 8, 10, None), (1, 9, 1, "a"), (2, 8, 1, None)]
    why = explained(replay(jobs_frame(rows), {"v": 8}, policy="fifo"))
    assert why.causes[["waited_s", *PARTS]].iloc[1].isna().all()
    assert pairs(why) == {(None, None): 8}
    nameless = jobs_frame(rows).drop(columns="user")
    assert pairs(explained(replay(nameless, {"v": 8}, policy="fifo"))) == {(None, None): 8}


def test_a_policy_that_preempts_is_refused_with_a_sentence():
    with pytest.raises(ScenarioError, match=r"\(SRTF\) stops jobs and starts them again"):
        explained(replay(jobs_frame([(0, 1, 1)]), {"v": 8}, policy="srtf"))


def test_no_jobs_have_no_waits():
    why = explained(replay(jobs_frame([]), {"v": 8}, policy="fifo"))
    assert len(why.causes) == len(why.blockers) == len(why.blocking_jobs) == 0


def test_where_a_vc_has_very_many_users_those_with_little_gpu_time_stand_together(monkeypatch):
    jobs = random_jobs(3, 400, (1, 2, 8), mean_gap_s=20).assign(user=[f"u{i % 40}" for i in range(400)])
    outcome = replay(jobs, {"v": 8}, policy="fifo")
    whole = explained(outcome).blockers
    monkeypatch.setattr(waiting, "MOST_USERS", 5)
    few = explained(outcome).blockers
    assert {*few["blocking_user"]} > {waiting.OTHERS} and few["blocking_user"].nunique() == 6
    assert few["waited_s"].sum() == pytest.approx(whole["waited_s"].sum())
    named = few[(few["waiting_user"] != waiting.OTHERS) & (few["blocking_user"] != waiting.OTHERS)]
    both = named.merge(whole, on=["waiting_user", "blocking_user"])
    assert both["waited_s_x"].tolist() == pytest.approx(both["waited_s_y"].tolist())


@FEW
@given(rows=workloads(), gpus=st.integers(4, 44), policy=policies, placement=placements, fill=st.booleans())
def test_the_causes_of_a_wait_add_up_to_it_and_none_is_negative(rows, gpus, policy, placement, fill):
    outcome = replay(jobs_frame(rows), {"v": gpus}, policy=policy, placement=placement, backfill=fill)
    why, delay_s = explained(outcome), outcome.jobs["queueing_delay_s"]
    assert (why.causes[PARTS].dropna() >= 0).all(axis=None)
    pd.testing.assert_series_equal(why.causes["waited_s"], delay_s, check_names=False)
    pd.testing.assert_series_equal(why.causes[PARTS].sum(axis=1, min_count=3), delay_s, check_names=False)
    assert why.blockers["waited_s"].sum() == pytest.approx(delay_s.sum())
    assert why.blocking_jobs["waited_s"].sum() == pytest.approx(delay_s.sum())
    for table in (why.blockers, why.blocking_jobs):
        assert table["head_of_line_s"].sum() == pytest.approx(why.causes["head_of_line_s"].sum())
        assert (table["head_of_line_s"] >= 0).all() and (table["waited_s"] > 0).all()
    if placement != "consolidate":
        assert why.causes["fragmentation_s"].sum() == 0


@FEW
@given(rows=workloads(gangs=(1,)), gpus=st.integers(1, 20), policy=policies, placement=placements)
def test_jobs_of_one_gpu_wait_for_capacity_alone(rows, gpus, policy, placement):
    why = explained(replay(jobs_frame(rows), {"v": gpus}, policy=policy, placement=placement))
    assert why.causes["waited_s"].tolist() == why.causes["capacity_s"].tolist()


@settings(max_examples=15, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.sampled_from([1, 3, 8, 12]), st.integers(1, 60)), min_size=1, max_size=12),
    gpus=st.integers(12, 30),
)
def test_where_one_job_waits_at_a_time_nobody_waits_behind_the_head(sizes, gpus):
    ends, rows = 0.0, []
    for size, duration in sizes:  # each is submitted when the one before has started, at the latest then
        rows.append((ends, size, duration))
        made = replay(jobs_frame(rows), {"v": gpus}, policy="fifo").jobs
        ends = float(made["start_s"].iloc[-1])
    why = explained(replay(jobs_frame(rows), {"v": gpus}, policy="fifo"))
    assert why.causes["head_of_line_s"].sum() == 0


@pytest.mark.parametrize("policy", NON_PREEMPTIVE)
@settings(max_examples=40, deadline=None)
@given(rows=workloads(), groups=st.one_of(st.integers(24, 44).map(lambda g: constant(split(g))), fleets()))
def test_waits_are_those_found_by_looking_at_every_job_at_every_instant(policy, rows, groups):
    for placement in ("consolidate", "consolidateFirst"):
        jobs = [(s, g, d, u or "nobody") for s, g, d, u in rows]
        steps = [NodeSteps(*zip(*changes, strict=True), gpus_per_node=size) for size, changes in groups]
        outcome = replay(
            jobs_frame(jobs),
            {"v": steps},
            policy=policy,
            placement=placement,
            ends="simulated",
            half_life_s=math.inf,
        )
        slow = replay_one_vc(as_dicts(jobs), groups, policy, placement)
        causes, users, blocking, heads = slow_waiting(slow, groups, policy, placement)
        why = explained(outcome)
        made = parts(why)
        assert {i: made[i] for i in causes} == causes
        assert pairs(why) == pytest.approx({pair: float(s) for pair, s in users.items() if s})
        table = why.blocking_jobs
        number = table["job_id"].str[1:].astype(int)
        assert dict(zip(number, table["waited_s"], strict=True)) == pytest.approx(
            {i: float(s) for i, s in blocking.items() if s}
        )
        assert dict(zip(number, table["head_of_line_s"], strict=True)) == {i: heads[i] for i in number}


@FEW
@given(rows=workloads(), gpus=st.integers(24, 44), policy=policies, place=st.integers(0, 24))
def test_the_waits_of_chosen_jobs_are_those_behind_whom_they_waited(rows, gpus, policy, place):
    outcome = replay(jobs_frame(rows), {"v": gpus}, policy=policy)
    chosen = np.arange(len(rows)) == place % len(rows)
    own, rest, whole = (explained(outcome, each) for each in (chosen, ~chosen, None))
    assert own.blockers["waited_s"].sum() == pytest.approx(outcome.jobs["queueing_delay_s"][chosen].sum())
    both = pd.concat([own.blocking_jobs, rest.blocking_jobs]).groupby("job_id")["waited_s"].sum()
    assert both.to_dict() == pytest.approx(whole.blocking_jobs.set_index("job_id")["waited_s"].to_dict())
    pd.testing.assert_frame_equal(own.causes, whole.causes)


def test_vcs_are_explained_apart_and_shares_and_types_over_time_add_up():
    fleet = [NodeSteps([0, 2000, 2500, 4000], [3, 0, 12, 2], 8, "A"), NodeSteps([0], [4], 16, "B")]
    jobs = random_jobs(7, 300, (0.1, 0.5, 1, 3, 16, 17, 40)).assign(gpu_type=["A", "B", "A|B"] * 100)
    other = random_jobs(8, 200, (0.3, 2, 20)).assign(vc="w", job_id=[f"w{i}" for i in range(200)])
    both = pd.concat([jobs, other], ignore_index=True)
    capacity = {"v": fleet, "w": 24}
    for policy in NON_PREEMPTIVE:
        outcome = replay(both, capacity, policy=policy, until_s=9000)
        why = explained(outcome)
        assert (why.causes[PARTS].dropna() >= 0).all(axis=None)
        assert why.causes[PARTS].sum(axis=1, min_count=3).tolist() == pytest.approx(
            why.causes["waited_s"].tolist(), nan_ok=True
        )
        alone = explained(replay(other, capacity, policy=policy, until_s=9000)).causes
        ours = why.causes[why.causes["vc"] == "w"]
        np.testing.assert_allclose(ours[PARTS], alone[PARTS], atol=1e-6)
