"""The demo trace at its default size: what it promises, read from its tables."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import scheduling
from traces import TraceError, schema
from traces.catalog import Catalog
from traces.demo import DEFAULT_SCALE, DEFAULT_SEED, generate
from traces.demo.calendar import BEGIN_UTC, DAYS, PERIOD_S, TIMEZONE
from traces.demo.clusters import CLUSTERS
from traces.store import publish


@pytest.fixture(scope="module")
def demo():
    """The four imports of the default demo by cluster."""
    return {each.cluster: each for each in generate(replay=scheduling.replay)}


def gpu_jobs(item):
    jobs = item.jobs[item.jobs["gpu_num"] > 0]
    begin = [
        (jobs[name] - BEGIN_UTC).dt.total_seconds() for name in ("submit_time", "start_time", "end_time")
    ]
    return jobs.assign(submit_s=begin[0], start_s=begin[1], end_s=begin[2])


def digest(item):
    text = pd.util.hash_pandas_object(item.jobs, index=False).to_numpy().tobytes()
    quota = item.quota.to_csv(index=False).encode()
    return hashlib.sha256(text + quota).hexdigest()


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(demo):
    again = {each.cluster: digest(each) for each in generate(replay=scheduling.replay)}
    assert again == {name: digest(item) for name, item in demo.items()}
    other = next(generate(seed=DEFAULT_SEED + 1, replay=scheduling.replay))
    assert digest(other) != again["Venus"]


def starts_at_once(jobs, capacity, **how):
    """In place of a replay, where start times do not matter."""
    return SimpleNamespace(jobs=jobs.rename(columns={"submit_s": "start_s"}))


def test_the_number_of_threads_changes_nothing():
    """Sums over threads would round differently; a row that rounds differently would be another row."""
    here = Path(__file__)
    code = (
        "import test_demo; from traces.demo import generate; "
        "print(test_demo.digest(next(generate(replay=test_demo.starts_at_once))))"
    )
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment["PYTHONPATH"] = os.pathsep.join([str(here.parent), str(here.parents[2])])
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == digest(next(generate(replay=starts_at_once)))


def test_clusters_do_not_depend_on_the_order_in_which_they_are_made(demo):
    from traces.demo.generate import cluster_import

    alone = cluster_import(CLUSTERS[2], DEFAULT_SCALE, DEFAULT_SEED, scheduling.replay)
    assert digest(alone) == digest(demo["Saturn"])


def test_there_are_four_clusters_with_about_seventy_thousand_jobs(demo):
    assert list(demo) == ["Venus", "Earth", "Saturn", "Uranus"]
    assert 60_000 < sum(len(item.jobs) for item in demo.values()) < 80_000
    for item in demo.values():
        assert (item.jobs["gpu_num"] == 0).mean() > 0.2


def test_each_cluster_keeps_two_virtual_clusters_and_eight_nodes(demo):
    for item in demo.values():
        assert item.quota["vc"].nunique() >= 2
        assert item.quota.groupby("vc")["gpus"].max().sum() >= 64
        assert (item.quota["gpus"] % 8 == 0).all()


def test_no_gang_is_larger_than_its_virtual_cluster_and_the_report_says_what_was_capped(demo):
    for item in demo.values():
        gpus = item.quota.groupby("vc")["gpus"].max()
        assert (item.jobs["gpu_num"] <= item.jobs["vc"].map(gpus)).all()
    notes = " ".join(demo["Venus"].report.notes)
    assert "Generated data" in notes and "capped at" in notes


def test_every_job_is_submitted_in_the_period_and_starts_at_or_after_its_submission(demo):
    for item in demo.values():
        jobs = item.jobs
        assert jobs["submit_time"].between(BEGIN_UTC, BEGIN_UTC + pd.Timedelta(days=DAYS)).all()
        assert (jobs["start_time"] >= jobs["submit_time"]).all()
        assert (jobs["duration_s"] >= 1).all()
        ran = (jobs["end_time"] - jobs["start_time"]).dt.total_seconds()
        waited = (jobs["start_time"] - jobs["submit_time"]).dt.total_seconds()
        assert (ran == jobs["duration_s"]).all() and (waited == jobs["queueing_delay_s"]).all()


def test_running_gpus_never_exceed_the_quota(demo):
    for item in demo.values():
        capacity = item.quota.groupby("vc")["gpus"].max()
        for vc, jobs in gpu_jobs(item).groupby("vc"):
            steps = pd.concat(
                [
                    pd.Series(-jobs["gpu_num"].to_numpy(), jobs["end_s"].to_numpy()),
                    pd.Series(jobs["gpu_num"].to_numpy(), jobs["start_s"].to_numpy()),
                ]
            ).sort_index(kind="stable")
            assert steps.cumsum().max() <= capacity[vc]


def test_start_times_are_those_of_a_fifo_replay_of_the_published_table(demo):
    for item in demo.values():
        jobs = gpu_jobs(item)
        capacity = {vc: int(gpus) for vc, gpus in item.quota.groupby("vc")["gpus"].max().items()}
        columns = ["job_id", "row", "user", "vc", "job_name", "gpu_num", "duration_s", "submit_s"]
        outcome = scheduling.replay(jobs[columns], capacity, policy="fifo", placement="consolidate")
        assert np.array_equal(outcome.jobs["start_s"], jobs["start_s"])


def test_clusters_are_busy_and_some_virtual_clusters_are_congested(demo):
    congested = 0
    for item in demo.values():
        jobs, gpus = gpu_jobs(item), item.quota.groupby("vc")["gpus"].max().sum()
        inside = jobs["end_s"].clip(upper=PERIOD_S) - jobs["start_s"].clip(upper=PERIOD_S)
        assert 0.65 < (inside * jobs["gpu_num"]).sum() / (gpus * PERIOD_S) < 0.90
        assert jobs["queueing_delay_s"].median() == 0
        congested += (jobs.groupby("vc")["queueing_delay_s"].quantile(0.95) > 0).sum()
    assert congested >= 2


def test_submissions_follow_the_hours_of_the_day_and_the_week(demo):
    for item, profile in zip(demo.values(), CLUSTERS, strict=True):
        local = gpu_jobs(item)["submit_s"]
        by_hour = np.bincount((local % 86_400 // 3600).astype(int), minlength=24)
        assert np.corrcoef(by_hour, profile.gpu_jobs_by_hour)[0, 1] > 0.8
    everywhere = pd.concat([gpu_jobs(item)["submit_s"] for item in demo.values()])
    weekday = (everywhere // 86_400 + 2) % 7  # 1 April 2020 was a Wednesday
    counts = np.bincount(weekday.astype(int), minlength=7)
    assert counts[5:].mean() < 0.85 * counts[:5].mean()


def test_job_names_say_something_about_durations(demo):
    jobs = gpu_jobs(demo["Saturn"])
    log = np.log(jobs["duration_s"])
    stem = jobs["job_name"].str.replace(r"\d+$", "", regex=True)
    within = log - log.groupby([jobs["user"], stem, jobs["gpu_num"]]).transform("mean")
    assert within.var() < 0.7 * log.var()
    assert Counter(stem).most_common(1)[0][1] < 0.1 * len(jobs)


def test_a_few_users_hold_most_of_the_gpu_time(demo):
    for item in demo.values():
        jobs = gpu_jobs(item)
        work = (jobs["gpu_num"] * jobs["duration_s"]).groupby(jobs["user"]).sum().sort_values()
        assert work.iloc[-2:].sum() / work.sum() > 0.3


def test_the_tables_fit_the_canonical_schema_and_can_be_published(demo, tmp_path):
    manifest = publish(tmp_path, "demo", TIMEZONE, demo.values(), generated=True)
    assert manifest["generated"] and Catalog(tmp_path).names() == ["demo"]
    for item in demo.values():
        facts = vars(item.facts)
        assert all(value for name, value in facts.items() if name.startswith("has_"))
        table = schema.conformed(item.jobs, schema.JOBS, trace="demo", cluster=item.cluster)
        assert table["job_id"].null_count == table["user"].null_count == table["end_time"].null_count == 0
        assert item.report.rows_read == item.report.rows_kept == len(item.jobs)


@pytest.mark.parametrize("scale", [0, -1, 1.5, float("nan")])
def test_an_impossible_scale_is_refused_with_a_sentence(scale):
    with pytest.raises(TraceError, match="scale"):
        generate(scale, replay=scheduling.replay)
