"""What a scenario changes about jobs and quotas."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs import RunError, changes
from runs.quota import Quota, constant
from runs.window import Window

SPAN = Window(pd.Timestamp("2020-04-01"), pd.Timestamp("2020-04-03"), "UTC")
JOBS = pd.DataFrame(
    {
        "job_id": ["0", "1", "2", "3"],
        "user": ["ann", "bob", "ann", None],
        "vc": ["a", "a", "b", "b"],
        "duration_s": [10.0, 20.0, 30.0, 40.0],
        "end_s": [11.0, 21.0, 31.0, 41.0],
    }
)
QUOTAS = {"a": constant(8), "b": constant(16)}


def test_a_users_jobs_go_to_the_vc_whatever_vc_they_were_in():
    made, counts = changes.moved(JOBS, {"user:ann": "b"}, QUOTAS)
    assert list(made["vc"]) == ["b", "a", "b", "b"]
    assert counts == {"user:ann": 2}


def test_all_moves_look_at_where_jobs_were_so_two_vcs_can_change_places():
    made, _ = changes.moved(JOBS, {"vc:a": "b", "vc:b": "a"}, QUOTAS)
    assert list(made["vc"]) == ["b", "b", "a", "a"]


def test_a_move_to_a_vc_that_the_cluster_does_not_have_moves_nobody():
    made, counts = changes.moved(JOBS, {"vc:a": "elsewhere"}, QUOTAS)
    assert made is JOBS
    assert counts == {"vc:a": 0}


def test_a_merged_vc_gives_its_jobs_and_its_nodes():
    made, quotas = changes.merged(JOBS, QUOTAS, {"a": "b"})
    assert set(made["vc"]) == {"b"}
    assert quotas == {"b": Quota((0.0,), (24,))}


def test_merges_go_on_from_each_other():
    quotas = QUOTAS | {"c": constant(1)}
    made, left = changes.merged(JOBS, quotas, {"a": "b", "b": "c"})
    assert set(made["vc"]) == {"c"}
    assert {vc: quota.most for vc, quota in left.items()} == {"c": 25}


@given(st.floats(0.01, 100))
def test_longer_jobs_forget_their_recorded_ends_unless_nothing_changed(factor):
    made = changes.lengthened(JOBS, factor)
    assert list(made["duration_s"]) == pytest.approx([factor * each for each in JOBS["duration_s"]])
    assert made["end_s"].isna().all() == (factor != 1)


def test_changes_of_nodes_are_read_from_text_and_those_of_one_vc_add_up():
    always, dated = changes.node_changes(["C/a:+2", "C/a:-1", "C/b/x:3@2020-04-02"])
    assert always == {"C/a": 1}
    assert changes.dated_change(*dated, SPAN) == changes.NodeChange("C", "b/x", 3, 86_400.0)


@pytest.mark.parametrize("text", ["C/a", "a:1", "/a:1", "C/:1", "C/a:many", "C/a:1.5", ""])
def test_a_change_of_nodes_of_another_form_is_refused(text):
    with pytest.raises(RunError, match="CLUSTER/VC:NODES"):
        changes.node_change(text)


@pytest.mark.parametrize("factor", [0, -1, 101, float("nan")])
def test_a_duration_factor_out_of_range_is_refused(factor):
    with pytest.raises(RunError, match="duration factor"):
        changes.lengthened(JOBS, factor)


def test_a_vc_cannot_be_merged_into_itself():
    with pytest.raises(RunError, match="into itself"):
        changes.merged(JOBS, QUOTAS, {"a": "a"})
