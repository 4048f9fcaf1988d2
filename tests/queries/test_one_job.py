"""One job, the load of its VC and the jobs like it, against pandas."""

from pathlib import Path

import pandas as pd

from queries import fetch
from tests import synthetic
from tests.stored_trace import job, store


def test_the_load_of_a_vc_is_what_runs_and_waits_at_each_instant(data: Path) -> None:
    synthetic.write(data)
    jobs = synthetic.synthetic_jobs()
    jobs = jobs[(jobs["vc"] == "vcD") & (jobs["gpu_num"] > 0)]
    window = {"start": pd.Timestamp("2020-09-07"), "end": pd.Timestamp("2020-09-08")}
    load = fetch("vc_load", trace="demo", cluster="Earth", vc="vcD", **window, bin_s=1800)
    assert len(load) == 49
    for point in load.itertuples():
        runs = (jobs["start_time"] <= point.time) & (jobs["end_time"] > point.time)
        waits = (jobs["submit_time"] <= point.time) & (jobs["start_time"] > point.time)
        assert point.used_gpus == jobs[runs]["gpu_num"].sum()
        assert point.waiting_gpus == jobs[waits]["gpu_num"].sum()
    new_quota = pd.Timestamp("2020-09-07 16:00")  # local midnight of 8 September in Shanghai
    assert load[load["time"] < new_quota]["present_gpus"].unique().tolist() == [16]
    assert load[load["time"] >= new_quota]["present_gpus"].unique().tolist() == [32]


def test_open_jobs_load_their_vc_and_jobs_without_any_times_do_not(data: Path) -> None:
    rows = [
        job(submit_time="2020-09-01", start_time="2020-09-01", state="RUNNING", gpu_num=4.0),
        job(submit_time="2020-09-01", state="PENDING", gpu_num=2.0),
        job(submit_time="2020-09-01", end_time="2020-09-01 01:00", state="CANCELLED", gpu_num=8.0),
        job(submit_time="2020-09-01", state="FAILED", gpu_num=16.0),
    ]
    store(data, "t", rows)
    window = {"start": pd.Timestamp("2020-09-01"), "end": pd.Timestamp("2020-09-01 02:00")}
    load = fetch("vc_load", trace="t", cluster="Venus", vc="vc1", **window, bin_s=3600)
    assert load["used_gpus"].tolist() == [4.0, 4.0, 4.0]
    assert load["waiting_gpus"].tolist() == [10.0, 2.0, 2.0]
    assert load["present_gpus"].isna().all()


def test_similar_jobs_are_of_the_same_user_size_and_name_and_the_nearest_in_time(data: Path) -> None:
    def one(day: int, **values: object) -> dict:
        return job(
            submit_time=f"2020-09-{day:02}", **{"user": "ann", "job_name": "train", "gpu_num": 8.0} | values
        )

    rows = [one(1), one(5), one(6), one(9), one(6, user="bob"), one(6, gpu_num=4.0), one(6, job_name="test")]
    store(data, "t", rows)
    near = {"near": pd.Timestamp("2020-09-06"), "size": 3, "cluster": "Venus", "user": "ann", "gpu_num": 8.0}
    found = fetch("similar_jobs", trace="t", **near, job_name="train")
    assert found["submit_time"].dt.day.tolist() == [5, 6, 9]
    unnamed = fetch("similar_jobs", trace="t", **{**near, "size": 99}, job_name=None)
    assert len(unnamed) == 5


def test_a_job_that_was_queued_again_has_all_its_attempts_in_order(data: Path) -> None:
    rows = [job(job_id="7", submit_time=f"2020-09-0{day}") for day in (2, 1)] + [
        job(submit_time="2020-09-03")
    ]
    store(data, "t", rows)
    attempts = fetch("job", trace="t", cluster="Venus", job_id="7")
    assert attempts["submit_time"].dt.day.tolist() == [1, 2]
    assert fetch("job", trace="t", cluster="Earth", job_id="7").empty
