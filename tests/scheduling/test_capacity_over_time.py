"""Nodes that come and go during a replay, by hand and whatever the jobs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workloads import jobs_frame, workloads

from scheduling import PLACEMENTS, POLICIES, NodeSteps, ScenarioError, gpu_steps, replay
from scheduling.metrics import result_rows

counts = st.lists(st.integers(0, 5), min_size=1, max_size=5)


def nodes(*steps, **options):
    """A capacity of (time_s, nodes) steps."""
    return NodeSteps(*zip(*steps, strict=True), **options)


def starts(rows, *steps, policy="fifo"):
    outcome = replay(jobs_frame(rows), {"v": nodes(*steps)}, policy=policy, with_placements=True)
    return outcome.jobs["start_s"].tolist(), outcome.placements["node"].tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_added_nodes_are_idle_and_serve_the_queue_at_that_instant(policy):
    assert starts([(0, 8, 100), (1, 8, 200)], (0, 1), (7.5, 2), policy=policy) == ([0, 7.5], [0, 1])


def test_an_idle_node_of_the_highest_index_leaves_first():
    assert starts([(0, 8, 100), (11, 8, 5), (12, 8, 5)], (0, 3), (10, 2)) == ([0, 11, 16], [0, 1, 1])


def test_a_node_in_use_takes_no_new_job_and_leaves_when_its_last_job_ends():
    outcome = replay(
        jobs_frame([(0, 4, 20), (0, 2, 50), (10, 2, 5)]), {"v": nodes((0, 1), (5, 0), (60, 1))}, policy="fifo"
    )
    assert outcome.jobs["start_s"].tolist() == [0, 0, 60]
    assert outcome.jobs["end_s"].tolist() == [20, 50, 65]
    draining = outcome.steps.set_index("time_s")["draining_gpus"]
    assert draining.loc[[5, 20, 50]].tolist() == [8, 8, 0]


def test_a_draining_node_comes_back_before_an_absent_one():
    rows = [(0, 4, 100), (0, 8, 100), (12, 4, 1)]
    assert starts(rows, (0, 3), (5, 0), (10, 1)) == ([0, 0, 12], [0, 1, 0])


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_that_fits_only_later_waits_and_one_that_never_fits_is_rejected(policy):
    rows = [(0, 16, 10), (0, 25, 10), (30, 16, 10)]
    jobs = replay(jobs_frame(rows), {"v": nodes((0, 1), (20, 3), (30, 1))}, policy=policy).jobs
    assert jobs["start_s"].iloc[0] == 20
    assert jobs["rejected"].tolist() == [None, "larger than its VC", "larger than its VC"]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_whose_vc_shrinks_while_it_waits_is_rejected_and_the_queue_goes_on(policy):
    rows = [(0, 8, 50), (1, 16, 60), (2, 8, 10)]
    jobs = replay(jobs_frame(rows), {"v": nodes((0, 2), (20, 1))}, policy=policy).jobs
    assert jobs["rejected"].tolist() == [None, "its VC shrank while it waited", None]
    assert jobs["start_s"].tolist()[::2] == [0, 50 if policy in ("fifo", "fairshare", "priority") else 2]


@pytest.mark.parametrize("policy", ["srtf", "srsf", "las"])
def test_a_job_that_could_not_start_again_is_not_preempted(policy):
    rows = [(0, 16, 50), (20, 8, 1)]
    capacity = {"v": nodes((0, 2), (10, 1))}
    jobs = replay(jobs_frame(rows), capacity, policy=policy, levels_gpu_s=[100]).jobs
    assert jobs["start_s"].tolist() == [0, 50]
    assert jobs["preemptions"].tolist() == [0, 0]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_vc_without_gpus_serves_its_queue_once_it_has_some(policy):
    jobs = replay(
        jobs_frame([(0, 1, 5), (90, 1, 5)]), {"v": nodes((0, 0), (40, 1), (80, 0))}, policy=policy
    ).jobs
    assert jobs["start_s"].iloc[0] == 40
    assert jobs["rejected"].tolist() == [None, "no capacity"]


def test_gpus_over_time_are_full_nodes_and_a_smaller_one_for_a_remainder():
    full, rest = gpu_steps([0, 10], [20, 8])
    assert (list(full.nodes), full.gpus_per_node) == ([2, 1], 8)
    assert (list(rest.nodes), rest.gpus_per_node) == ([1, 0], 4)
    outcome = replay(
        jobs_frame([(0, 20, 5), (11, 8, 5), (12, 4, 5)]), {"v": gpu_steps([0, 10], [20, 8])}, policy="fifo"
    )
    assert outcome.jobs["start_s"].tolist() == [0, 11, 16]
    assert outcome.capacity == {"v": 20}


def test_utilization_counts_the_gpus_that_were_there_and_those_still_draining():
    capacity = {"v": nodes((0, 2), (10, 1)), "idle": nodes((0, 1), (20, 0))}
    outcome = replay(jobs_frame([(0, 16, 20), (0, 8, 20)]), capacity, policy="fifo")
    own, total = result_rows({"c": outcome})
    assert outcome.jobs["end_s"].tolist() == [20, 40]
    present = 16 * 10 + 8 * 30 + 8 * 10  # two nodes, one, and one that drains until 20
    assert own["gpu_utilization"] == pytest.approx((16 * 20 + 8 * 20) / present)
    assert total["gpu_utilization"] == pytest.approx((16 * 20 + 8 * 20) / (present + 8 * 20))


@settings(max_examples=60, deadline=None)
@given(
    rows=workloads(),
    counts=counts,
    policy=st.sampled_from(sorted(POLICIES)),
    placement=st.sampled_from(sorted(PLACEMENTS)),
)
def test_nodes_in_use_never_exceed_those_present_and_every_job_ends_or_is_rejected(
    rows, counts, policy, placement
):
    steps = nodes(*[(20 * i, count) for i, count in enumerate(counts)])
    outcome = replay(jobs_frame(rows), {"v": steps}, policy=policy, placement=placement)
    assert (outcome.jobs["end_s"].notna() != outcome.jobs["rejected"].notna()).all()
    load = outcome.steps
    step = np.searchsorted(steps.time_s, load["time_s"], side="right") - 1
    wanted = np.array(steps.nodes)[np.maximum(step, 0)]
    assert (8 * load["used_nodes"] <= 8 * wanted + load["draining_gpus"]).all()
    assert (load["running_gpus"] <= 8 * wanted + load["draining_gpus"]).all()
    assert load["draining_gpus"].iloc[-1:].eq(0).all()


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        (lambda: NodeSteps([0, 0], [1, 2]), "must be known and ascend"),
        (lambda: NodeSteps([0, 5], [1]), "one number of nodes for each instant"),
        (lambda: NodeSteps([0], [1.5]), "whole numbers from 0"),
        (lambda: gpu_steps([0], [-8]), "capacity of -8 GPUs"),
        (lambda: gpu_steps([0], [10**12]), "more than 1,000,000 nodes"),
    ],
)
def test_a_capacity_over_time_that_cannot_be_is_refused(steps, sentence):
    with pytest.raises(ScenarioError, match=sentence):
        steps()
