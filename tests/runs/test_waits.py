"""Why jobs of a stored trace waited: by hand, and adding up to the delays of the replay."""

import numpy as np
import pandas as pd
import pytest

from queries.manifests import manifest
from runs import simulation
from runs.scenario import SchedulingScenario
from runs.waits import CAUSES, joined, waits
from tests import synthetic
from tests.stored_trace import job, store

DAY = "2020-09-01"


def asked(job_id, user, gpus, second, duration_s=100.0, **values):
    time = pd.Timestamp(DAY) + pd.Timedelta(seconds=second)
    return job(
        job_id=job_id, user=user, gpu_num=float(gpus), submit_time=time, duration_s=duration_s, **values
    )


def test_capacity_and_head_of_line_and_who_is_behind_them_by_hand(data_folder):
    jobs = [
        asked("runs", "ann", 4, 0),  # until 100
        asked("gang", "bob", 8, 10),  # waits 90 s for the GPUs of ann
        asked("small", "cec", 1, 20),  # fits at once, waits behind bob until 100, then for his GPUs until 200
    ]
    store(data_folder, "hand", jobs, [("Venus", "vc1", DAY, 8)])
    made = waits("hand", (), (), "", "")
    [row] = made.by_vc.to_dict("records")
    assert (row["jobs"], row["waiting_jobs"], row["waited_s"]) == (3, 2, 270)
    assert (row["capacity_s"], row["fragmentation_s"], row["head_of_line_s"]) == (190, 0, 80)
    behind = made.blockers.set_index(["waiting_user", "blocking_user"])["waited_s"].to_dict()
    assert behind == pytest.approx({("bob", "ann"): 90, ("cec", "bob"): 180})
    first = made.blocking_jobs.iloc[0]
    assert (first["job_id"], round(first["waited_s"], 6), first["head_of_line_s"]) == ("gang", 180, 80)
    assert not made.from_record


def test_gpus_on_the_wrong_nodes_are_fragmentation(data_folder):
    jobs = [
        asked("a", "ann", 5, 0),
        asked("b", "ann", 5, 0),
        asked("c", "bob", 6, 10),  # 6 of 16 GPUs are free, 3 on each node
    ]
    store(data_folder, "hand", jobs, [("Venus", "vc1", DAY, 16)])
    [row] = waits("hand", (), (), "", "").by_vc.to_dict("records")
    assert (row["capacity_s"], row["fragmentation_s"], row["head_of_line_s"]) == (0, 90, 0)


@pytest.fixture
def datacenter(data_folder):
    synthetic.write(data_folder)


@pytest.mark.parametrize("vcs", [(), ("vcA",)])
def test_the_causes_add_up_to_the_delays_of_the_same_replay(datacenter, vcs):
    window = {"from_": "2020-09-03", "to": "2020-09-10"}
    made = waits("demo", (), vcs, **window)
    assert made.from_record
    np.testing.assert_allclose(made.by_vc[list(CAUSES)].sum(axis=1), made.by_vc["waited_s"])
    run = simulation.simulate(
        SchedulingScenario(
            "demo", vcs=vcs, policies=("fifo",), capacity_over_time=True, start_state=True, **window
        )
    )
    delays = run.jobs.groupby(["cluster", "vc"])["queueing_delay_s"].sum()
    own = made.by_vc.set_index(["cluster", "vc"])["waited_s"]
    pd.testing.assert_series_equal(own.sort_index(), delays.sort_index(), check_names=False)
    assert made.blockers["waited_s"].sum() <= own.sum() + 1e-6


@pytest.mark.parametrize("window", [("", ""), ("2020-09-03", "2020-09-10")])
def test_clusters_replayed_one_by_one_give_what_they_give_together(datacenter, window):
    clusters = list(manifest("demo")["clusters"])
    assert len(clusters) > 1
    together = waits("demo", (), (), *window)
    one_by_one = joined([waits("demo", (cluster,), (), *window) for cluster in clusters])
    assert one_by_one.from_record == together.from_record
    for name in ("by_vc", "blockers", "blocking_jobs"):
        one, other = (
            frame.sort_values(list(frame.columns), ignore_index=True)
            for frame in (getattr(one_by_one, name), getattr(together, name))
        )
        assert len(one) or name == "blocking_jobs"
        pd.testing.assert_frame_equal(one, other)
