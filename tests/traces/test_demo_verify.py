"""`verify` counts what it says it counts: each number against a slow computation of its own."""

import math

import numpy as np
import pandas as pd
import pytest

import scheduling
from traces.demo import generate
from traces.demo.calendar import BEGIN_UTC, DAYS
from traces.demo.clusters import CLUSTERS
from traces.demo.comparison import Statistic
from traces.demo.verify import verify

DAY = 86_400


def table(rows):
    """A jobs table from (user, gpu_num, state, submit_s, wait_s, duration_s) rows; s after 1 April, local."""
    jobs = pd.DataFrame(rows, columns=["user", "gpu_num", "state", "submit_s", "wait_s", "duration_s"])
    start = jobs["submit_s"] + jobs["wait_s"]
    return jobs.assign(
        cpu_num=jobs["gpu_num"].clip(lower=1).astype(int),
        submit_time=BEGIN_UTC + pd.to_timedelta(jobs["submit_s"], unit="s"),
        start_time=BEGIN_UTC + pd.to_timedelta(start, unit="s"),
        end_time=BEGIN_UTC + pd.to_timedelta(start + jobs["duration_s"], unit="s"),
        queueing_delay_s=jobs["wait_s"].astype(float),
    )


def by_name(rows, cluster="Venus"):
    return {row["name"]: row["generated"] for row in rows if row["cluster"] == cluster}


FEW = table(
    [
        ("a", 8, "COMPLETED", 0, 0, 20 * DAY),
        ("a", 1, "CANCELLED", 10 * DAY, 100, 50),
        ("b", 2, "NODE_FAIL", 40 * DAY, 50, 3 * DAY),
        ("b", 16, "COMPLETED", 100 * DAY + 7200, 150, 4 * DAY),
        ("c", 0, "COMPLETED", 5 * DAY, 0, 10),
        ("c", 0, "FAILED", 6 * DAY, 0, 30),
    ]
)
QUOTA = pd.DataFrame(
    {
        "cluster": "Venus",
        "vc": ["x", "y", "y"],
        "date": ["2020-04-01", "2020-04-01", "2020-05-01"],
        "gpus": [16, 0, 8],
    }
)


def test_numbers_of_a_few_jobs_are_those_counted_by_hand():
    found = by_name(verify([("Venus", FEW, QUOTA)]))
    assert (found["gpu_jobs"], found["cpu_jobs"]) == (4, 2)
    present = 16 * DAYS + 8 * (DAYS - 30)
    assert found["utilization"] == pytest.approx((8 * 20 + 2 * 3 + 16 * 4 + 50 / DAY) / present)
    assert found["gpu_queueing_delay_mean_s"] == 75
    assert found["completed_gpu_jobs_waiting"] == 0.5
    assert found["gpu_num_mean"] == 27 / 4
    assert found["gpu_jobs_failed"] == 0.25 and found["cpu_jobs_failed"] == 0.5
    total = 8 * 20 + 2 * 3 + 16 * 4 + 50 / DAY
    assert found["gpu_time_completed"] == pytest.approx((8 * 20 + 16 * 4) / total)
    assert found["top_users_gpu_time"] == pytest.approx((8 * 20 + 50 / DAY) / total)
    assert found["top_users_cpu_time"] == 1.0


@pytest.fixture(scope="module")
def venus():
    return next(generate(seed=5, replay=scheduling.replay))


@pytest.fixture(scope="module")
def found(venus):
    return by_name(verify([(venus.cluster, venus.jobs, venus.quota)], 0.02))


def test_utilization_by_hour_equals_a_sum_over_hours(venus, found):
    profile, jobs = CLUSTERS[0], venus.jobs[venus.jobs["gpu_num"] > 0]
    start = ((jobs["start_time"] - BEGIN_UTC).dt.total_seconds() / 3600).to_numpy()
    end = start + jobs["duration_s"].to_numpy() / 3600
    gpus = venus.quota.groupby("vc")["gpus"].max().sum()
    worst = 0.0
    for hour, published in enumerate(profile.utilization_pct_by_hour):
        used = 0.0
        for day in range(DAYS):
            low = 24 * day + hour
            used += (
                np.clip(np.minimum(end, low + 1) - np.maximum(start, low), 0, None) * jobs["gpu_num"]
            ).sum()
        worst = max(worst, abs(used / (gpus * DAYS) - published / 100))
    assert found["utilization_by_hour_distance"] == pytest.approx(worst)


def test_shares_and_curves_equal_those_of_pandas(venus, found):
    profile, jobs = CLUSTERS[0], venus.jobs[venus.jobs["gpu_num"] > 0]
    hour = (jobs["submit_time"] + pd.Timedelta(hours=8)).dt.hour.value_counts(normalize=True).sort_index()
    published = pd.Series(profile.gpu_jobs_by_hour) / sum(profile.gpu_jobs_by_hour)
    assert found["gpu_jobs_by_hour_distance"] == pytest.approx((hour - published).abs().max())
    cdf = [100 * (jobs["duration_s"] <= 2**power).mean() for power in range(22)]
    distance = np.abs(np.array(cdf) - profile.gpu_duration_cdf_pct).max() / 100
    assert found["gpu_duration_cdf_distance"] == pytest.approx(distance)
    work = (jobs["gpu_num"] * jobs["duration_s"]).groupby(jobs["state"]).sum()
    assert found["gpu_time_cancelled"] == pytest.approx(work["CANCELLED"] / work.sum())


def test_the_autocorrelation_is_that_of_the_running_gpus(venus, found):
    jobs = venus.jobs[venus.jobs["gpu_num"] > 0]
    changes = pd.concat(
        [
            pd.Series(jobs["gpu_num"].to_numpy(), jobs["start_time"]),
            pd.Series(-jobs["gpu_num"].to_numpy(), jobs["end_time"]),
        ]
    )
    steps = changes.groupby(level=0).sum().cumsum()
    grid = pd.date_range(BEGIN_UTC, periods=DAYS * 144, freq="10min")
    running = steps.reindex(steps.index.union(grid)).ffill().fillna(0.0).loc[grid]
    assert found["running_gpus_autocorrelation_24h"] == pytest.approx(running.autocorr(144), abs=0.01)


def test_a_part_of_the_clusters_says_nothing_of_all_of_them_and_all_of_them_give_their_order():
    assert all(row["cluster"] == "Venus" for row in verify([("Venus", FEW, QUOTA)]))
    rows = verify((profile.name, FEW, QUOTA) for profile in CLUSTERS)
    order = next(row for row in rows if row["name"] == "queueing_delay_order")
    assert order["published"] == "Uranus > Venus > Saturn > Earth" and order["pass"] is False
    unknown = next(row for row in rows if row["name"] == "gpu_job_states_64_gpus_or_more_distance")
    assert unknown["generated"] is None and unknown["pass"] is None


def test_every_row_has_the_keys_of_the_contract_and_no_nan():
    for row in verify([("Venus", FEW, QUOTA)]):
        assert {"name", "cluster", "published", "generated", "tolerance", "pass", "fed_in"} <= set(row)
        assert not any(isinstance(value, float) and math.isnan(value) for value in row.values())


@pytest.mark.parametrize(
    ("kind", "tolerance", "generated", "passes"),
    [
        ("difference", 1.0, 11.0, True),
        ("difference", 1.0, 11.1, False),
        ("relative", 0.02, 10.2, True),
        ("relative", 0.02, 9.7, False),
        ("factor", 2.0, 5.0, True),
        ("factor", 2.0, 20.1, False),
    ],
)
def test_a_tolerance_is_a_difference_a_part_or_a_factor(kind, tolerance, generated, passes):
    row = Statistic("x", "Venus", 10.0, generated, tolerance, kind, fed_in=True, sampling_error=1.0)
    assert row.passes(1.0) is passes


def test_a_sampling_error_widens_the_tolerance_only_below_full_scale():
    row = Statistic("x", "Venus", 10.0, 12.5, 1.0, "difference", fed_in=True, sampling_error=1.0)
    assert row.passes(1.0) is False and row.passes(0.02) is True
