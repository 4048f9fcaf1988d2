"""Every question of the Overview, Clusters and Virtual clusters pages against pandas."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from queries import fetch
from tests import synthetic
from tests.queries.reference import GROUPS, edges, gpu_s_in_bins, local, overlap_s
from tests.stored_trace import job, store

TIMEZONE = synthetic.TIMEZONE
#: Local midnights of 2 and 9 September, the capacity of one VC changes at that of the 8th; and a ragged end.
START, END = pd.Timestamp("2020-09-01 16:00"), pd.Timestamp("2020-09-09 03:12:45")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}
HOUR_S = 3600


@pytest.fixture
def jobs(data: Path) -> pd.DataFrame:
    """All jobs of the synthetic datacenter, which is stored."""
    synthetic.write(data)
    return synthetic.synthetic_jobs()


def ask(name: str, **params: object) -> pd.DataFrame:
    return fetch(name, trace="demo", **{**SCOPE, **params})


def submitted(jobs: pd.DataFrame) -> pd.DataFrame:
    inside = jobs[(jobs["submit_time"] >= START) & (jobs["submit_time"] < END)].copy()
    inside["local_time"] = local(inside["submit_time"], TIMEZONE).to_numpy()
    inside["status"] = inside["state"].map(GROUPS)
    inside["gpu_s"] = inside["gpu_num"] * inside["duration_s"]
    return inside


def present_gpus(vc: str, times: pd.DatetimeIndex) -> np.ndarray:
    """GPUs of a VC at instants of the window."""
    gpus = {name: gpus for vcs in synthetic.VCS.values() for name, gpus in vcs.items()}[vc]
    grown = 32 if vc == "vcD" else gpus
    return np.where(times >= pd.Timestamp("2020-09-07 16:00"), grown, gpus)


def present_gpu_s(vc: str, cuts: np.ndarray) -> np.ndarray:
    change = (pd.Timestamp("2020-09-07 16:00") - START).total_seconds()
    before = np.clip(np.minimum(cuts[1:], change) - cuts[:-1], 0, None)
    first, last = present_gpus(vc, pd.DatetimeIndex([START, END]))
    return first * before + last * (np.diff(cuts) - before)


def of_vc(jobs: pd.DataFrame, vc: str) -> pd.DataFrame:
    return jobs[jobs["vc"] == vc]


def cluster_of(vc: str) -> str:
    return next(cluster for cluster, vcs in synthetic.VCS.items() if vc in vcs)


VCS = [vc for vcs in synthetic.VCS.values() for vc in vcs]


def test_days_are_local_and_lost_gpu_time_is_that_of_failed_and_cancelled_jobs(jobs: pd.DataFrame) -> None:
    gpu = submitted(jobs).query("gpu_num > 0")
    days = gpu.groupby(gpu["local_time"].dt.date)
    got = ask("days").set_index(ask("days")["day"].dt.date)
    assert got["gpu_jobs"].to_dict() == days.size().to_dict()
    completed = gpu[gpu["status"] == "completed"].groupby(gpu["local_time"].dt.date).size()
    assert got["completed_gpu_jobs"].to_dict() == completed.to_dict()
    lost = gpu[gpu["status"] != "completed"].groupby(gpu["local_time"].dt.date)["gpu_s"].sum()
    assert got["lost_gpu_s"].to_dict() == pytest.approx(lost.to_dict())


def test_the_delay_of_each_bin_is_the_percentile_of_the_jobs_submitted_in_it(jobs: pd.DataFrame) -> None:
    gpu = submitted(jobs).query("gpu_num > 0")
    bins = ((gpu["submit_time"] - START).dt.total_seconds() // (12 * HOUR_S)).astype(int)
    expected = gpu.groupby(bins)["queueing_delay_s"].quantile(0.95)
    got = ask("queueing_delays_over_time", bin_s=12 * HOUR_S)
    places = ((got["time"] - START).dt.total_seconds() / (12 * HOUR_S)).astype(int)
    assert dict(zip(places, got["p95_queueing_delay_s"], strict=True)) == pytest.approx(expected.to_dict())


def test_jobs_waiting_at_the_start_of_each_bin_are_those_submitted_and_not_started(
    jobs: pd.DataFrame,
) -> None:
    gpu = jobs[jobs["gpu_num"] > 0]
    got = ask("waiting_over_time", bin_s=6 * HOUR_S)
    for row in got.itertuples():
        waits = gpu[(gpu["submit_time"] <= row.time) & (gpu["start_time"] > row.time)]
        assert (row.waiting_jobs, row.waiting_gpus) == (len(waits), waits["gpu_num"].sum())
    assert got["waiting_jobs"].sum() > 0


def test_waiting_at_an_instant_and_over_time_agree(jobs: pd.DataFrame) -> None:
    for row in ask("waiting_over_time", bin_s=24 * HOUR_S).itertuples():
        at = fetch("waiting_and_running", trace="demo", clusters=[], vcs=[], instant=row.time).iloc[0]
        assert (row.waiting_jobs, row.waiting_gpus) == (at["waiting_jobs"], at["waiting_gpus"])


def test_idle_gpus_of_other_vcs_of_the_cluster_are_compared_with_those_waited_for(jobs: pd.DataFrame) -> None:
    cuts = edges(START, END, HOUR_S)
    idle = {
        vc: np.clip(present_gpu_s(vc, cuts) - gpu_s_in_bins(of_vc(jobs, vc), START, cuts), 0, None)
        for vc in VCS
    }
    got = ask("waiting_beside_idle", bin_s=HOUR_S).set_index("vc")
    assert got["servable_gpu_s"].sum() > 0
    for vc in VCS:
        gpu = of_vc(jobs, vc).query("gpu_num > 0")
        waited = gpu["gpu_num"].to_numpy() @ overlap_s(gpu["submit_time"], gpu["start_time"], START, cuts)
        elsewhere = sum(idle[other] for other in synthetic.VCS[cluster_of(vc)] if other != vc)
        assert got.loc[vc, "waited_gpu_s"] == pytest.approx(waited.sum())
        assert got.loc[vc, "servable_gpu_s"] == pytest.approx(np.minimum(waited, elsewhere).sum())
        used = gpu_s_in_bins(of_vc(jobs, vc), START, cuts).sum() / present_gpu_s(vc, cuts).sum()
        assert got.loc[vc, "mean_utilization"] == pytest.approx(used)
        assert got.loc[vc, "idle_gpu_s"] == pytest.approx(idle[vc].sum())
        full = present_gpu_s(vc, cuts) - gpu_s_in_bins(of_vc(jobs, vc), START, cuts) <= 0.05 * present_gpu_s(
            vc, cuts
        )
        assert got.loc[vc, "full_share"] == pytest.approx(full.mean())


def test_a_gang_beside_free_gpus_waits_through_whole_bins_with_enough_of_them(jobs: pd.DataFrame) -> None:
    cuts = edges(START, END, 600)
    got = ask("gangs_beside_free_gpus", bin_s=600).set_index("vc")
    assert got["beside_free_gpu_s"].sum() > 0
    for vc in VCS:
        free = (present_gpu_s(vc, cuts) - gpu_s_in_bins(of_vc(jobs, vc), START, cuts)) / 600
        gangs = of_vc(jobs, vc).query("gpu_num > 1 and start_time > submit_time")
        waited = overlap_s(gangs["submit_time"], gangs["start_time"], START, cuts)
        beside = (waited >= 600) & (free >= gangs["gpu_num"].to_numpy()[:, None])
        expected = (gangs["gpu_num"].to_numpy()[:, None] * waited * beside).sum()
        assert got.loc[vc, "beside_free_gpu_s"] == pytest.approx(expected)
        assert got.loc[vc, "beside_free_jobs"] == beside.any(axis=1).sum()


def test_delays_of_two_windows_are_compared_by_vc(jobs: pd.DataFrame) -> None:
    earlier = {"earlier_start": pd.Timestamp("2020-08-31 16:00"), "earlier_end": START}
    got = ask("queueing_against_before", **earlier).set_index("vc")
    gpu = jobs[jobs["gpu_num"] > 0]
    before = gpu[(gpu["submit_time"] >= earlier["earlier_start"]) & (gpu["submit_time"] < START)]
    means = before.groupby("vc")["queueing_delay_s"].mean()
    assert got["earlier_avg_queueing_delay_s"].to_dict() == pytest.approx(means.to_dict())
    now = submitted(jobs).query("gpu_num > 0").groupby("vc")["queueing_delay_s"].mean()
    assert got["avg_queueing_delay_s"].to_dict() == pytest.approx(now.to_dict())


def test_a_burst_is_the_hour_in_which_most_jobs_of_a_user_failed(data: Path) -> None:
    times = pd.date_range("2020-09-03 10:00", periods=30, freq="1min")
    runs = [
        job(
            submit_time=at,
            start_time=at,
            end_time=at + pd.Timedelta(seconds=9),
            state="FAILED",
            user="u1",
            gpu_num=8.0,
        )
        for at in times
    ]
    single = job(
        submit_time="2020-09-04",
        start_time="2020-09-04",
        end_time="2020-09-04 00:01",
        state="FAILED",
        user="u2",
    )
    store(data, "demo", [*runs, *runs[:3], single, single | {"state": "CANCELLED"}])
    got = ask("failure_bursts")
    assert got["user"].tolist() == ["u1"]
    assert (got["failed_jobs"].iloc[0], got["gpu_s"].iloc[0], got["median_duration_s"].iloc[0]) == (
        33,
        33 * 72,
        9,
    )


def test_gpus_that_a_cluster_lost_are_found_on_their_day(data: Path) -> None:
    quota = [
        ("Venus", "a", "2020-09-01", 80),
        ("Venus", "b", "2020-09-01", 8),
        ("Venus", "a", "2020-09-03", 40),
    ]
    store(data, "demo", [job(submit_time="2020-09-01")], quota, timezone=TIMEZONE)
    lost = fetch("capacity_lost", trace="demo", clusters=[], start=START, end=END)
    assert lost[["gpus_before", "gpus_after"]].to_numpy().tolist() == [[88, 48]]
    assert lost["time"].tolist() == [pd.Timestamp("2020-09-02 16:00")]


def test_hours_of_day_have_the_utilization_and_the_submissions_of_their_local_hours(
    jobs: pd.DataFrame,
) -> None:
    cuts = edges(START, END, 1800)
    hour = local(START + pd.to_timedelta(cuts[:-1], unit="s"), TIMEZONE).dt.hour.to_numpy()
    hours_s = pd.Series(np.diff(cuts)).groupby(hour).sum() / HOUR_S
    got = ask("rhythm_by_hour").set_index(["cluster", "hour"])
    for cluster, vcs in synthetic.VCS.items():
        of_cluster = jobs[jobs["cluster"] == cluster]
        held = pd.Series(gpu_s_in_bins(of_cluster, START, cuts)).groupby(hour).sum()
        present = pd.Series(sum(present_gpu_s(vc, cuts) for vc in vcs)).groupby(hour).sum()
        assert got.loc[cluster]["utilization"].to_dict() == pytest.approx((held / present).to_dict())
        inside = submitted(of_cluster).query("gpu_num > 0")
        per_hour = (
            inside.groupby(inside["local_time"].dt.hour).size().reindex(range(24), fill_value=0) / hours_s
        )
        assert got.loc[cluster]["gpu_jobs_per_hour"].to_dict() == pytest.approx(per_hour.to_dict())


def test_every_hour_of_the_week_has_its_submissions_per_such_hour(jobs: pd.DataFrame) -> None:
    got = ask("submissions_by_hour_and_weekday").set_index(["weekday", "hour"])
    inside = submitted(jobs).query("gpu_num > 0")["local_time"]
    counted = inside.groupby([inside.dt.day_of_week + 1, inside.dt.hour]).size()
    assert got["gpu_jobs"][got["gpu_jobs"] > 0].to_dict() == counted.to_dict()
    assert got["hours"].sum() == pytest.approx((END - START).total_seconds() / HOUR_S)


@pytest.mark.parametrize("period", ["week", "month"])
def test_periods_have_jobs_and_utilization_apart_by_small_and_large(jobs: pd.DataFrame, period: str) -> None:
    cuts = edges(START, END, 1800)
    first = (
        local(START + pd.to_timedelta(cuts[:-1], unit="s"), TIMEZONE)
        .dt.to_period(period[0].upper())
        .dt.start_time
    )
    got = ask("growth_by_period", period=period)
    got = got.set_index(["cluster", pd.DatetimeIndex(got["period"])])
    for cluster, vcs in synthetic.VCS.items():
        of_cluster = jobs[jobs["cluster"] == cluster]
        present = pd.Series(sum(present_gpu_s(vc, cuts) for vc in vcs)).groupby(first).sum()
        for name, part in (
            ("single", of_cluster.query("gpu_num <= 1")),
            ("multi", of_cluster.query("gpu_num > 1")),
        ):
            held = pd.Series(gpu_s_in_bins(part, START, cuts)).groupby(first).sum()
            assert got.loc[cluster][f"{name}_utilization"].to_dict() == pytest.approx(
                (held / present).to_dict()
            )
            inside = (
                submitted(part)
                .query("gpu_num > 0")["local_time"]
                .dt.to_period(period[0].upper())
                .dt.start_time
            )
            assert got.loc[cluster][f"{name}_jobs"].to_dict() == inside.value_counts().to_dict()


def test_gpu_count_classes_share_all_jobs_and_all_gpu_time_of_a_week(jobs: pd.DataFrame) -> None:
    got = ask("gpu_counts_by_period", period="week")
    gpu = submitted(jobs).query("gpu_num > 0")
    week = gpu["local_time"].dt.to_period("W").dt.start_time
    classes = pd.cut(gpu["gpu_num"], [0, 1, 2, 4, 8, 16], labels=["≤ 1", "≤ 2", "≤ 4", "≤ 8", "≤ 16"]).astype(
        str
    )
    expected = gpu.groupby([week, classes])["gpu_s"].sum()
    keys = pd.MultiIndex.from_arrays([pd.DatetimeIndex(got["period"]), got["gpus"]])
    assert pd.Series(got["gpu_s"].to_numpy(), keys).to_dict() == pytest.approx(expected.to_dict())
    assert got.groupby("period")["share_of_jobs"].sum().tolist() == pytest.approx(
        [1.0] * got["period"].nunique()
    )
    assert got.groupby("period", sort=False)["gpus"].first().tolist() == ["≤ 1"] * got["period"].nunique()


@pytest.mark.parametrize("bin_s", [600, 3600])
def test_the_spread_of_a_vcs_utilization_is_that_of_its_bins(jobs: pd.DataFrame, bin_s: int) -> None:
    cuts = edges(START, END, bin_s)
    got = ask("utilization_spread_by_vc", bin_s=bin_s).set_index("vc")
    for vc in VCS:
        held, present = gpu_s_in_bins(of_vc(jobs, vc), START, cuts), present_gpu_s(vc, cuts)
        names = ("min", "q1", "median", "q3", "max")
        found = [got.loc[vc, f"{name}_utilization"] for name in names]
        assert found == pytest.approx(np.quantile(held / present, [0, 0.25, 0.5, 0.75, 1]).tolist())
        assert got.loc[vc, "mean_utilization"] == pytest.approx(held.sum() / present.sum())
        assert got.loc[vc, "bins"] == len(cuts) - 1


def test_means_by_vc_leave_out_who_never_started_or_never_ran(jobs: pd.DataFrame, data: Path) -> None:
    got = ask("waits_and_durations_by_vc").set_index("vc")
    gpu = submitted(jobs).query("gpu_num > 0").groupby("vc")
    assert got["avg_queueing_delay_s"].to_dict() == pytest.approx(gpu["queueing_delay_s"].mean().to_dict())
    assert got["avg_duration_s"].to_dict() == pytest.approx(gpu["duration_s"].mean().to_dict())
    waited = submitted(jobs).query("gpu_num > 0").eval("gpu_num * queueing_delay_s")
    assert got["waited_gpu_s"].to_dict() == pytest.approx(waited.groupby(jobs["vc"]).sum().to_dict())
    store(data, "demo", [job(submit_time=START, duration_s=8.0), job(submit_time=START, state="PENDING")])
    row = ask("waits_and_durations_by_vc").iloc[0]
    assert (row["gpu_jobs"], row["timed_jobs"], row["avg_duration_s"], row["started_jobs"]) == (2, 1, 8.0, 0)
    assert pd.isna(row["avg_queueing_delay_s"])


def test_gpus_in_use_over_time_are_means_of_the_bins_and_the_last_bin_is_shorter(jobs: pd.DataFrame) -> None:
    cuts = edges(START, END, HOUR_S)
    got = ask("use_over_time", bin_s=HOUR_S)
    for name, part in (("single", jobs.query("gpu_num <= 1")), ("multi", jobs.query("gpu_num > 1"))):
        expected = gpu_s_in_bins(part, START, cuts) / np.diff(cuts)
        assert got[f"{name}_gpus"].tolist() == pytest.approx(expected.tolist())
    assert got["length_s"].iloc[-1] == (END - START).total_seconds() % HOUR_S


def test_the_median_duration_is_that_of_the_jobs_themselves(jobs: pd.DataFrame) -> None:
    gpu = submitted(jobs).query("gpu_num > 0")
    assert ask("median_duration")["median_duration_s"].iloc[0] == gpu["duration_s"].median()
