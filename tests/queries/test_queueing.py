"""Queueing delays by what jobs have in common, against pandas."""

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
    """The GPU jobs of the window with what they have in common."""
    synthetic.write(data)
    frame = synthetic.synthetic_jobs()
    frame = frame[(frame["submit_time"] >= START) & (frame["submit_time"] < END) & (frame["gpu_num"] > 0)]
    local = frame["submit_time"] + pd.Timedelta(hours=8)
    return frame.assign(all="", hour=local.dt.strftime("%H"), gpus=frame["gpu_num"].astype(int).astype(str))


@pytest.mark.parametrize("dimension", ["all", "cluster", "vc", "gpus", "hour", "user"])
def test_delays_of_every_group_are_those_of_pandas(jobs: pd.DataFrame, dimension: str) -> None:
    own = dimension in ("hour", "user")
    question, asked = (f"queueing_by_{dimension}", {}) if own else ("queueing_by", {"dimension": dimension})
    found = fetch(question, trace="demo", **SCOPE, **asked)
    key = found["cluster"] if dimension == "cluster" else found["label"]
    by_label = found.set_index(key.fillna(""))
    assert set(by_label.index) == set(jobs[dimension])
    for label, group in jobs.groupby(dimension):
        row, delays = by_label.loc[label], group["queueing_delay_s"]
        waits = delays[delays > 0]
        assert (row["jobs"], row["waiting_jobs"]) == (len(delays), len(waits))
        assert row["queueing_delay_s"] == pytest.approx(delays.sum())
        assert row["mean_delay_s"] == pytest.approx(delays.mean())
        for column, quantile in (("p50_wait_s", 0.5), ("p95_wait_s", 0.95)):
            assert row[column] == pytest.approx(waits.quantile(quantile), nan_ok=True)


def test_sizes_and_hours_are_in_order_and_other_sizes_are_last(data: Path) -> None:
    sizes = [3.0, 64.0, 1.0, 128.0, 16.0]
    rows = [job(submit_time=START, start_time=START, gpu_num=size) for size in sizes]
    store(data, "t", rows)
    found = fetch("queueing_by", trace="t", **SCOPE, dimension="gpus")
    assert dict(zip(found["label"], found["jobs"], strict=True)) == {"1": 1, "16": 1, "≥ 64": 2, "other": 1}
    assert found["label"].tolist() == ["1", "16", "≥ 64", "other"]


def test_jobs_without_a_start_negative_delays_and_cpu_jobs_are_in_no_group(data: Path) -> None:
    rows = [
        job(submit_time=START),
        job(submit_time=START, queueing_delay_s=-5.0),
        job(submit_time=START, start_time=START, gpu_num=0.0),
    ]
    store(data, "t", rows)
    assert fetch("queueing_by", trace="t", **SCOPE, dimension="all").empty
    assert fetch("queueing_cdf", trace="t", **SCOPE).empty


def test_the_curve_of_delays_is_exact_at_every_point_and_begins_at_one_second(jobs: pd.DataFrame) -> None:
    curve = fetch("queueing_cdf", trace="demo", **SCOPE)
    for cluster, part in curve.groupby("cluster"):
        delays = jobs[jobs["cluster"] == cluster]["queueing_delay_s"]
        assert part["delay_s"].iloc[0] == 1.0 and part["share"].iloc[-1] == 1.0 and len(part) <= 400
        for point in part.itertuples():
            assert point.jobs == (delays <= point.delay_s * (1 + 1e-12)).sum()
            assert point.share == pytest.approx(point.jobs / len(delays))


def test_a_curve_begins_at_one_second_even_where_everybody_waits_longer(data: Path) -> None:
    store(data, "t", [job(submit_time=START, start_time=START + pd.Timedelta(seconds=64))])
    curve = fetch("queueing_cdf", trace="t", **SCOPE)
    assert curve["delay_s"].tolist() == [1.0, 64.0] and curve["share"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Europe/Berlin", "Asia/Shanghai"])
def test_hours_are_local_where_clocks_change_and_where_offsets_have_quarters(data: Path, zone: str) -> None:
    times = pd.date_range("2020-10-24 20:07", "2020-10-25 03:00", freq="13min")
    store(data, "t", [job(submit_time=time, start_time=time) for time in times], timezone=zone)
    window = {"start": times[0], "end": times[-1] + pd.Timedelta(seconds=1)}
    found = fetch("queueing_by_hour", trace="t", clusters=[], vcs=[], **window)
    local = times.tz_localize("UTC").tz_convert(zone).strftime("%H")
    assert dict(zip(found["label"], found["jobs"], strict=True)) == local.value_counts().to_dict()
