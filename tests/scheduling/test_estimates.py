"""What QSSF believes about a job at its submission, and that it believes nothing from later."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_replay import close, estimate
from workloads import jobs_frame, workloads

from scheduling import ScenarioError, replay

FEW = settings(max_examples=60, deadline=None)
NAN = float("nan")


def qssf(jobs, gpus=64, **options):
    capacity = dict.fromkeys(jobs["vc"].unique(), gpus)
    return replay(jobs, capacity, policy="qssf", **options)


def believed(outcome):
    return outcome.estimates[["estimated_duration_s", "rung"]].to_numpy().tolist()


def test_an_estimate_is_the_mean_of_the_nearest_jobs_that_had_ended():
    rows = [
        (0, 1, 10, "a", 10),
        (0, 1, 30, "a", 30),
        (0, 2, 50, "b", 50),
        (30, 1, 7, "a", 37),  # both of a's jobs have ended
        (30, 1, 7, "b", 37),  # b has none of 1 GPU: the VC's of 1 GPU
        (60, 4, 7, "a", 67),  # nobody's of 4 GPUs: the VC
        (99, 4, 7, "a", NAN),
    ]
    known = qssf(jobs_frame(rows, vc=["v"] * 6 + ["w"]))
    assert known.ends == "recorded"
    assert known.estimates["rung"].tolist() == [
        "none",
        "none",
        "none",
        "user_gpus",
        "vc_gpus",
        "vc",
        "user_gpus",
    ]
    assert known.estimates["estimated_duration_s"].tolist()[3:] == [20, 20, (10 + 30 + 50 + 7 + 7) / 5, 7]


def test_everyone_stands_in_for_a_vc_of_which_nothing_is_known():
    rows = [(0, 1, 10, "a", 10), (20, 2, 5, "b", 25)]
    assert believed(qssf(jobs_frame(rows, vc=["v", "w"])))[1] == [10, "everyone"]


def test_a_job_of_an_unknown_user_is_estimated_from_its_vc():
    rows = [(0, 1, 10, None, 10), (20, 1, 5, None, 25)]
    assert believed(qssf(jobs_frame(rows)))[1] == [10, "vc_gpus"]


def test_jobs_of_which_nothing_is_known_go_by_their_gpu_count():
    outcome = qssf(jobs_frame([(0, 8, 10), (1, 8, 5), (1, 4, 90)]), gpus=8)
    assert outcome.jobs["start_s"].tolist() == [0, 100, 10]
    assert outcome.estimates["rung"].tolist() == ["none"] * 3
    assert outcome.estimates["estimated_duration_s"].isna().all()


def test_the_priority_is_estimated_gpu_time_and_not_the_true_duration():
    rows = [
        (0, 1, 2, "short"),
        (0, 1, 40, "long"),
        (50, 8, 10, "x"),
        (51, 1, 900, "short"),
        (51, 1, 1, "long"),
    ]
    starts = qssf(jobs_frame(rows), gpus=8).jobs["start_s"].tolist()
    assert starts[3] == 60
    assert qssf(jobs_frame(rows), gpus=8).estimates["estimated_duration_s"].tolist()[3:] == [2, 40]


def test_simulated_ends_are_those_of_the_replay():
    rows = [(0, 8, 100, "a", 1), (0, 8, 10, "a", 1), (105, 8, 5, "a", 106)]
    assert believed(qssf(jobs_frame(rows), gpus=8, ends="simulated"))[2] == [100, "user_gpus"]
    assert believed(qssf(jobs_frame(rows), gpus=8, ends="recorded"))[2] == [55, "user_gpus"]


def test_history_counts_with_recorded_ends_and_not_with_simulated_ones():
    history = jobs_frame(
        [(-50, 1, 30, "a", -20), (-5, 1, 90, "a", 85), (-9, 0, 3, "a", -6), (-9, 1, 3, "a", NAN)]
    )
    jobs = jobs_frame([(0, 1, 10, "a", 10), (85, 1, 10, "a", 95)])
    recorded = qssf(jobs, history=history)
    assert believed(recorded) == [[30, "user_gpus"], [(30 + 10 + 90) / 3, "user_gpus"]]
    assert recorded.jobs["job_id"].tolist() == ["j0", "j1"]
    assert believed(qssf(jobs, history=history, ends="simulated"))[0][1] == "none"


def test_a_history_without_end_times_is_refused():
    jobs = jobs_frame([(0, 1, 10, "a", 10)])
    with pytest.raises(ScenarioError, match="history has no end times"):
        qssf(jobs, history=jobs.drop(columns="end_s"))


def test_a_job_that_lasts_no_time_does_not_see_itself():
    assert believed(qssf(jobs_frame([(0, 1, 0, "a", 0), (0, 1, 0, "a", 0)])))[0][1] == "none"


def recorded_frame(rows, waits):
    full = [(s, g, d, u, s + wait + d) for (s, g, d, u), wait in zip(rows, waits, strict=False)]
    return jobs_frame(full, vc=["v" if i % 3 else "w" for i in range(len(full))])


waits = st.lists(st.integers(0, 30), min_size=25, max_size=25)


@FEW
@given(rows=workloads(), waits=waits)
def test_recorded_estimates_are_those_of_a_plain_search(rows, waits):
    jobs = recorded_frame(rows, waits)
    made = qssf(jobs).estimates
    plain = [
        {"user": j.user, "gpus": j.gpu_num, "vc": j.vc, "duration": j.duration_s, "end": j.end_s}
        for j in jobs.itertuples()
    ]
    for at, job in enumerate(jobs.itertuples()):
        # Of jobs that end at the instant of their own submission only those submitted before count.
        ended = [
            each
            for i, each in enumerate(plain)
            if each["end"] <= job.submit_s and (i < at or jobs["submit_s"].iloc[i] < each["end"])
        ]
        expected_s, rung = estimate(plain[at], ended)
        assert made["rung"].iloc[at] == rung
        value = made["estimated_duration_s"].iloc[at]
        assert close(value, expected_s) if rung != "none" else np.isnan(value)


@FEW
@given(rows=workloads(), waits=waits, moment=st.integers(0, 60), longer=st.integers(1, 500))
def test_changing_whatever_ends_later_changes_no_earlier_recorded_estimate(rows, waits, moment, longer):
    jobs = recorded_frame(rows, waits)
    later = jobs["end_s"] > moment
    changed = jobs.assign(
        duration_s=jobs["duration_s"] + longer * later, end_s=jobs["end_s"] + longer * later
    )
    before = (jobs["submit_s"] <= moment).to_numpy()
    made = [qssf(frame).estimates[before] for frame in (jobs, changed)]
    pd.testing.assert_frame_equal(*made)


@FEW
@given(rows=workloads(), moment=st.integers(0, 60), longer=st.integers(1, 500))
def test_changing_whatever_ends_later_changes_no_earlier_simulated_estimate_or_start(rows, moment, longer):
    jobs = jobs_frame(rows)
    original = qssf(jobs, gpus=24)
    later = (original.jobs["end_s"] > moment).to_numpy()
    changed = qssf(jobs.assign(duration_s=jobs["duration_s"] + longer * later), gpus=24)
    before = (jobs["submit_s"] <= moment).to_numpy()
    pd.testing.assert_frame_equal(original.estimates[before], changed.estimates[before])
    started = (original.jobs["start_s"] <= moment).to_numpy()
    assert original.jobs["start_s"][started].tolist() == changed.jobs["start_s"][started].tolist()


def test_a_congested_real_vc_gains_from_rolling_means(shared):
    jobs = pd.read_csv(shared / "data/helios/venus_2vc_sept.csv")
    jobs = jobs[jobs["vc"] == "vcvGl"].rename(columns={"duration": "duration_s"})
    submit_time = pd.to_datetime(jobs["submit_time"])
    jobs["submit_s"] = (submit_time - submit_time.min()).dt.total_seconds()
    jobs = jobs.sort_values(["submit_s", "job_id"])
    delay_s = {
        policy: replay(jobs, {"vcvGl": 160}, policy=policy).jobs["queueing_delay_s"].mean()
        for policy in ("fifo", "sjf", "qssf")
    }
    # helios.md and the scheduling material give 13,891 s under FIFO and 697 s under SJF for this slice.
    assert round(delay_s["fifo"]) == 13891
    assert round(delay_s["sjf"]) == 697
    assert delay_s["qssf"] < 2000
