"""Real files through import, rollups and questions against pandas on the files' own text.

Neither file has start times. Where a question needs them the jobs are taken to start when they are submitted,
an assumption of this test alone; the questions are then about real durations, real capacity and real clocks.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from queries import fetch
from tests.queries.reference import edges, gpu_s_in_bins, local
from traces import csv_table, store

PACIFIC = "America/Los_Angeles"
#: Local midnights; the clocks go back on 5 November 2017.
START, END = pd.Timestamp("2017-10-29 07:00"), pd.Timestamp("2017-11-12 08:00")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}


@pytest.fixture
def philly(data: Path, shared: Path) -> pd.DataFrame:
    """Philly's rows as the file has them, with their instants; published with capacity and assumed starts."""
    file = shared / "data/philly/jobs.csv"
    names = {"submit_time": "timestamp", "start_time": "timestamp", "gpu_num": "num_gpus", "vc": "cluster"}
    read = csv_table.read(file, "Philly", PACIFIC, mapped=names, capacity=shared / "data/philly/vc_nodes.csv")
    store.publish(data, "philly", PACIFIC, [read])
    rows = pd.read_csv(file, dtype={"cluster": str})
    rows["local_time"] = pd.to_datetime(rows["timestamp"])
    earlier = np.ones(len(rows), dtype=bool)
    aware = rows["local_time"].dt.tz_localize(PACIFIC, ambiguous=earlier, nonexistent="shift_forward")
    rows["start_time"] = aware.dt.tz_convert("UTC").dt.tz_localize(None)
    rows["end_time"] = rows["start_time"] + pd.to_timedelta(rows["duration"], unit="s")
    return rows.rename(columns={"num_gpus": "gpu_num", "cluster": "vc"})


def inside(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["start_time"] >= START) & (rows["start_time"] < END)]


def ask(name: str, **params: object) -> pd.DataFrame:
    return fetch(name, trace="philly", **{**SCOPE, **params})


def test_days_and_hours_of_philly_are_those_its_file_prints(philly: pd.DataFrame) -> None:
    printed = inside(philly)["local_time"]
    days = ask("days")
    assert (
        dict(zip(days["day"].dt.date, days["gpu_jobs"], strict=True))
        == printed.dt.date.value_counts().to_dict()
    )
    cells = ask("submissions_by_hour_and_weekday").set_index(["weekday", "hour"])
    counted = printed.groupby([printed.dt.day_of_week + 1, printed.dt.hour]).size()
    assert cells["gpu_jobs"][cells["gpu_jobs"] > 0].to_dict() == counted.to_dict()
    # Two Sundays, on one of which the hour from one to two comes twice.
    assert cells["hours"].loc[(7, 1)] == 3 and cells["hours"].loc[(7, 2)] == 2
    assert cells["hours"].sum() == 14 * 24 + 1


def test_durations_of_philly_are_counted_over_a_window_across_months(philly: pd.DataFrame) -> None:
    durations = inside(philly)["duration"]
    curve = ask("duration_cdf")
    for point in curve.itertuples():
        assert point.jobs == (durations <= point.duration_s * (1 + 1e-12)).sum()
    assert ask("median_duration")["median_duration_s"].iloc[0] == pytest.approx(durations.median())
    by_vc = ask("waits_and_durations_by_vc").set_index("vc")["avg_duration_s"]
    assert by_vc.to_dict() == pytest.approx(inside(philly).groupby("vc")["duration"].mean().to_dict())


def test_utilization_of_philly_adds_up_to_its_gpu_time_and_has_its_local_hours(
    philly: pd.DataFrame, shared: Path
) -> None:
    nodes = pd.read_csv(shared / "data/philly/vc_nodes.csv", dtype={"vc": str}).set_index("vc")["nodes"]
    known = philly[philly["vc"].isin(nodes.index)]
    cuts = edges(START, END, 1800)
    overlapping = known[(known["start_time"] < END) & (known["end_time"] > START)]
    held = gpu_s_in_bins(overlapping, START, cuts)
    bins = ask("utilization_by_cluster", bin_s=1800)
    assert bins["held_gpu_s"].to_numpy() == pytest.approx(held)
    gpus = 8 * nodes.sum()
    hour = local(START + pd.to_timedelta(cuts[:-1], unit="s"), PACIFIC).dt.hour.to_numpy()
    grouped = pd.DataFrame({"held": held, "present": gpus * np.diff(cuts)}).groupby(hour).sum()
    hours = ask("rhythm_by_hour").set_index("hour")["utilization"]
    assert hours.to_dict() == pytest.approx((grouped["held"] / grouped["present"]).to_dict())
    whole = {"start": pd.Timestamp("2017-07-01"), "end": pd.Timestamp("2019-01-01")}
    everything = ask("utilization_by_cluster", bin_s=7 * 86400, **whole)["held_gpu_s"].sum()
    assert everything == pytest.approx((known["gpu_num"] * known["duration"]).sum(), rel=1e-12)


def test_the_venus_slice_has_its_local_days_statuses_and_quota(data: Path, shared: Path) -> None:
    file = shared / "data/helios/venus_2vc_sept.csv"
    capacity = shared / "data/helios/venus_gpu_number.csv"
    read = csv_table.read(file, "Venus", "Asia/Shanghai", capacity=capacity, ids_follow_submission=True)
    store.publish(data, "venus", "Asia/Shanghai", [read])
    rows = pd.read_csv(file, parse_dates=["submit_time"])
    window = {"start": pd.Timestamp("2020-09-03 16:00"), "end": pd.Timestamp("2020-09-20 16:00")}
    scope = {"clusters": [], "vcs": [], **window}
    chosen = rows[rows["submit_time"].between("2020-09-04", "2020-09-21", inclusive="left")]
    gpu = chosen[chosen["gpu_num"] > 0]
    days = fetch("days", trace="venus", **scope)
    assert days["gpu_jobs"].sum() == len(gpu)
    completed = gpu[gpu["state"] == "COMPLETED"].groupby(gpu["submit_time"].dt.date).size()
    got = dict(zip(days["day"].dt.date, days["completed_gpu_jobs"], strict=True))
    assert {day: jobs for day, jobs in got.items() if jobs} == completed.to_dict()
    sizes = fetch("gpu_count_cdf", trace="venus", **scope).set_index("gpu_num")["gpu_s"]
    assert sizes.to_dict() == pytest.approx(
        (gpu["gpu_num"] * gpu["duration"]).groupby(gpu["gpu_num"]).sum().to_dict()
    )
    quota = pd.read_csv(capacity, index_col="date")
    per_day = fetch("use_over_time", trace="venus", **scope, bin_s=86400)["present_gpus"]
    totals = quota.drop(columns="total").sum(axis=1).loc["2020-09-04":"2020-09-20"]
    assert per_day.tolist() == totals.tolist()
