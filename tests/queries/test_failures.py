"""Failures over time and lost GPU time, against pandas."""

from pathlib import Path

import pandas as pd
import pytest

from queries import fetch
from tests import synthetic
from tests.queries.reference import GROUPS, local

START, END = pd.Timestamp("2020-09-01 16:00"), pd.Timestamp("2020-09-11 09:30")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}


@pytest.fixture(params=[True, False], ids=["from rollups", "from jobs"])
def frame(data: Path, request: pytest.FixtureRequest) -> pd.DataFrame:
    """The ended GPU jobs of a window that cuts a day."""
    synthetic.write(data, rolled_up=request.param)
    jobs = synthetic.synthetic_jobs()
    jobs = jobs[(jobs["submit_time"] >= START) & (jobs["submit_time"] < END) & (jobs["gpu_num"] > 0)]
    day = local(jobs["submit_time"].to_numpy(), synthetic.TIMEZONE).dt.normalize()
    return jobs.assign(
        day=day.to_numpy(),
        week=(day - pd.to_timedelta(day.dt.day_of_week, unit="D")).to_numpy(),
        status=jobs["state"].map(GROUPS),
        gpu_s=jobs["gpu_num"] * jobs["duration_s"],
    )


@pytest.mark.parametrize("period", ["day", "week"])
def test_failed_and_cancelled_jobs_are_counted_by_cluster_and_period(
    frame: pd.DataFrame, period: str
) -> None:
    found = fetch("failures_by_period", trace="demo", **SCOPE, period=period).set_index(["cluster", "period"])
    groups = frame.groupby(["cluster", period])["status"]
    assert found["ended_jobs"].to_dict() == groups.size().to_dict()
    for status in ("failed", "cancelled"):
        counts = groups.agg(lambda part, status=status: (part == status).sum())
        assert found[f"{status}_jobs"].to_dict() == counts.to_dict()
        assert found[f"{status}_share"].to_dict() == pytest.approx((counts / groups.size()).to_dict())


def test_gpu_time_of_each_status_is_a_share_of_its_period(frame: pd.DataFrame) -> None:
    found = fetch("lost_by_period", trace="demo", **SCOPE, period="week").set_index(["period", "status"])
    sums = frame.groupby(["week", "status"])["gpu_s"].sum()
    assert found["gpu_s"].to_dict() == pytest.approx(sums.to_dict())
    assert found["share"].to_dict() == pytest.approx(
        (sums / sums.groupby(level=0).transform("sum")).to_dict()
    )


def test_lost_gpu_time_by_vc_begins_with_the_vc_that_lost_most(frame: pd.DataFrame) -> None:
    found = fetch("lost_by_vc", trace="demo", **SCOPE)
    lost = frame[frame["status"] != "completed"].groupby("vc")["gpu_s"].sum().sort_values(ascending=False)
    assert found["vc"].tolist() == lost.index.tolist()
    assert found["lost_gpu_s"].tolist() == pytest.approx(lost.tolist())
    whole = frame.groupby("vc")["gpu_s"].sum()
    assert found["lost_share"].tolist() == pytest.approx((lost / whole[lost.index]).tolist())
    failed = frame[frame["status"] == "failed"].groupby("vc")["gpu_s"].sum()
    assert found.set_index("vc")["failed_gpu_s"].to_dict() == pytest.approx(failed.to_dict())
