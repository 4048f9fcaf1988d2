"""What sleeping nodes cost the jobs: by hand, and what always holds."""

import numpy as np
import pandas as pd
import pytest

import energy
import scheduling
from runs.node_demand import Demand, Replay
from runs.sleeping_jobs import Loop, sleeping_jobs
from runs.vc_nodes import spread_sleeps, spread_wakes
from runs.window import Window

START = pd.Timestamp("2020-04-01")
DAY_S = 86_400
NODES = {"a": 32, "b": 16}  # GPUs: 4 and 2 nodes of 8


def jobs(rows):
    frame = pd.DataFrame(rows, columns=["submit_s", "duration_s", "gpu_num", "vc"])
    frame = frame.sort_values("submit_s", kind="stable").reset_index(drop=True)
    return frame.assign(job_id=frame.index.astype(str), user="u", end_s=np.nan)


def busy(seed=1, count=170):
    rng = np.random.default_rng(seed)
    at = np.sort(rng.integers(0, 3 * DAY_S, count))
    rows = zip(
        at,
        rng.integers(60, 9000, count),
        rng.integers(1, 17, count),
        rng.choice(["a", "b"], count),
        strict=True,
    )
    return jobs(rows)


def run(frame, controller, boot=None, policy="fifo", days=(2, 3)):
    outcome = scheduling.replay(frame, NODES, policy=policy)
    steps = scheduling.metrics.total_steps(outcome.steps)
    end_s = days[1] * DAY_S
    series = energy.slots_from_steps(START, steps["time_s"], steps["used_nodes"], 6, end_s)
    window = Window(START + pd.Timedelta(days=days[0]), START + pd.Timedelta(days=days[1]), "UTC")
    replay = Replay(frame, NODES, 8, policy, outcome, START)
    demand = Demand(series[["time", "used", "total"]], window, "replay", replay)
    boot = boot or energy.Boot()
    study = energy.study(
        demand.series, window.start_time, window.end_time, controller=controller, model="last", boot=boot,
        outages=False,
    )  # fmt: skip
    return study, sleeping_jobs(demand, replay, study.slots, study.rises, Loop(controller, boot))


MARGIN = energy.Margin(margin_nodes=2, low_water_nodes=1, hold_slots=2)


def test_with_all_nodes_awake_no_job_is_delayed_and_the_demand_is_the_replays():
    study, made = run(busy(), energy.AlwaysOn())
    assert made.document["jobs_delayed"] == 0
    assert made.document["mean_added_delay_s"] == 0
    assert made.document["delayed_max_s"] is None
    np.testing.assert_array_equal(made.slots["used"], study.slots["used"])
    assert made.document["result"]["mean_sleeping_nodes"] == 0


SPARSE = [(s, 300, 1, "a") for s in range(0, 2 * DAY_S, 7200)]


def test_a_job_waits_for_the_next_slot_and_the_boot_time_of_the_nodes_that_it_needs():
    gang = (2 * DAY_S + 4000, 600, 24, "a")  # three nodes, in the slot from 3,600 s on
    for boot_s, starts_s in ((0, 4200), (300, 4500), (1500, 5700)):
        _, made = run(jobs([*SPARSE, gang]), energy.Drs(), energy.Boot(boot_s))
        [late] = made.delayed.to_dict("records")
        assert late["added_delay_s"] == starts_s - 4000
        assert late["vc"] == "a"
        assert made.document["jobs_delayed"] == 1
        assert made.document["delayed_p95_s"] == starts_s - 4000
        assert {row["vc"]: row["jobs_delayed"] for row in made.document["by_vc"]} == {"a": 1}


def test_nodes_that_wait_jobs_need_are_woken_in_their_own_vc():
    """Two free nodes of VC a serve no job of VC b, however many the controller counts as free."""
    first = (2 * DAY_S + 4000, 600, 16, "b")
    _, made = run(jobs([*SPARSE, first]), energy.Margin(margin_nodes=2, low_water_nodes=0, hold_slots=0))
    assert made.delayed["added_delay_s"].le(600).all()


def test_no_job_runs_on_more_nodes_than_are_awake():
    _, made = run(busy(), energy.Drs(), energy.Boot(600))
    ready = made.slots["awake"] + made.slots["booting"]
    assert (made.slots["used"] <= ready).all()
    assert (made.slots[["awake", "booting", "asleep"]].sum(axis=1) == 6).all()
    assert made.document["result"]["mean_sleeping_nodes"] > 0
    assert made.document["jobs_delayed"] > 0


@pytest.mark.parametrize("policy", ["fifo", "sjf", "qssf"])
@pytest.mark.parametrize("controller", [MARGIN, energy.Drs(), energy.PRESETS["Earth"]])
def test_every_job_of_the_window_still_runs(policy, controller):
    _, made = run(busy(), controller, energy.Boot(900, 0.3), policy)
    frame = busy()
    inside = (frame["submit_s"] >= 2 * DAY_S) & (frame["submit_s"] < 3 * DAY_S)
    assert made.document["jobs"] == inside.sum()
    assert made.document["policy"] == policy


def test_what_is_decided_up_to_a_slot_does_not_depend_on_later_jobs():
    frame, cut_s = busy(), 2 * DAY_S + 40_000
    changed = frame[frame["submit_s"] < cut_s]
    changed = jobs(
        [*changed[["submit_s", "duration_s", "gpu_num", "vc"]].itertuples(index=False), (cut_s, 60, 32, "a")]
    )
    boot = energy.Boot(600, 0.2)
    (_, one), (_, other) = run(frame, MARGIN, boot), run(changed, MARGIN, boot)
    upto = int((cut_s - 2 * DAY_S) // 600) + 1
    columns = ["awake", "booting"]
    pd.testing.assert_frame_equal(one.slots[columns][:upto], other.slots[columns][:upto])


def test_failed_wake_ups_delay_more_and_repeat_with_their_seed():
    sure, unsure, again = (run(busy(), energy.Drs(), energy.Boot(300, p))[1] for p in (0.0, 0.5, 0.5))
    assert sure.slots["failed_wakes"].sum() == 0
    assert unsure.slots["failed_wakes"].sum() > 0
    assert unsure.document["mean_added_delay_s"] > sure.document["mean_added_delay_s"]
    pd.testing.assert_frame_equal(unsure.slots, again.slots)


def test_wakes_go_to_the_vc_whose_jobs_wait_and_then_even_out_the_free_nodes():
    def counts(*values):
        return np.array(values)

    assert spread_wakes(3, counts(0, 2, 0), counts(0, 0, 1), counts(5, 5, 5)).tolist() == [1, 2, 0]
    assert spread_wakes(3, counts(0, 0, 0), counts(0, 2, 5), counts(5, 5, 5)).tolist() == [3, 0, 0]
    assert spread_wakes(9, counts(4, 0), counts(0, 0), counts(2, 3)).tolist() == [2, 3]


def test_sleeps_come_from_the_vc_with_most_idle_nodes_and_never_from_one_whose_jobs_wait():
    assert spread_sleeps(3, np.array([0, 0, 1]), np.array([4, 2, 9])).tolist() == [3, 0, 0]
    assert spread_sleeps(9, np.array([0, 0]), np.array([1, 2])).tolist() == [1, 2]
