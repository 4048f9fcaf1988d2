"""A replay that pauses starts every job when the whole replay does, given the same nodes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling import NodeSteps, ScenarioError, replay
from scheduling.paused import PausedReplay

PER_NODE = 4


def jobs(rows):
    frame = pd.DataFrame(rows, columns=["submit_s", "duration_s", "gpu_num"]).astype(float)
    frame = frame.sort_values("submit_s", kind="stable").reset_index(drop=True)
    return frame.assign(job_id=frame.index.astype(str), vc="v", user="u", end_s=np.nan)


workloads = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 20), st.integers(1, 12)), min_size=1, max_size=25
)


@settings(deadline=None, max_examples=60)
@given(
    workloads,
    st.sampled_from(["fifo", "sjf", "qssf", "smallest", "gputime"]),
    st.integers(1, 9),
    st.sampled_from([12, 14]),
)
def test_a_replay_that_only_pauses_starts_every_job_as_the_whole_one_does(rows, policy, every_s, gpus):
    outcome = replay(jobs(rows), {"v": gpus}, policy=policy, gpus_per_node=PER_NODE)
    paused = PausedReplay(outcome, "v", gpus, PER_NODE)
    for until_s in np.arange(0.0, 400.0, every_s):
        paused.go_on(until_s)
    paused.go_on(np.inf)
    np.testing.assert_array_equal(paused.start_s, paused.jobs["start_s"])
    assert paused.used_nodes == 0


@settings(deadline=None, max_examples=60)
@given(workloads, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 4)), max_size=8))
def test_opening_and_closing_at_pauses_is_the_replay_on_those_nodes(rows, changes):
    outcome = replay(jobs(rows), {"v": 16}, policy="fifo", gpus_per_node=PER_NODE)
    paused = PausedReplay(outcome, "v", 16, PER_NODE)
    times, nodes = [-1.0], [4]
    for at, wanted in [*sorted(dict(changes).items()), (1000, 4)]:
        pause_s = at + 0.5  # between the instants of the jobs
        paused.go_on(pause_s)
        closable = paused.open_nodes - paused.idle_nodes
        paused.set_open(max(wanted, closable))
        times.append(pause_s)
        nodes.append(paused.open_nodes)
    paused.go_on(np.inf)
    expected = replay(
        jobs(rows), {"v": [NodeSteps(times, nodes, PER_NODE)]}, policy="fifo", gpus_per_node=PER_NODE
    )
    np.testing.assert_array_equal(paused.start_s, expected.jobs["start_s"])


def test_the_load_is_seen_up_to_the_pause_and_no_further():
    outcome = replay(jobs([(0, 50, 4), (10, 50, 8), (20, 5, 4)]), {"v": 12}, policy="fifo", gpus_per_node=4)
    paused = PausedReplay(outcome, "v", 12, PER_NODE)
    paused.go_on(0.0)
    assert (paused.used_nodes, paused.idle_nodes) == (0, 3)
    paused.set_open(2)
    paused.go_on(15.0)
    assert (paused.used_nodes, paused.idle_nodes, paused.waiting_gpus) == (1, 1, 8)
    paused.go_on(30.0)
    assert paused.waiting_gpus == 12
    time_s, used = paused.steps_between(5.0, 30.0)
    assert time_s.tolist() == [10.0, 20.0]
    assert used.tolist() == [1, 1, 1]
    paused.set_open(3)
    paused.go_on(np.inf)
    assert paused.start_s.tolist() == [0, 30, 50]


def test_a_vc_without_jobs_pauses_too():
    outcome = replay(jobs([(0, 5, 1)]), {"v": 4, "w": 8}, policy="fifo", gpus_per_node=PER_NODE)
    paused = PausedReplay(outcome, "w", 8, PER_NODE)
    paused.go_on(10.0)
    paused.set_open(0)
    paused.go_on(np.inf)
    assert (paused.open_nodes, paused.used_nodes, len(paused.jobs)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"policy": "srtf"}, "preempts"),
        ({"policy": "fairshare"}, "orders jobs by more"),
        ({"policy": "fifo", "backfill": True}, "backfill"),
    ],
)
def test_a_replay_that_cannot_pause_is_refused(options, says):
    outcome = replay(jobs([(0, 5, 1)]), {"v": 4}, gpus_per_node=PER_NODE, **options)
    with pytest.raises(ScenarioError, match=says):
        PausedReplay(outcome, "v", 4, PER_NODE)


def test_jobs_that_share_a_gpu_cannot_pause():
    outcome = replay(jobs([(0, 5, 0.5)]), {"v": 4}, policy="fifo", gpus_per_node=PER_NODE)
    with pytest.raises(ScenarioError, match="share a GPU"):
        PausedReplay(outcome, "v", 4, PER_NODE)
