"""From a stored trace to the numbers of a replay."""

import pandas as pd
import pytest

from runs import RunError, simulation
from runs.scenario import SchedulingScenario


def by(document, **keys):
    [row] = [each for each in document["results"] if all(each[k] == v for k, v in keys.items())]
    return row


def test_there_is_a_row_per_policy_and_vc_and_one_for_the_cluster(small_trace):
    made = simulation.simulate(SchedulingScenario(small_trace, policies=("fifo", "sjf")))
    shown = [(row["policy"], row["cluster"], row["vc"]) for row in made.document["results"]]
    assert shown == [(policy, "C", vc) for policy in ("fifo", "sjf") for vc in ("busy", "idle", "*")]


def test_the_numbers_of_a_row_are_those_of_its_jobs(small_trace):
    made = simulation.simulate(SchedulingScenario(small_trace, policies=("fifo",)))
    jobs = made.jobs[made.jobs["vc"] == "busy"]
    row = by(made.document, vc="busy")
    assert row["avg_jct_s"] == pytest.approx((jobs["end_s"] - jobs["submit_s"]).mean())
    assert row["queued_jobs"] == (jobs["start_s"] - jobs["submit_s"] >= 1).sum()
    makespan_s = jobs["end_s"].max() - jobs["submit_s"].min()
    used = (jobs["gpu_num"] * jobs["duration_s"]).sum()
    assert row["gpu_utilization"] == pytest.approx(used / (8 * makespan_s))


def test_seconds_count_from_the_windows_start_and_jobs_run_on_past_its_end(small_trace):
    whole = simulation.simulate(SchedulingScenario(small_trace, policies=("fifo",)))
    day = simulation.simulate(
        SchedulingScenario(small_trace, from_="2020-04-02", to="2020-04-03", policies=("fifo",))
    )
    assert len(day.jobs) == len(whole.jobs) / 3
    assert day.jobs["submit_s"].min() == 0
    assert day.jobs["end_s"].max() > day.jobs["submit_s"].max()


def test_only_the_vcs_asked_for_take_part_with_their_capacity_alone(small_trace):
    made = simulation.simulate(SchedulingScenario(small_trace, vcs=("busy",), policies=("fifo",)))
    busy, total = by(made.document, vc="busy"), by(made.document, vc="*")
    assert {key: busy[key] for key in busy if key != "vc"} == {
        key: total[key] for key in total if key != "vc"
    }


def test_nodes_that_are_taken_away_reject_what_no_longer_fits_and_more_nodes_shorten_the_wait(small_trace):
    def waits(nodes):
        extra = {"C/busy": nodes}
        made = simulation.simulate(SchedulingScenario(small_trace, policies=("fifo",), extra_nodes=extra))
        return by(made.document, vc="busy")

    assert waits(-1)["rejected_jobs"] == waits(-1)["jobs"]
    assert waits(-1)["avg_jct_s"] is None
    assert waits(0)["rejected_jobs"] == 0
    assert waits(3)["avg_queueing_delay_s"] <= waits(0)["avg_queueing_delay_s"]


def test_the_load_series_integrates_to_the_gpu_time_of_the_window(small_trace):
    made = simulation.simulate(SchedulingScenario(small_trace, policies=("sjf",)))
    window_s = pd.Timestamp(made.document["scenario"]["to"]) - pd.Timestamp(made.document["scenario"]["from"])
    window_s = window_s.total_seconds()
    inside = (
        made.jobs["end_s"].clip(upper=window_s) - made.jobs["start_s"].clip(upper=window_s)
    ) * made.jobs["gpu_num"]
    whole_slots = made.series["running_gpus"].iloc[:-1].sum() * 600
    last_s = window_s - 600 * (len(made.series) - 1)
    assert whole_slots + made.series["running_gpus"].iloc[-1] * 600 == pytest.approx(
        inside.sum(), abs=24 * (600 - last_s)
    )
    assert (made.series["present_gpus"] == 24).all()


def test_a_capacity_file_replaces_the_traces_own(small_trace, tmp_path):
    file = tmp_path / "capacity.csv"
    file.write_text("vc,gpus\nbusy,4\n")
    wanted = SchedulingScenario(small_trace, policies=("fifo",))
    made = simulation.simulate(wanted, capacity=simulation.capacity_file(wanted, file))
    assert by(made.document, vc="idle")["rejected_jobs"] == by(made.document, vc="idle")["jobs"]
    jobs = made.jobs[made.jobs["vc"] == "busy"]
    assert (jobs["rejected"].notna() == (jobs["gpu_num"] > 4)).all()


def test_the_jobs_file_has_the_documented_columns_and_empty_times_for_rejected_jobs(small_trace, tmp_path):
    made = simulation.simulate(
        SchedulingScenario(small_trace, policies=("fifo",), extra_nodes={"C/busy": -1})
    )
    simulation.write_jobs(made.jobs, tmp_path / "jobs.csv")
    text = (tmp_path / "jobs.csv").read_text().splitlines()
    assert (
        text[0] == "job_id,vc,policy,submit_s,gpu_num,duration_s,start_s,end_s,queueing_delay_s,preemptions"
    )
    rejected = pd.read_csv(tmp_path / "jobs.csv").query("vc == 'busy'")
    assert rejected[["start_s", "end_s"]].isna().all(axis=None)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".jobs")] == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"clusters": ("D",)}, "has no cluster 'D'"),
        ({"policies": ()}, "at least one policy"),
        ({"extra_nodes": {"C/none": 1}}, "capacity of VC none is unknown"),
        ({"load_factor": 0.0}, "load factor"),
        ({"vcs": ("none",)}, "no job"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused_with_a_sentence(small_trace, change, sentence):
    with pytest.raises(RunError, match=sentence):
        simulation.simulate(SchedulingScenario(small_trace, **change))


@pytest.mark.parametrize(
    ("jct_s", "said"),
    [
        ({"fifo": 100.0, "sjf": 50.0}, "SJF shortens the average JCT 2.00-fold against FIFO."),
        ({"sjf": 90.0, "las": 60.0}, "LAS has the shortest average JCT."),
        ({"fifo": 100.2, "sjf": 100.0, "srtf": 100.4}, "The policies do not differ in average JCT."),
        ({"fifo": 100.0}, "FIFO has the shortest average JCT."),
        ({"fifo": None}, "No job could be replayed."),
    ],
)
def test_the_sentence_names_a_policy_only_where_policies_differ(jct_s, said):
    rows = [{"vc": "*", "policy": policy, "avg_jct_s": value} for policy, value in jct_s.items()]
    assert simulation.sentence({"results": rows}) == said
