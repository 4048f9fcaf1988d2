"""GPU types and shared GPUs, by hand and whatever the jobs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workloads import jobs_frame

from scheduling import PLACEMENTS, POLICIES, NodeSteps, replay

MIXED = {"v": [NodeSteps([0], [1], 8, "A100"), NodeSteps([0], [2], 4, "V100")]}


def typed(rows, types, **options):
    jobs = jobs_frame(rows).assign(gpu_type=types)
    return replay(jobs, MIXED, with_placements=True, **{"policy": "fifo", **options})


def nodes(outcome):
    return outcome.placements.groupby("job_id", sort=False)["node"].agg(list).tolist()


def test_a_job_runs_on_nodes_of_its_type_or_on_any():
    rows = [(0, 2, 10), (0, 2, 10), (0, 4, 10)]
    assert nodes(typed(rows, ["A100", "V100", None])) == [[0], [1], [2]]


def test_a_job_may_name_several_types():
    assert nodes(typed([(0, 4, 10), (0, 4, 10), (0, 4, 10)], ["V100", "T4|V100", "A100|V100"])) == [
        [1],
        [2],
        [0],
    ]


def test_a_gang_stays_on_nodes_of_its_type_and_is_rejected_if_they_are_too_few():
    outcome = typed([(0, 8, 10), (0, 9, 10), (0, 1, 10)], ["V100", "A100", "T4"])
    assert nodes(outcome) == [[1, 2]]
    assert outcome.jobs["rejected"].tolist() == [None, "larger than its VC", "larger than its VC"]


def test_types_that_no_node_has_do_not_matter():
    jobs = jobs_frame([(0, 8, 10)]).assign(gpu_type="A100")
    assert replay(jobs, {"v": 8}, policy="fifo").jobs["start_s"].tolist() == [0]


def test_parts_of_a_gpu_share_the_fullest_one_on_which_they_fit():
    rows = [(0, 0.5, 10), (0, 0.7, 10), (0, 0.25, 10), (0, 0.3, 10), (0, 1, 10), (0, 0.3, 10)]
    outcome = replay(jobs_frame(rows), {"v": 3}, policy="fifo", with_placements=True)
    # GPU 1: 0.5 + 0.3, GPU 2: 0.7 + 0.25, and the last needs GPU 3, which the fifth has
    assert outcome.jobs["start_s"].tolist() == [0, 0, 0, 0, 0, 10]
    assert outcome.steps["running_gpus"].tolist() == pytest.approx([2.75, 0.3, 0])
    assert outcome.placements["gpus"].tolist() == pytest.approx([0.5, 0.7, 0.25, 0.3, 1, 0.3])


def test_a_gpu_is_free_for_a_whole_job_only_when_nobody_shares_it():
    rows = [(0, 0.5, 10), (0, 0.5, 20), (1, 1, 5)]
    assert replay(jobs_frame(rows), {"v": 1}, policy="fifo").jobs["start_s"].tolist() == [0, 0, 20]


row = st.tuples(st.integers(0, 40), st.sampled_from([0.25, 0.5, 0.3, 0.7, 1, 1, 2, 4, 6]), st.integers(0, 40))


@pytest.mark.parametrize("policy", sorted(POLICIES))
@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(row, min_size=1, max_size=30),
    types=st.lists(st.sampled_from([None, "A", "B", "A|B"]), min_size=30, max_size=30),
    placement=st.sampled_from(sorted(PLACEMENTS)),
    backfill=st.booleans(),
    later=st.lists(st.integers(0, 3), min_size=3, max_size=3),
)
def test_no_node_or_type_is_over_allocated_by_types_and_parts(
    policy, rows, types, placement, backfill, later
):
    rows.sort(key=lambda each: each[0])
    jobs = jobs_frame(rows).assign(gpu_type=types[: len(rows)])
    coming_and_going = NodeSteps([0, 10, 20, 30], [2, *later], 4, "A")
    capacity = {"v": [coming_and_going, NodeSteps([0], [1], 8, "B")]}
    outcome = replay(
        jobs, capacity, policy=policy, placement=placement, backfill=backfill, with_placements=True
    )
    assert (outcome.jobs["end_s"].notna() != outcome.jobs["rejected"].notna()).all()
    assert outcome.steps["running_gpus"].between(-1e-9, 20).all()
    assert abs(outcome.steps["running_gpus"].iloc[-1:].sum()) < 1e-9
    most = max(2, *later)
    on = outcome.placements["node"].map(dict(enumerate(["A"] * most + ["B"])))
    asked = outcome.placements["job_id"].map(jobs.set_index("job_id")["gpu_type"])
    assert all(pd.isna(want) or got in want.split("|") for want, got in zip(asked, on, strict=True))
    if not POLICIES[policy].preempts:
        held = outcome.placements.merge(outcome.jobs, on="job_id")
        for instant in np.unique(held["start_s"]):
            now = held[(held["start_s"] <= instant) & (instant < held["end_s"])]
            used = now.groupby("node")["gpus"].sum().reindex(range(most + 1), fill_value=0)
            assert (used <= np.array([4] * most + [8]) + 1e-9).all()
