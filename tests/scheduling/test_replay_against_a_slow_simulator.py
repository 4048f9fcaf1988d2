"""Random workloads give the same schedule here and in an independent simulator without any cleverness."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_replay import close, constant, replay_one_vc, replay_one_vc_preempting, split
from workloads import jobs_frame, priorities, workloads

from scheduling import PLACEMENTS, POLICIES, Costs, NodeSteps, replay

capacities = st.integers(24, 44)
placements = st.sampled_from(sorted(PLACEMENTS))


def as_dicts(rows):
    return [
        {"submit": s, "gpus": g, "duration": d, "user": u, "vc": "v", "priority": p}
        for (s, g, d, u), p in zip(rows, priorities(len(rows)), strict=True)
    ]


def nodes_of(outcome):
    placed = {job: [] for job in outcome.jobs["job_id"]}
    for job, node, gpus in outcome.placements[["job_id", "node", "gpus"]].itertuples(index=False):
        placed[job].append([node, gpus])
    return list(placed.values())


@st.composite
def fleets(draw):
    """One to three groups of nodes whose number changes at up to four instants."""
    groups = []
    for size in draw(st.lists(st.sampled_from([2, 4, 8, 8, 16]), min_size=1, max_size=3)):
        later = draw(st.lists(st.integers(1, 150), max_size=4, unique=True))
        counts = draw(st.lists(st.integers(0, 4), min_size=len(later) + 1, max_size=len(later) + 1))
        groups.append((size, list(zip([0, *sorted(later)], counts, strict=True))))
    return groups


def started(outcome):
    return [None if start != start else start for start in outcome.jobs["start_s"]]


NON_PREEMPTIVE = sorted(name for name in POLICIES if not POLICIES[name].preempts)
PREEMPTIVE = sorted(set(POLICIES) - set(NON_PREEMPTIVE))


@pytest.mark.parametrize("policy", NON_PREEMPTIVE)
@settings(max_examples=60, deadline=None)
@given(rows=workloads(), gpus=capacities, placement=placements)
def test_a_schedule_is_that_of_the_slow_simulator(policy, placement, rows, gpus):
    outcome = replay(
        jobs_frame(rows),
        {"v": gpus},
        policy=policy,
        placement=placement,
        ends="simulated",
        half_life_s=math.inf,
        with_placements=True,
    )
    slow = replay_one_vc(as_dicts(rows), constant(split(gpus)), policy, placement)
    assert started(outcome) == [job["start"] for job in slow]
    assert outcome.jobs["end_s"].tolist() == [job["end"] for job in slow]
    assert nodes_of(outcome) == [job["nodes"] for job in slow]
    if policy == "qssf":
        assert outcome.estimates["rung"].tolist() == [job["rung"] for job in slow]
        for made, job in zip(outcome.estimates["estimated_duration_s"], slow, strict=True):
            assert close(made, job["estimate"]) if job["rung"] != "none" else made != made


@pytest.mark.parametrize("backfill", [False, True])
@settings(max_examples=150, deadline=None)
@given(rows=workloads(), groups=fleets(), policy=st.sampled_from(NON_PREEMPTIVE), placement=placements)
def test_nodes_that_come_and_go_give_the_schedule_of_the_slow_simulator(
    backfill, rows, groups, policy, placement
):
    if backfill and policy == "fairshare":
        policy = "fifo"  # the order behind the head differs: user by user
    outcome = replay(
        jobs_frame(rows),
        {"v": [NodeSteps(*zip(*changes, strict=True), gpus_per_node=size) for size, changes in groups]},
        policy=policy,
        placement=placement,
        backfill=backfill,
        ends="simulated",
        half_life_s=math.inf,
        with_placements=True,
    )
    slow = replay_one_vc(as_dicts(rows), groups, policy, placement, backfill, POLICIES[policy].oracle)
    assert started(outcome) == [job.get("start") for job in slow]
    assert nodes_of(outcome) == [job["nodes"] for job in slow]
    assert outcome.jobs["rejected"].notna().tolist() == ["start" not in job for job in slow]


@pytest.mark.parametrize("policy", [name for name in NON_PREEMPTIVE if name != "fairshare"])
@settings(max_examples=60, deadline=None)
@given(rows=workloads(most=40, latest=30), gpus=capacities, placement=placements)
def test_a_schedule_with_backfill_is_that_of_the_slow_simulator(policy, placement, rows, gpus):
    outcome = replay(
        jobs_frame(rows), {"v": gpus}, policy=policy, placement=placement, backfill=True, ends="simulated"
    )
    oracle = POLICIES[policy].oracle
    slow = replay_one_vc(as_dicts(rows), constant(split(gpus)), policy, placement, True, oracle)
    assert started(outcome) == [job.get("start") for job in slow]


@pytest.mark.parametrize("policy", PREEMPTIVE)
@settings(max_examples=60, deadline=None)
@given(
    rows=workloads(most=15),
    gpus=capacities,
    extra=st.sampled_from([0, 1]),
    placement=placements,
    levels=st.sampled_from([(), (40,), (16, 100, 300)]),
)
def test_a_preemptive_schedule_is_that_of_the_slow_simulator(policy, placement, rows, gpus, extra, levels):
    outcome = replay(
        jobs_frame(rows),
        {"v": gpus},
        policy=policy,
        placement=placement,
        costs=Costs(extra_s=extra),
        levels_gpu_s=levels,
    )
    slow = replay_one_vc_preempting(as_dicts(rows), split(gpus), policy, placement, extra, levels)
    for column, key in (
        ("start_s", "start"),
        ("end_s", "end"),
        ("queueing_delay_s", "waited"),
        ("preemptions", "preemptions"),
    ):
        assert outcome.jobs[column].tolist() == [job[key] for job in slow]
