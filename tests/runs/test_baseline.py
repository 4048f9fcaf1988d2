"""The recorded schedule beside simulated FIFO."""

import pytest

from runs import simulation
from runs.scenario import SchedulingScenario
from tests.stored_trace import job, store

DAY = "2020-09-01"


def jobs(**first):
    """Two jobs for one node: FIFO runs the first at once, the second at 00:10; the operator swapped them."""
    return [
        job(
            job_id="0",
            vc="vc1",
            gpu_num=8.0,
            submit_time=f"{DAY} 00:00",
            start_time=f"{DAY} 00:25",
            end_time=f"{DAY} 00:35",
            **first,
        ),
        job(
            job_id="1",
            vc="vc1",
            gpu_num=8.0,
            submit_time=f"{DAY} 00:05",
            start_time=f"{DAY} 00:05",
            end_time=f"{DAY} 00:25",
        ),
        job(
            job_id="2",
            vc="vc2",
            gpu_num=1.0,
            submit_time=f"{DAY} 00:06",
            start_time=f"{DAY} 00:06:30",
            end_time=f"{DAY} 00:30",
        ),
    ]


@pytest.fixture
def swapped(data_folder):
    quota = [("Venus", "vc1", DAY, 8), ("Venus", "vc2", DAY, 8)]
    store(data_folder, "swapped", jobs(), quota)
    return "swapped"


def test_the_same_jobs_are_shown_as_recorded_and_under_fifo_with_the_distance_between(swapped):
    document = simulation.simulate(SchedulingScenario(swapped, policies=("fifo",))).document
    vc1, vc2, total = document["baseline"]["rows"]
    assert (vc1["vc"], vc2["vc"], total["vc"]) == ("vc1", "vc2", "*")
    assert vc1["recorded"] == {
        "avg_jct_s": (2100 + 1200) / 2,
        "avg_queueing_delay_s": 750,
        "p95_queueing_delay_s": 1425,
    }
    assert vc1["fifo"]["avg_queueing_delay_s"] == 150
    assert vc1["fifo"]["avg_jct_s"] == (600 + 1500) / 2
    assert vc1["distance"] == {
        "mean_difference_s": -600,
        "mean_absolute_difference_s": (1500 + 300) / 2,
        "within_60_s": 0,
    }
    assert vc2["distance"]["within_60_s"] == 1  # 30 s
    assert total["jobs"] == 3
    assert "(33\u00a0% within a minute)" in document["baseline"]["sentence"]


@pytest.mark.parametrize(
    "changes",
    [
        {"load_factor": 3.0},
        {"duration_factor": 2.0},
        {"extra_nodes": {"Venus/vc1": 5}},
        {"moves": {"vc:vc1": "vc2"}},
        {"merges": {"vc1": "vc2"}},
        {"policies": ("sjf",)},
        {"backfill": True},
        {"until": f"{DAY} 00:07"},
        {"tie_sensitivity": True},
    ],
)
def test_no_change_of_the_scenario_reaches_the_baseline(swapped, changes):
    plain = simulation.simulate(SchedulingScenario(swapped, policies=("fifo",))).document
    changed = simulation.simulate(SchedulingScenario(**{"trace": swapped, "policies": ("fifo",)} | changes))
    assert changed.document["baseline"] == plain["baseline"]


def test_a_job_without_a_recorded_start_or_with_one_before_its_submission_is_not_compared(data_folder):
    rows = jobs()
    rows[0]["start_time"] = None
    rows[0]["duration_s"] = 600.0
    rows[1]["submit_time"] = rows[1]["start_time"].replace(hour=1)
    store(data_folder, "odd", rows, [("Venus", "vc1", DAY, 8), ("Venus", "vc2", DAY, 8)])
    document = simulation.simulate(SchedulingScenario("odd", policies=("fifo",))).document
    assert [(row["vc"], row["jobs"]) for row in document["baseline"]["rows"]] == [("vc2", 1), ("*", 1)]


def test_without_start_times_there_is_no_baseline_and_a_sentence_says_why(small_trace):
    document = simulation.simulate(SchedulingScenario(small_trace, policies=("fifo",))).document
    assert document["baseline"] is None
    assert any("no recorded starts" in note for note in document["notes"])


def test_a_trace_of_unknown_capacity_is_compared_on_the_capacity_that_was_given(data_folder, tmp_path):
    store(data_folder, "unknown", jobs())
    file = tmp_path / "capacity.csv"
    file.write_text("vc,gpus\nvc1,8\nvc2,8\n")
    wanted = SchedulingScenario("unknown", policies=("fifo",))
    made = simulation.simulate(wanted, capacity=simulation.capacity_file(wanted, file))
    assert made.document["baseline"]["rows"][-1]["jobs"] == 3
