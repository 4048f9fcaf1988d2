"""Utilization against a computation that shares nothing with the SQL: GPUs counted second by second."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from queries import fetch
from tests import synthetic
from tests.stored_trace import job, store

EVERYTHING = {"clusters": [], "vcs": []}


def utilization(trace: str, start: str, end: str, bin_s: int, **chosen: list[str]) -> pd.DataFrame:
    window = {"start": pd.Timestamp(start), "end": pd.Timestamp(end), "bin_s": bin_s}
    return fetch("utilization_by_cluster", trace=trace, **{**EVERYTHING, **window, **chosen})


def test_a_job_holds_its_gpus_from_its_start_up_to_but_not_at_its_end(data: Path) -> None:
    run = job(
        submit_time="2020-09-01", start_time="2020-09-01 00:30", end_time="2020-09-01 02:00", gpu_num=4.0
    )
    store(data, "t", [run], [("Venus", "vc1", "2020-09-01", 8)])
    hours = utilization("t", "2020-09-01", "2020-09-01 04:00", 3600)
    assert hours["held_gpu_s"].tolist() == [4 * 1800, 4 * 3600, 0, 0]
    assert hours["present_gpu_s"].tolist() == [8 * 3600] * 4
    assert hours["utilization"].tolist() == [0.25, 0.5, 0.0, 0.0]


def test_jobs_that_began_before_the_window_and_jobs_that_still_run_count_in_it(data: Path) -> None:
    before = job(submit_time="2020-08-31", start_time="2020-08-31", end_time="2020-09-01 01:00", gpu_num=2.0)
    running = job(submit_time="2020-09-01", start_time="2020-09-01 01:00", gpu_num=1.0, state="RUNNING")
    store(data, "t", [before, running], [("Venus", "vc1", "2020-08-01", 4)])
    hours = utilization("t", "2020-09-01", "2020-09-01 02:30", 3600)
    assert hours["held_gpu_s"].tolist() == [2 * 3600, 1 * 3600, 1 * 1800]
    assert hours["present_gpu_s"].tolist() == [4 * 3600, 4 * 3600, 4 * 1800]


def test_capacity_changes_at_local_midnight_and_its_first_row_holds_for_earlier_days(data: Path) -> None:
    run = job(submit_time="2020-08-30", start_time="2020-08-30", end_time="2020-09-10", gpu_num=8.0)
    quota = [("Venus", "vc1", "2020-09-01", 8), ("Venus", "vc1", "2020-09-02", 16)]
    store(data, "t", [run], quota, timezone="Asia/Shanghai")
    # Midnight of 2 September in Shanghai is 16:00 UTC of the first.
    hours = utilization("t", "2020-09-01 15:00", "2020-09-01 17:00", 3600)
    assert hours["utilization"].tolist() == [1.0, 0.5]
    earlier = utilization("t", "2020-08-31 00:00", "2020-08-31 01:00", 3600)
    assert earlier["present_gpu_s"].tolist() == [8 * 3600]


def test_a_vc_whose_capacity_is_unknown_counts_neither_above_nor_below_the_line(data: Path) -> None:
    span = {"submit_time": "2020-09-01", "start_time": "2020-09-01", "end_time": "2020-09-01 01:00"}
    store(
        data, "t", [job(vc="known", **span), job(vc="unknown", **span)], [("Venus", "known", "2020-09-01", 2)]
    )
    hour = utilization("t", "2020-09-01", "2020-09-01 01:00", 3600)
    assert hour["utilization"].tolist() == [0.5]


def test_a_vc_without_gpus_is_present_and_its_utilization_is_unknown(data: Path) -> None:
    run = job(submit_time="2020-09-01", gpu_num=1.0)
    store(data, "t", [run], [("Venus", "vc1", "2020-09-01", 0)])
    assert utilization("t", "2020-09-01", "2020-09-02", 86400).empty
    vcs = fetch("vcs_under_pressure", trace="t", **EVERYTHING, **window("2020-09-01", "2020-09-02"))
    assert vcs["utilization"].isna().tolist() == [True]


def test_choosing_clusters_and_vcs_narrows_both_gpus_in_use_and_gpus_present(data: Path) -> None:
    synthetic.write(data)
    everything = utilization("demo", "2020-09-03", "2020-09-04", 86400)
    assert everything["cluster"].tolist() == ["Earth", "Venus"]
    one = utilization("demo", "2020-09-03", "2020-09-04", 86400, clusters=["Venus"], vcs=["vcB"])
    assert one["present_gpu_s"].tolist() == [32 * 86400]


def window(start: str, end: str) -> dict[str, pd.Timestamp]:
    return {"start": pd.Timestamp(start), "end": pd.Timestamp(end)}


def by_the_second(jobs: pd.DataFrame, start: pd.Timestamp, seconds: int) -> np.ndarray:
    """GPUs in use in each second of the window, by adding each job's interval up."""
    use = np.zeros(seconds)
    for run in jobs[jobs["gpu_num"] > 0].itertuples():
        first = int((run.start_time - start).total_seconds())
        last = seconds if pd.isna(run.end_time) else int((run.end_time - start).total_seconds())
        use[max(first, 0) : max(last, 0)] += run.gpu_num
    return use


def test_every_bin_of_a_generated_trace_equals_the_sum_over_its_seconds(data: Path) -> None:
    synthetic.write(data)
    start, hours = pd.Timestamp("2020-09-06 16:00"), 24 * 3
    jobs = synthetic.synthetic_jobs()
    got = utilization("demo", "2020-09-06 16:00", "2020-09-09 16:00", 3600)
    for cluster, part in got.groupby("cluster"):
        use = by_the_second(jobs[jobs["cluster"] == cluster], start, hours * 3600)
        assert part["held_gpu_s"].to_numpy() == pytest.approx(use.reshape(hours, 3600).sum(axis=1))
    # One VC of Earth grows from 16 to 32 GPUs at local midnight of 8 September.
    earth = got[got["cluster"] == "Earth"]["present_gpu_s"].to_numpy() / 3600
    assert earth.tolist() == [64.0] * 24 + [80.0] * 48


def test_gpu_time_integrates_exactly_whatever_the_bins(data: Path) -> None:
    synthetic.write(data)
    jobs = synthetic.synthetic_jobs()
    gpu = jobs[jobs["gpu_num"] > 0]
    held = (gpu["gpu_num"] * (gpu["end_time"] - gpu["start_time"]).dt.total_seconds()).sum()
    for bin_s in (1800, 86400, 7 * 86400):
        bins = utilization("demo", "2020-08-31", "2020-10-31", bin_s)
        assert bins["held_gpu_s"].sum() == pytest.approx(held, rel=1e-12)


instants = st.integers(0, 7200)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    runs=st.lists(st.tuples(instants, st.integers(0, 4000), st.integers(1, 8)), min_size=1, max_size=8),
    bin_s=st.sampled_from([60, 700, 3600]),
)
def test_bins_of_any_jobs_add_up_to_the_gpu_time_inside_the_window(
    data: Path, runs: list, bin_s: int
) -> None:
    zero, start, end = (
        pd.Timestamp("2020-09-01"),
        pd.Timestamp("2020-09-01 00:30"),
        pd.Timestamp("2020-09-01 01:31"),
    )
    jobs = [
        job(
            submit_time=zero,
            start_time=zero + pd.Timedelta(seconds=first),
            end_time=zero + pd.Timedelta(seconds=first + length),
            gpu_num=float(gpus),
        )
        for first, length, gpus in runs
    ]
    store(data, "t", jobs, [("Venus", "vc1", "2020-09-01", 8)])
    bins = utilization("t", str(start), str(end), bin_s)
    expected = by_the_second(pd.DataFrame(jobs), start, 61 * 60)
    edges = list(range(0, 61 * 60, bin_s))
    assert bins["held_gpu_s"].to_numpy() == pytest.approx(np.add.reduceat(expected, edges))
    assert bins["present_gpu_s"].sum() == pytest.approx(8 * 61 * 60)


@pytest.mark.parametrize(
    ("timezone", "midnight", "hours"),
    [
        ("Europe/Berlin", "2020-03-28 23:00", 23),  # the clocks skip 02:00 on 29 March
        ("Europe/Berlin", "2020-10-24 22:00", 25),  # and repeat it on 25 October
        ("Asia/Kolkata", "2020-09-01 18:30", 24),
    ],
)
def test_hour_of_day_is_local_on_days_with_changed_clocks_and_in_half_hour_zones(
    data: Path, timezone: str, midnight: str, hours: int
) -> None:
    start = pd.Timestamp(midnight)
    end = start + pd.Timedelta(hours=hours)
    run = job(submit_time=start, start_time=start + pd.Timedelta(hours=3), end_time=end, gpu_num=4.0)
    store(data, "t", [run], [("Venus", "vc1", "2020-01-01", 4)], timezone=timezone)
    cells = fetch("utilization_by_hour_and_weekday", trace="t", **EVERYTHING, start=start, end=end)
    minutes = pd.date_range(start, end, freq="30min", inclusive="left")
    local = minutes.tz_localize("UTC").tz_convert(timezone)
    busy = minutes >= start + pd.Timedelta(hours=3)
    expected = pd.Series(busy.astype(float)).groupby([local.day_of_week + 1, local.hour]).mean()
    got = cells.set_index(["weekday", "hour"])["utilization"]
    assert got.to_dict() == pytest.approx(expected.to_dict())
    assert cells["present_gpu_s"].sum() == hours * 3600 * 4
