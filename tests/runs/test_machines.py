"""Replays on machines that differ: by hand, and with as many GPUs as the quota says."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from runs import simulation
from runs.machines import Machines, with_quota
from runs.quota import Quota
from runs.scenario import SchedulingScenario
from tests.stored_trace import job, store

NODES = [("Venus", "a", 8, "V100"), ("Venus", "b", 4, "T4"), ("Venus", "c", 2, None)]


def waiting(job_id, gpus, gpu_type=None, **values):
    fixed = {"submit_time": "2020-09-01", "duration_s": 100.0, "vc": None, "user": "u"}
    return job(job_id=job_id, gpu_num=float(gpus), gpu_type=gpu_type, **fixed | values)


def starts(data, jobs, quota=14, nodes=NODES, **changes):
    store(data, "mixed", jobs, [("Venus", "Venus", "2020-09-01", quota)], nodes)
    made = simulation.simulate(SchedulingScenario("mixed", policies=("fifo",), **changes))
    return made.jobs.set_index("job_id")["start_s"].to_dict(), made.document["results"][-1]


def test_a_job_runs_on_the_type_that_it_asks_for_and_waits_for_it(data_folder):
    began, total = starts(
        data_folder,
        [
            waiting("first", 4, "T4"),
            waiting("any", 8),
            waiting("second", 4, "T4"),
            waiting("either", 2, "T4|V100"),
        ],
    )
    assert began == {"first": 0, "any": 0, "second": 100, "either": 100}
    assert total["rejected_jobs"] == 0


def test_a_job_larger_than_the_nodes_of_its_type_is_rejected(data_folder):
    began, total = starts(data_folder, [waiting("large", 8, "T4"), waiting("none", 1, "A100")])
    assert np.isnan(began["large"]) and np.isnan(began["none"])
    assert total["rejected_jobs"] == 2


def test_a_node_is_as_large_as_it_is(data_folder):
    began, _ = starts(data_folder, [waiting("six", 6), waiting("other six", 6)])
    assert began == {"six": 0, "other six": 100}  # 4 + 2 GPUs of the small nodes are two nodes, not one


def test_nodes_of_a_cluster_with_several_vcs_belong_to_nobody_in_particular(data_folder):
    jobs = [waiting("one", 4, "T4", vc="vc1"), waiting("two", 4, "T4", vc="vc2")]
    quota = [("Venus", vc, "2020-09-01", 8) for vc in ("vc1", "vc2")]
    store(data_folder, "mixed", jobs, quota, NODES)
    made = simulation.simulate(SchedulingScenario("mixed", policies=("fifo",)))
    assert (made.jobs["start_s"] == 0).all()


def test_nodes_that_are_added_take_jobs_of_any_type_wish_but_a_named_one(data_folder):
    jobs = [waiting("all", 8), waiting("more", 8), waiting("typed", 8, "V100")]
    began, _ = starts(data_folder, jobs, extra_nodes={"Venus/Venus": 1})
    assert began == {"all": 0, "more": 0, "typed": 100}


kinds = st.tuples(st.integers(1, 8), st.sampled_from(["", "A", "B"]))
fleet = st.dictionaries(kinds, st.integers(1, 5), min_size=1).map(
    lambda found: tuple(Machines(gpus, kind, nodes) for (gpus, kind), nodes in found.items())
)


@given(fleet, st.lists(st.integers(0, 250), min_size=1, max_size=4), st.sampled_from([1, 4, 8]))
def test_the_nodes_have_as_many_gpus_as_the_quota_at_each_instant(machines, gpus, per_node):
    quota = Quota(tuple(float(i) for i in range(len(gpus))), tuple(gpus))
    made = with_quota(machines, quota, per_node)
    total = sum(np.array(group.nodes) * group.gpus_per_node for group in made)
    assert list(np.broadcast_to(total, len(gpus))) == gpus


@given(fleet)
def test_an_unchanged_quota_leaves_every_machine_as_it_is(machines):
    whole = sum(each.gpus * each.nodes for each in machines)
    made = with_quota(machines, Quota((0.0,), (whole,)), 8)
    kept = pd.Series({(group.gpus_per_node, group.gpu_type): group.nodes[0] for group in made})
    assert kept.to_dict() == {(each.gpus, each.gpu_type): each.nodes for each in machines}
