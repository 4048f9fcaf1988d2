"""Scenarios that change capacity, jobs or the start of a stored trace, by hand."""

import pandas as pd
import pytest

from queries import manifests
from runs import RunError, simulation
from runs.scenario import SchedulingScenario, document, scenario
from runs.window import window
from runs.workload import workload
from scheduling.estimate import GIVEN_PRIORITY
from tests.stored_trace import job, store

DAY = "2020-09-02"
NO_CLUSTER = {"trace": "hand", "from_": DAY, "to": "2020-09-04", "policies": ("fifo",)}


def at(clock, day=DAY):
    return f"{day} {clock}"


@pytest.fixture
def hand(data_folder):
    """A VC of 8 GPUs on 2 September and of 16 from the 3rd on. A job of 8 GPUs runs over its first midnight
    until 01:00, one waits from 23:30 until then."""
    jobs = [
        job(
            job_id="runs",
            user="ann",
            gpu_num=8.0,
            submit_time=at("20:00", "2020-09-01"),
            start_time=at("22:00", "2020-09-01"),
            end_time=at("01:00"),
        ),
        job(
            job_id="waits",
            user="bob",
            gpu_num=8.0,
            submit_time=at("23:30", "2020-09-01"),
            start_time=at("01:00"),
            end_time=at("02:00"),
        ),
        job(
            job_id="ended",
            user="bob",
            gpu_num=8.0,
            submit_time=at("08:00", "2020-09-01"),
            start_time=at("08:00", "2020-09-01"),
            end_time=at("09:00", "2020-09-01"),
        ),
        job(
            job_id="first",
            user="ann",
            gpu_num=8.0,
            submit_time=at("00:30"),
            start_time=at("02:00"),
            end_time=at("03:00"),
        ),
        job(
            job_id="gang",
            user="ann",
            gpu_num=16.0,
            submit_time=at("04:00"),
            start_time=at("00:00", "2020-09-03"),
            end_time=at("01:00", "2020-09-03"),
        ),
        job(job_id="other", user="bob", vc="vc2", gpu_num=8.0, submit_time=at("00:00"), duration_s=7200.0),
    ]
    store(
        data_folder,
        "hand",
        jobs,
        [
            ("Venus", "vc1", "2020-09-01", 8),
            ("Venus", "vc1", "2020-09-03", 16),
            ("Venus", "vc2", "2020-09-01", 8),
        ],
    )
    return "hand"


def starts(**changes):
    made = simulation.simulate(SchedulingScenario(**NO_CLUSTER | changes))
    return made.jobs.set_index("job_id")["start_s"].to_dict(), made


def test_capacity_that_follows_the_quota_makes_a_gang_wait_for_the_day_on_which_it_fits(hand):
    most, made = starts()
    assert most["gang"] == 4 * 3600
    assert (made.series["present_gpus"] == 24).all()
    followed, made = starts(capacity_over_time=True)
    assert followed["gang"] == 24 * 3600
    assert list(made.series["present_gpus"].iloc[[0, 143, 144]]) == [16, 16, 24]


def test_a_start_state_has_the_jobs_that_ran_and_waited_and_they_are_in_no_result(hand):
    assert starts(capacity_over_time=True)[0]["first"] == 1800
    followed, made = starts(capacity_over_time=True, start_state=True)
    assert followed["first"] == 2 * 3600
    assert set(made.jobs["job_id"]) == {"first", "gang", "other"}


def test_jobs_of_the_start_state_have_estimates_where_the_policy_asks_for_them(hand):
    def standing(policy):
        settings = SchedulingScenario(**NO_CLUSTER | {"policies": (policy,), "start_state": True})
        whole = manifests.manifest("hand")
        made = workload(settings, whole, "Venus", window(whole, ["Venus"], DAY, "2020-09-04"))
        return made.standing

    assert list(standing("qssf")["job_id"]) == ["runs", "waits"]
    assert standing("qssf")[GIVEN_PRIORITY].notna().all()
    assert GIVEN_PRIORITY not in standing("fifo").columns


def test_nodes_that_leave_on_a_date_leave_then_and_not_before(hand):
    left, made = starts(dated_nodes=("Venus/vc1:-1@2020-09-02 03:00",))
    assert pd.isna(left["gang"])
    assert made.document["results"][0]["rejected_jobs"] == 1
    stayed, _ = starts(dated_nodes=("Venus/vc1:-1@2020-09-02 04:30",))
    assert stayed["gang"] == 4 * 3600


def test_a_moved_user_competes_in_the_other_vc_and_leaves_it_no_nodes(hand):
    moved, made = starts(moves={"user:bob": "vc1"}, capacity_over_time=True)
    assert moved["first"] == 2 * 3600  # behind "other", which runs until 02:00
    assert set(made.jobs["vc"]) == {"vc1"}


def test_merged_vcs_share_their_nodes(hand):
    merged, _ = starts(merges={"vc2": "vc1"}, capacity_over_time=True)
    assert (merged["other"], merged["first"], merged["gang"]) == (0, 1800, 4 * 3600)


def test_a_vc_is_chosen_after_jobs_were_moved_to_it(hand):
    moved, _ = starts(moves={"vc:vc2": "vc1"}, vcs=("vc1",))
    assert set(moved) == {"first", "gang", "other"}


def test_a_replay_that_stops_counts_every_job_as_ended_rejected_or_unfinished(hand):
    _, made = starts(capacity_over_time=True, until="2020-09-02 05:00")
    total = made.document["results"][-1]
    assert (total["jobs"], total["rejected_jobs"], total["unfinished_jobs"]) == (3, 0, 1)
    assert total["avg_queueing_delay_s"] == 0
    assert any("1 job had not ended" in note for note in made.document["notes"])


def test_longer_jobs_make_longer_queues(hand):
    longer, _ = starts(duration_factor=10, merges={"vc2": "vc1"})
    assert longer["gang"] == 1800 + 10 * 3600  # when "first" leaves its 8 of 24 GPUs


def test_a_replay_cannot_stop_before_it_begins(hand):
    with pytest.raises(RunError, match="cannot stop"):
        starts(until="2020-09-01")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"vc1": 2, "vc2": 1}),
        ({"load_factor": 0.2}, {"vc1": 2, "vc2": 1}),
        ({"load_factor": 3.0}, {"vc1": 2, "vc2": 1}),
        ({"moves": {"user:ann": "vc2"}}, {"vc1": 1, "vc2": 2}),
        ({"merges": {"vc2": "vc1"}}, {"vc1": 3}),
        ({"vcs": ("vc2",)}, {"vc2": 1}),
        ({"to": "2020-09-03"}, {"vc1": 1, "vc2": 1}),
    ],
)
def test_cpu_jobs_are_counted_as_recorded_under_any_load_and_go_where_their_vc_and_user_go(
    data_folder, changes, expected
):
    times = [
        (at("01:00"), "vc1", "ann"),
        (at("02:00", "2020-09-03"), "vc1", "bob"),
        (at("03:00"), "vc2", "bob"),
    ]
    cpu = [
        job(job_id=f"cpu{i}", gpu_num=0.0, submit_time=time, vc=vc, user=user, duration_s=60.0)
        for i, (time, vc, user) in enumerate(times)
    ]
    gpu = [
        job(job_id=f"gpu{vc}", submit_time=at("01:00"), vc=vc, user="ann", duration_s=60.0)
        for vc in ("vc1", "vc2")
    ]
    quota = [("Venus", vc, "2020-09-01", 8) for vc in ("vc1", "vc2")]
    store(data_folder, "mixed", sorted(gpu + cpu, key=lambda each: each["submit_time"]), quota)
    made = simulation.simulate(SchedulingScenario(**NO_CLUSTER | {"trace": "mixed"} | changes))
    rows = {row["vc"]: row["excluded"]["cpu"] for row in made.document["results"]}
    assert rows.pop("*") == sum(expected.values())
    assert {vc: count for vc, count in rows.items() if count} == expected


def test_ties_give_an_interval_between_both_orders(data_folder):
    jobs = [
        job(job_id="long", gpu_num=8.0, submit_time=at("00:00"), duration_s=300.0),
        job(job_id="short", gpu_num=8.0, submit_time=at("00:00"), duration_s=100.0),
    ]
    store(data_folder, "ties", jobs, [("Venus", "vc1", "2020-09-01", 8)])
    made = simulation.simulate(SchedulingScenario("ties", policies=("fifo", "sjf"), tie_sensitivity=True))
    fifo, sjf = (row for row in made.document["results"] if row["vc"] == "*")
    assert fifo["avg_queueing_delay_s"] == 150
    assert fifo["tie_interval"]["avg_queueing_delay_s"] == [50, 150]
    assert sjf["tie_interval"]["avg_queueing_delay_s"] == [50, 50]
    assert fifo["tie_interval"]["makespan_s"] == [400, 400]


def test_a_scenario_with_every_change_is_the_same_after_it_was_stored():
    whole = SchedulingScenario(
        **NO_CLUSTER,
        backfill=True,
        dated_nodes=("Venus/vc1:-1@2020-09-03",),
        moves={"user:bob": "vc1"},
        merges={"vc2": "vc1"},
        until="2020-09-05",
    )
    assert scenario("scheduling", document(whole)) == whole
