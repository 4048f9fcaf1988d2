"""Random workloads give the same schedule here and in an independent simulator without any cleverness."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_replay import close, constant, replay_one_vc, replay_one_vc_preempting, split
from workloads import jobs_frame, workloads

from scheduling import PLACEMENTS, Costs, NodeSteps, replay

capacities = st.integers(24, 44)


def as_dicts(rows):
    return [{"submit": s, "gpus": g, "duration": d, "user": u, "vc": "v"} for s, g, d, u in rows]


def nodes_of(outcome):
    placed = {job: [] for job in outcome.jobs["job_id"]}
    for job, node, gpus in outcome.placements[["job_id", "node", "gpus"]].itertuples(index=False):
        placed[job].append([node, gpus])
    return list(placed.values())


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("policy", ["fifo", "sjf", "qssf"])
@settings(max_examples=30, deadline=None)
@given(rows=workloads(), gpus=capacities)
def test_a_schedule_is_that_of_the_slow_simulator(policy, placement, rows, gpus):
    outcome = replay(
        jobs_frame(rows),
        {"v": gpus},
        policy=policy,
        placement=placement,
        ends="simulated",
        with_placements=True,
    )
    slow = replay_one_vc(as_dicts(rows), constant(split(gpus)), policy, placement)
    assert outcome.jobs["start_s"].tolist() == [job["start"] for job in slow]
    assert outcome.jobs["end_s"].tolist() == [job["end"] for job in slow]
    assert nodes_of(outcome) == [job["nodes"] for job in slow]
    if policy == "qssf":
        assert outcome.estimates["rung"].tolist() == [job["rung"] for job in slow]
        for made, job in zip(outcome.estimates["estimated_duration_s"], slow, strict=True):
            assert close(made, job["estimate"]) if job["rung"] != "none" else made != made


@pytest.mark.parametrize("placement", PLACEMENTS)
@settings(max_examples=30, deadline=None)
@given(rows=workloads(most=15), gpus=capacities, extra=st.sampled_from([0, 1]))
def test_a_preemptive_schedule_is_that_of_the_slow_simulator(placement, rows, gpus, extra):
    outcome = replay(
        jobs_frame(rows), {"v": gpus}, policy="srtf", placement=placement, costs=Costs(extra_s=extra)
    )
    slow = replay_one_vc_preempting(as_dicts(rows), split(gpus), placement, extra)
    for column, key in (
        ("start_s", "start"),
        ("end_s", "end"),
        ("queueing_delay_s", "waited"),
        ("preemptions", "preemptions"),
    ):
        assert outcome.jobs[column].tolist() == [job[key] for job in slow]


@st.composite
def fleets(draw):
    """One to three groups of nodes whose number changes at up to four instants."""
    groups = []
    for size in draw(st.lists(st.sampled_from([2, 4, 8, 8, 16]), min_size=1, max_size=3)):
        later = draw(st.lists(st.integers(1, 150), max_size=4, unique=True))
        counts = draw(st.lists(st.integers(0, 4), min_size=len(later) + 1, max_size=len(later) + 1))
        groups.append((size, list(zip([0, *sorted(later)], counts, strict=True))))
    return groups


@pytest.mark.parametrize("policy", ["fifo", "sjf", "qssf"])
@settings(max_examples=150, deadline=None)
@given(rows=workloads(), groups=fleets(), placement=st.sampled_from(sorted(PLACEMENTS)))
def test_nodes_that_come_and_go_give_the_schedule_of_the_slow_simulator(policy, rows, groups, placement):
    steps = [NodeSteps(*zip(*changes, strict=True), gpus_per_node=size) for size, changes in groups]
    outcome = replay(
        jobs_frame(rows),
        {"v": steps},
        policy=policy,
        placement=placement,
        ends="simulated",
        with_placements=True,
    )
    slow = replay_one_vc(as_dicts(rows), groups, policy, placement)
    started = outcome.jobs["start_s"].astype(object).where(outcome.jobs["start_s"].notna(), None)
    assert started.tolist() == [job.get("start") for job in slow]
    assert nodes_of(outcome) == [job["nodes"] for job in slow]
    assert outcome.jobs["rejected"].notna().tolist() == ["start" not in job for job in slow]
