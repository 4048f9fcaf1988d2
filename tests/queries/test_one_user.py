"""What one user ran, waited and lost, against pandas: the synthetic datacenter and jobs counted by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from queries import fetch
from tests import synthetic
from tests.queries.reference import GROUPS, local
from tests.stored_trace import job, store
from traces import csv_table
from traces.store import publish

START, END = pd.Timestamp("2020-09-01 16:00"), pd.Timestamp("2020-09-11 16:00")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}


@pytest.fixture
def frame(data: Path) -> pd.DataFrame:
    """The synthetic GPU jobs of the window, stored as ``demo``, with local days and status groups."""
    synthetic.write(data)
    jobs = synthetic.synthetic_jobs()
    jobs = jobs[(jobs["submit_time"] >= START) & (jobs["submit_time"] < END) & (jobs["gpu_num"] > 0)]
    days = local(jobs["submit_time"].to_numpy(), synthetic.TIMEZONE).dt.normalize().to_numpy()
    return jobs.assign(day=days, status=jobs["state"].map(GROUPS), gpu_s=jobs["gpu_num"] * jobs["duration_s"])


@pytest.mark.parametrize("period", ["day", "week", "month"])
def test_periods_of_a_user_hold_the_jobs_submitted_in_them(frame: pd.DataFrame, period: str) -> None:
    found = fetch("user_by_period", trace="demo", **SCOPE, user="u03", period=period)
    own = frame[frame["user"] == "u03"]
    begins = {"day": own["day"], "week": own["day"] - pd.to_timedelta(own["day"].dt.day_of_week, unit="D")}
    begins["month"] = own["day"].dt.to_period("M").dt.start_time
    expected = own.groupby([begins[period], "status"])["gpu_s"].agg(["size", "sum"])
    got = found.set_index(["period", "status"])
    assert got["jobs"].to_dict() == expected["size"].to_dict()
    assert got["gpu_s"].to_dict() == pytest.approx(expected["sum"].to_dict())


def test_weeks_of_all_users_add_up_to_what_they_hold(frame: pd.DataFrame) -> None:
    found = fetch("user_weeks", trace="demo", **SCOPE)
    monday = frame["day"] - pd.to_timedelta(frame["day"].dt.day_of_week, unit="D")
    expected = frame.groupby(["user", monday])["gpu_s"].sum()
    assert found.set_index(["user", "week"])["gpu_s"].to_dict() == pytest.approx(expected.to_dict())
    users = fetch("users", trace="demo", **SCOPE).groupby("user")["gpu_s"].sum()
    assert found.groupby("user")["gpu_s"].sum().to_dict() == pytest.approx(users.to_dict())


def test_waits_are_set_against_everybody_elses_in_the_same_vcs(frame: pd.DataFrame) -> None:
    found = fetch("user_waits_by_vc", trace="demo", **SCOPE, user="u03")
    for row in found.itertuples():
        part = frame[frame["vc"] == row.vc]
        own, others = part[part["user"] == "u03"], part[part["user"] != "u03"]
        assert (row.jobs, row.others_jobs) == (len(own), len(others))
        assert row.mean_delay_s == pytest.approx(own["queueing_delay_s"].mean())
        assert row.others_mean_delay_s == pytest.approx(others["queueing_delay_s"].mean())
        assert row.waiting_jobs == (own["queueing_delay_s"] > 0).sum()
        assert row.others_waiting_jobs == (others["queueing_delay_s"] > 0).sum()
    assert set(found["vc"]) == set(frame[frame["user"] == "u03"]["vc"])


def test_every_share_of_the_curves_is_exact_at_its_delay(frame: pd.DataFrame) -> None:
    curves = fetch("user_waits", trace="demo", **SCOPE, user="u03")
    own = frame["user"] == "u03"
    beside = frame[frame["vc"].isin(frame[own]["vc"])]
    for side, curve in curves.groupby("own"):
        delays = beside[(beside["user"] == "u03") == side]["queueing_delay_s"].to_numpy()
        shares = [(delays <= at * (1 + 1e-12)).mean() for at in curve["delay_s"]]
        assert curve["share"].tolist() == pytest.approx(shares)
        assert curve["jobs"].iloc[-1] == len(delays)


def test_a_vc_in_which_the_user_has_no_job_is_in_neither_curve(data: Path) -> None:
    rows = [
        job(user=user, vc=vc, submit_time=START, start_time=START + pd.Timedelta(seconds=wait))
        for user, vc, wait in [("ann", "a", 10), ("bob", "a", 20), ("bob", "b", 9999), ("ann", None, 0)]
    ]
    rows.append(job(user=None, vc=None, submit_time=START, start_time=START + pd.Timedelta(seconds=40)))
    store(data, "t", rows)
    curves = fetch("user_waits", trace="t", **SCOPE, user="ann")
    last = curves.groupby("own").last()
    assert last["jobs"].to_dict() == {False: 2, True: 2}
    assert last.loc[False, "delay_s"] == pytest.approx(2 ** (np.ceil(8 * np.log2(40)) / 8))
    by_vc = fetch("user_waits_by_vc", trace="t", **SCOPE, user="ann")
    assert by_vc["others_mean_delay_s"].tolist() == [20.0, 40.0]


def test_templates_are_names_that_differ_in_numbers_with_the_same_gpu_count(data: Path) -> None:
    rows = [
        job(user="ann", job_name=name, gpu_num=gpus, submit_time=START, duration_s=length, state=state)
        for name, gpus, length, state in [
            ("train_v1_seed10", 8.0, 100.0, "COMPLETED"),
            ("train_v2_seed9", 8.0, 300.0, "FAILED"),
            ("train_v2_seed9", 1.0, 50.0, "CANCELLED"),
            ("eval", 1.0, 5.0, "COMPLETED"),
            (None, 1.0, None, "RUNNING"),
        ]
    ]
    rows.append(job(user="bob", job_name="eval", submit_time=START, duration_s=9.0))
    store(data, "t", rows)
    found = fetch("user_templates", trace="t", **SCOPE, user="ann")
    told = [tuple(row) for row in found.drop(columns="median_duration_s").itertuples(index=False, name=None)]
    assert told[:3] == [
        ("train_v#_seed#", 8.0, 2, 2, 1, 3200.0, 2400.0),
        ("train_v#_seed#", 1.0, 1, 1, 0, 50.0, 50.0),
        ("eval", 1.0, 1, 1, 1, 5.0, 0.0),
    ]
    assert found["median_duration_s"].tolist()[:3] == [200.0, 50.0, 5.0]
    assert pd.isna(told[3][0]) and pd.isna(found["gpu_s"].iloc[3]) and told[3][2:4] == (1, 0)


def test_the_latest_jobs_are_the_last_submitted_of_the_window(frame: pd.DataFrame) -> None:
    found = fetch("user_latest", trace="demo", **{**SCOPE, "vcs": ["vcA", "vcC"]}, user="u03", size=7)
    every = synthetic.synthetic_jobs()
    inside = every[(every["submit_time"] >= START) & (every["submit_time"] < END) & (every["user"] == "u03")]
    last = inside[inside["vc"].isin(["vcA", "vcC"])].nlargest(7, "submit_time")
    assert found["submit_time"].tolist() == local(last["submit_time"].to_numpy(), synthetic.TIMEZONE).tolist()
    assert found["duration_s"].tolist() == last["duration_s"].tolist()


def test_a_real_venus_user_has_the_days_states_and_gpu_time_of_the_file(data: Path, shared: Path) -> None:
    file = shared / "data/helios/venus_2vc_sept.csv"
    read = csv_table.read(file, "Venus", "Asia/Shanghai", ids_follow_submission=True)
    publish(data, "venus", "Asia/Shanghai", [read])
    rows = pd.read_csv(file, parse_dates=["submit_time"])
    window = {"start": pd.Timestamp("2020-09-03 16:00"), "end": pd.Timestamp("2020-09-20 16:00")}
    scope = {"clusters": [], "vcs": [], **window}
    gpu = rows[
        rows["submit_time"].between("2020-09-04", "2020-09-21", inclusive="left") & (rows["gpu_num"] > 0)
    ]
    gpu = gpu.assign(gpu_s=gpu["gpu_num"] * gpu["duration"], day=gpu["submit_time"].dt.normalize())
    who = gpu.groupby("user")["gpu_s"].sum().idxmax()
    own = gpu[gpu["user"] == who]
    bars = fetch("user_by_period", trace="venus", **scope, user=who, period="day")
    assert bars.groupby("period")["gpu_s"].sum().to_dict() == pytest.approx(
        own.groupby("day")["gpu_s"].sum().to_dict()
    )
    completed = bars[bars["status"] == "completed"]
    assert completed["jobs"].sum() == (own["state"] == "COMPLETED").sum()
    weeks = fetch("user_weeks", trace="venus", **scope).groupby("user")["gpu_s"].sum()
    held = gpu.groupby("user")["gpu_s"].sum()
    assert weeks.to_dict() == pytest.approx(held[held > 0].to_dict())
    shares = fetch("failures_by_period", trace="venus", **scope, period="day").set_index("period")
    cancelled = (gpu["state"] == "CANCELLED").groupby(gpu["day"]).mean()
    assert shares["cancelled_share"].to_dict() == pytest.approx(cancelled.to_dict())
    lost = gpu[gpu["state"] != "COMPLETED"].groupby("vc")["gpu_s"].sum()
    by_vc = fetch("lost_by_vc", trace="venus", **scope).set_index("vc")["lost_gpu_s"]
    assert by_vc.to_dict() == pytest.approx(lost.to_dict())
