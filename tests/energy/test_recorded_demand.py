"""Nodes in use from recorded placements and from recorded node counts."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import slots_from_steps
from energy.recorded import steps_from_node_counts, steps_from_placements


def test_a_node_that_jobs_share_counts_once_and_is_free_when_the_last_one_ends():
    steps = steps_from_placements(
        np.array([0.0, 10.0, 30.0]), np.array([20.0, 25.0, 40.0]), [["a", "b"], ["a"], ["a"]]
    )
    assert steps["time_s"].tolist() == [0, 20, 25, 30, 40]
    assert steps["used_nodes"].tolist() == [2, 1, 0, 1, 0]


def test_a_job_that_starts_when_another_ends_keeps_the_node_in_use():
    steps = steps_from_placements(np.array([0.0, 20.0]), np.array([20.0, 30.0]), [["a"], ["a"]])
    assert steps["time_s"].tolist() == [0, 30]
    assert steps["used_nodes"].tolist() == [1, 0]


def test_node_counts_add_up_and_stop_at_the_nodes_present():
    counts = np.array([2.0, 3.0, 4.0])
    steps = steps_from_node_counts(np.array([0.0, 5.0, 7.0]), np.array([10.0, 6.0, 7.0]), counts, 4.0)
    assert steps["used_nodes"].tolist() == [2, 4, 2, 0]  # 5 of 4; a job without a length uses nothing
    unknown = steps_from_node_counts(np.array([0.0]), np.array([9.0]), np.array([7.0]), np.nan)
    assert unknown["used_nodes"].tolist() == [7, 0]


jobs = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 30), st.sets(st.sampled_from("abcde"), max_size=4)),
    min_size=1,
)


@settings(deadline=None)
@given(jobs)
def test_placements_equal_a_count_second_by_second(recorded):
    start, length = (np.array(each, float) for each in list(zip(*recorded, strict=True))[:2])
    steps = steps_from_placements(start, start + length, [sorted(nodes) for *_, nodes in recorded])
    for second in range(95):
        busy = {
            node for begin, seconds, nodes in recorded for node in nodes if begin <= second < begin + seconds
        }
        before = steps[steps["time_s"] <= second]["used_nodes"]
        assert (before.iloc[-1] if len(before) else 0) == len(busy)


def test_steps_of_recorded_jobs_make_slots():
    steps = steps_from_placements(np.array([300.0]), np.array([900.0]), [["a", "b"]])
    slots = slots_from_steps(pd.Timestamp("2020-09-01"), steps["time_s"], steps["used_nodes"], 5, 1800)
    assert slots["used"].tolist() == [2, 2, 0]
