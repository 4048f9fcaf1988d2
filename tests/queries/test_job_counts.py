"""Counts, quantiles and shares of jobs against pandas."""

from pathlib import Path

import pandas as pd
import pytest

from queries import fetch
from tests import synthetic
from tests.stored_trace import job, store

START, END = pd.Timestamp("2020-09-01 16:00"), pd.Timestamp("2020-09-08 16:00")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}


@pytest.fixture
def jobs(data: Path) -> pd.DataFrame:
    """The jobs of the window, with their status group."""
    synthetic.write(data)
    frame = synthetic.synthetic_jobs()
    frame = frame[(frame["submit_time"] >= START) & (frame["submit_time"] < END)].copy()
    groups = {"COMPLETED": "completed", "CANCELLED": "cancelled"}
    frame["status"] = frame["state"].map(groups).fillna("failed")
    return frame


def test_the_jobs_submitted_are_those_of_the_half_open_window(jobs: pd.DataFrame) -> None:
    row = fetch("jobs_submitted", trace="demo", **SCOPE).iloc[0]
    gpu = jobs[jobs["gpu_num"] > 0]
    assert row["gpu_jobs"] == len(gpu)
    assert row["cpu_jobs"] == len(jobs) - len(gpu)
    waits = fetch("queueing_delays", trace="demo", **SCOPE).iloc[0]
    assert waits["p95_queueing_delay_s"] == pytest.approx(gpu["queueing_delay_s"].quantile(0.95))
    assert waits["p50_queueing_delay_s"] == pytest.approx(gpu["queueing_delay_s"].quantile(0.5))
    gpu_s = (gpu["gpu_num"] * gpu["duration_s"]).groupby(gpu["status"]).sum()
    for status, seconds in gpu_s.items():
        assert row[f"{status}_gpu_s"] == pytest.approx(seconds)


def test_a_job_at_the_first_instant_is_in_and_one_at_the_last_is_out(data: Path) -> None:
    store(data, "t", [job(submit_time=START), job(submit_time=END)])
    assert fetch("jobs_submitted", trace="t", **SCOPE)["gpu_jobs"].tolist() == [1]


def test_a_negative_wait_and_a_job_that_never_started_are_in_no_quantile(data: Path) -> None:
    waits = [job(submit_time=START, queueing_delay_s=wait) for wait in (-50.0, 10.0, None)]
    store(data, "t", waits)
    row = fetch("jobs_submitted", trace="t", **SCOPE).iloc[0]
    assert (row["gpu_jobs"], row["started_gpu_jobs"]) == (3, 1)
    waited = fetch("queueing_delays", trace="t", **SCOPE).iloc[0]
    assert (waited["started_jobs"], waited["p50_queueing_delay_s"]) == (1, 10.0)


def test_the_duration_curve_is_exact_at_every_point(jobs: pd.DataFrame) -> None:
    curve = fetch("duration_cdf", trace="demo", **SCOPE)
    assert len(curve) <= 400
    for kind, part in curve.groupby("kind"):
        chosen = jobs[(jobs["gpu_num"] > 0) == (kind == "GPU jobs")]["duration_s"]
        for point in part.itertuples():
            assert point.jobs == (chosen <= point.duration_s * (1 + 1e-12)).sum()
            assert point.share == pytest.approx(point.jobs / len(chosen))
        assert part["share"].iloc[-1] == 1.0


def test_zero_durations_are_in_the_first_point(data: Path) -> None:
    store(data, "t", [job(submit_time=START, duration_s=seconds) for seconds in (0.0, 0.4, 1.0, 8.0, None)])
    curve = fetch("duration_cdf", trace="t", **SCOPE)
    assert curve["duration_s"].tolist() == [1.0, 8.0]
    assert curve["share"].tolist() == [0.75, 1.0]


def test_the_gpu_count_curves_are_cumulative_shares_of_jobs_and_of_gpu_time(jobs: pd.DataFrame) -> None:
    curve = fetch("gpu_count_cdf", trace="demo", **SCOPE).set_index("gpu_num")
    gpu = jobs[jobs["gpu_num"] > 0].assign(gpu_s=lambda frame: frame["gpu_num"] * frame["duration_s"])
    grouped = gpu.groupby("gpu_num")
    assert curve["share_of_jobs"].to_dict() == pytest.approx((grouped.size().cumsum() / len(gpu)).to_dict())
    expected = (grouped["gpu_s"].sum().cumsum() / gpu["gpu_s"].sum()).to_dict()
    assert curve["share_of_gpu_time"].to_dict() == pytest.approx(expected)


def test_final_statuses_add_up_to_one_for_each_kind_and_size(jobs: pd.DataFrame) -> None:
    kinds = fetch("final_status_by_kind", trace="demo", **SCOPE)
    kind = jobs["gpu_num"].gt(0).map({True: "GPU jobs", False: "CPU jobs"})
    expected = jobs.groupby([kind, "status"]).size()
    assert kinds.set_index(["kind", "status"])["jobs"].to_dict() == expected.to_dict()
    sizes = fetch("final_status_by_gpu_count", trace="demo", **SCOPE)
    assert sizes.groupby("gpus")["share"].sum().tolist() == pytest.approx([1.0] * sizes["gpus"].nunique())
    assert list(dict.fromkeys(sizes["gpus"])) == ["1", "2", "4", "8", "16"]


def test_every_state_is_in_one_group_or_not_ended(data: Path) -> None:
    states = [
        "COMPLETED",
        "CANCELLED",
        "FAILED",
        "TIMEOUT",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PREEMPTED",
        "OTHER",
    ]
    open_states = ["RUNNING", "PENDING", "SUSPENDED", "UNKNOWN"]
    store(data, "t", [job(submit_time=START, state=state) for state in states + open_states])
    kinds = fetch("final_status_by_kind", trace="t", **SCOPE).set_index("status")["jobs"].to_dict()
    assert kinds == {"completed": 1, "cancelled": 1, "failed": 6}
    assert fetch("jobs_left_out", trace="t", **SCOPE)["no_final_status"].tolist() == [4]


def test_sizes_that_are_no_power_of_two_are_kept_apart_and_none_is_lost(data: Path) -> None:
    sizes = [0.25, 1.0, 3.0, 32.0, 48.0, 64.0, 100.0]
    store(data, "t", [job(submit_time=START, gpu_num=size) for size in sizes])
    bars = fetch("final_status_by_gpu_count", trace="t", **SCOPE)
    assert dict(zip(bars["gpus"], bars["jobs"], strict=True)) == {"1": 1, "32": 1, "≥ 64": 2, "other": 3}


def test_a_job_waits_until_its_start_and_runs_up_to_its_end(data: Path) -> None:
    times = {
        "submit_time": "2020-09-02 00:00",
        "start_time": "2020-09-02 01:00",
        "end_time": "2020-09-02 02:00",
    }
    pending = {"submit_time": "2020-09-02 00:00", "state": "PENDING", "gpu_num": 16.0}
    cancelled = {
        "submit_time": "2020-09-02 00:00",
        "end_time": "2020-09-02 00:30",
        "state": "CANCELLED",
        "gpu_num": 2.0,
    }
    store(data, "t", [job(**times, gpu_num=8.0), job(**pending), job(**cancelled)])
    seen = {}
    for instant in ("2020-09-02 00:10", "2020-09-02 01:00", "2020-09-02 02:00"):
        row = fetch(
            "waiting_and_running", trace="t", clusters=[], vcs=[], instant=pd.Timestamp(instant)
        ).iloc[0]
        seen[instant[-5:]] = tuple(row[["waiting_jobs", "waiting_gpus", "running_jobs", "running_gpus"]])
    assert seen == {"00:10": (3, 26.0, 0, 0.0), "01:00": (1, 16.0, 1, 8.0), "02:00": (1, 16.0, 0, 0.0)}


def test_the_vcs_are_sorted_by_the_gpu_time_that_waited(jobs: pd.DataFrame) -> None:
    vcs = fetch("vcs_under_pressure", trace="demo", **SCOPE)
    gpu = jobs[jobs["gpu_num"] > 0]
    waited = (gpu["gpu_num"] * gpu["queueing_delay_s"]).groupby(gpu["vc"]).sum().sort_values(ascending=False)
    assert vcs["vc"].tolist() == waited.index.tolist()
    assert vcs["waited_gpu_s"].tolist() == pytest.approx(waited.tolist())
    assert vcs.set_index("vc")["present_gpus"].to_dict() == {"vcA": 64, "vcB": 32, "vcC": 48, "vcD": 32}


def test_real_philly_jobs_give_what_pandas_gives(data: Path, shared: Path) -> None:
    """The Philly rows carry no user, state or start; their durations and GPU counts are checked."""
    source = pd.read_csv(shared / "data/philly/jobs.csv")
    frame = pd.DataFrame(
        {
            "cluster": "Philly",
            "vc": source["cluster"].astype(str),
            "gpu_num": source["num_gpus"].astype(float),
            "duration_s": source["duration"].astype(float),
            "submit_time": pd.to_datetime(source["timestamp"]),
            "state": "UNKNOWN",
            "flags": [[]] * len(source),
        }
    ).reindex(columns=list(job(submit_time="2017-10-01")))
    store(data, "philly", frame)
    window = {"start": pd.Timestamp("2017-10-15"), "end": pd.Timestamp("2017-11-15")}
    inside = frame[frame["submit_time"].between(window["start"], window["end"], inclusive="left")]
    scope = {"clusters": [], "vcs": [], **window}
    assert fetch("jobs_submitted", trace="philly", **scope)["gpu_jobs"].tolist() == [len(inside)]
    curve = fetch("duration_cdf", trace="philly", **scope)
    for point in curve.iloc[::20].itertuples():
        assert point.jobs == (inside["duration_s"] <= point.duration_s * (1 + 1e-12)).sum()
    sizes = fetch("gpu_count_cdf", trace="philly", **scope)
    gpu_s = (inside["gpu_num"] * inside["duration_s"]).groupby(inside["gpu_num"]).sum()
    assert sizes.set_index("gpu_num")["gpu_s"].to_dict() == pytest.approx(gpu_s.to_dict())
