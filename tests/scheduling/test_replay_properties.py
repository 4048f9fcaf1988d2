"""What holds for every replay, whatever the jobs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_replay import split
from workloads import jobs_frame, workloads

from scheduling import PLACEMENTS, POLICIES, replay

FEW = settings(max_examples=60, deadline=None)
policies = st.sampled_from(sorted(POLICIES))
placements = st.sampled_from(sorted(PLACEMENTS))
capacities = st.integers(1, 44)
COST_S = {1: 7, **dict.fromkeys(range(2, 9), 30)}


@FEW
@given(rows=workloads(), gpus=capacities, policy=policies, placement=placements)
def test_every_job_ends_or_is_rejected_and_none_starts_before_its_submission(rows, gpus, policy, placement):
    jobs = replay(jobs_frame(rows), {"v": gpus}, policy=policy, placement=placement).jobs
    rejected = jobs["rejected"].notna()
    assert len(jobs) == len(rows)
    assert (rejected == (jobs["gpu_num"] > gpus)).all()
    assert (jobs["end_s"].isna() == rejected).all()
    ran = jobs[~rejected]
    assert (ran["start_s"] >= ran["submit_s"]).all()
    assert (ran["end_s"] >= ran["start_s"] + ran["duration_s"]).all()


@FEW
@given(rows=workloads(), gpus=capacities, policy=policies, placement=placements)
def test_gpu_time_is_conserved_and_never_more_gpus_run_than_are_present(rows, gpus, policy, placement):
    outcome = replay(jobs_frame(rows), {"v": gpus}, policy=policy, placement=placement)
    ran = outcome.jobs[outcome.jobs["rejected"].isna()]
    steps = outcome.steps
    assert steps["running_gpus"].between(0, gpus).all()
    assert steps["used_nodes"].between(0, len(split(gpus))).all()
    assert (steps["time_s"].diff().dropna() > 0).all()
    if len(ran):
        assert steps.iloc[-1][["used_nodes", "running_gpus", "waiting_jobs"]].tolist() == [0, 0, 0]
    held = (steps["running_gpus"].iloc[:-1] * steps["time_s"].diff().iloc[1:].to_numpy()).sum()
    waited = (steps["waiting_jobs"].iloc[:-1] * steps["time_s"].diff().iloc[1:].to_numpy()).sum()
    cost_s = ran["gpu_num"].map(lambda g: COST_S.get(g, 60)) * ran["preemptions"]
    assert held == (ran["gpu_num"] * (ran["duration_s"] + cost_s)).sum()
    assert waited == ran["queueing_delay_s"].sum()


@pytest.mark.parametrize("policy", sorted(name for name in POLICIES if not POLICIES[name].preempts))
@settings(max_examples=12, deadline=None)
@given(rows=workloads(), gpus=capacities, placement=placements)
def test_no_node_holds_more_gpus_than_it_has_at_any_instant(policy, rows, gpus, placement):
    outcome = replay(jobs_frame(rows), {"v": gpus}, policy=policy, placement=placement, with_placements=True)
    held = outcome.placements.merge(outcome.jobs, on="job_id")
    assert (held.groupby("job_id")["gpus"].sum() == held.groupby("job_id")["gpu_num"].first()).all()
    for instant in held["start_s"].unique():
        now = held[(held["start_s"] <= instant) & (instant < held["end_s"])]
        for node, used in now.groupby("node")["gpus"].sum().items():
            assert used <= split(gpus)[node]


@FEW
@given(rows=workloads(), placement=placements)
def test_without_contention_every_policy_starts_every_job_at_once(rows, placement):
    for policy in POLICIES:
        jobs = replay(jobs_frame(rows), {"v": 8 * 4 * len(rows)}, policy=policy, placement=placement).jobs
        assert jobs["start_s"].tolist() == jobs["submit_s"].tolist()
        assert jobs["end_s"].tolist() == (jobs["submit_s"] + jobs["duration_s"]).tolist()


@FEW
@given(rows=workloads(), gpus=capacities, policy=policies, seed=st.integers(0, 99))
def test_the_order_of_the_rows_matters_only_among_equal_submissions(rows, gpus, policy, seed):
    jobs = jobs_frame(rows)
    jobs["submit_s"] = jobs["submit_s"] + np.arange(len(jobs)) / 1024  # all different
    shuffled = jobs.sample(frac=1, random_state=seed)
    made = [replay(frame, {"v": gpus}, policy=policy).jobs for frame in (jobs, shuffled)]
    pd.testing.assert_frame_equal(*made)


@FEW
@given(rows=workloads(), other=workloads(), policy=policies)
def test_vcs_do_not_touch_each_other(rows, other, policy):
    both = jobs_frame(rows + other, vc=["v"] * len(rows) + ["w"] * len(other))
    together = replay(both, {"v": 24, "w": 30}, policy=policy).jobs
    alone = replay(both[both["vc"] == "v"], {"v": 24}, policy=policy).jobs
    pd.testing.assert_frame_equal(together[together["vc"] == "v"].reset_index(drop=True), alone)
