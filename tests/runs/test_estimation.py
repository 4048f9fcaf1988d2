"""Estimates of a stored trace: judged, fitted, versioned, used by what-ifs."""

import json

import numpy as np
import pandas as pd
import pytest

from queries import manifests
from runs import RunError, beliefs, estimation, models, orders, simulation
from runs.estimation import EstimateScenario
from runs.scenario import SchedulingScenario
from runs.window import window
from scheduling.estimates import Estimator
from traces import csv_table, store


def jobs_table(jobs=2400, seed=3):
    """Two months of jobs in local time; a name tells roughly how long a job runs."""
    rng = np.random.default_rng(seed)
    long = rng.random(jobs) < 0.3
    duration_s = np.ceil(np.where(long, 9000, 300) * rng.lognormal(0, 0.7, jobs))
    submit_time = pd.Timestamp("2020-04-01") + pd.to_timedelta(
        np.sort(rng.integers(0, 60 * 86_400, jobs)), "s"
    )
    start_time = submit_time + pd.to_timedelta(rng.integers(0, 600, jobs), "s")
    return pd.DataFrame(
        {
            "job_id": [f"j{at}" for at in range(jobs)],
            "user": rng.choice(["ada", "bo"], jobs),
            "vc": rng.choice(["a", "b"], jobs),
            "job_name": [f"{'pretrain' if each else 'debug'}_{at % 7}" for at, each in enumerate(long)],
            "gpu_num": rng.choice([1, 8, 16], jobs, p=[0.5, 0.4, 0.1]),
            "submit_time": submit_time,
            "start_time": start_time,
            "end_time": start_time + pd.to_timedelta(duration_s, "s"),
            "duration_s": duration_s,
        }
    )


def publish(root, table, name="t"):
    file, capacity = root.parent / "table.csv", root.parent / "capacity.csv"
    table.to_csv(file, index=False)
    capacity.write_text("vc,nodes\na,2\nb,2\n")
    store.publish(
        root, name, "Asia/Shanghai", [csv_table.read(file, "C", "Asia/Shanghai", capacity=capacity)]
    )
    return name


@pytest.fixture
def trace(data_folder):
    return publish(data_folder, jobs_table())


def study(trace, **options):
    document = estimation.study(EstimateScenario(trace, from_="2020-05-01", **options))
    json.dumps(document, allow_nan=False)
    [part] = document["clusters"]
    return part


def test_estimates_are_judged_beside_plain_ones_and_by_the_schedules_they_make(trace):
    part = study(trace)
    assert part["model"]["jobs"] > 1000
    assert part["ends"] == "recorded"
    assert set(part["estimators"]) == {
        *("qssf", "rolling", "boosted", "user_mean", "last_job", "global_median")
    }
    ranks = {name: row["rank_correlation_within_gpus"] for name, row in part["estimators"].items()}
    assert ranks["qssf"] > 0.5 > abs(ranks["global_median"])
    gaps = {row["order"]: row["closed_gap"] for row in part["schedules"]}
    assert (gaps["fifo"], gaps["true_gpu_time"]) == (0, 1)
    assert set(gaps) > {"fewest_gpus", "user_mean", "qssf", "qssf_without_guard"}
    assert sum(row["share"] for row in part["rungs"]) == pytest.approx(1)
    assert sum(row["jobs"] for row in part["gpus"]) == part["jobs"]


def test_missing_names_users_and_ends_are_said(data_folder):
    table = jobs_table().drop(columns=["job_name", "user", "start_time", "end_time"])
    part = study(publish(data_folder, table))
    assert part["ends"] == "simulated"
    assert any("no job names" in note for note in part["notes"])
    assert any("no users" in note for note in part["notes"])
    assert {row["rung"] for row in part["rungs"]} <= {"vc_gpus", "vc", "everyone", "none"}
    with pytest.raises(RunError, match="no end times"):
        study("t", ends="recorded")


def test_a_control_that_beats_qssf_is_named():
    rows = [{"order": order, "avg_jct_s": jct_s} for order, jct_s in (("fifo", 9.0), ("qssf", 5.0))]
    assert orders.best_control(rows) is None
    assert orders.best_control([*rows, {"order": "fewest_gpus", "avg_jct_s": 4.0}]) == "fewest_gpus"


def test_nothing_that_ends_in_the_window_changes_the_model_or_an_earlier_estimate(data_folder):
    def believed(table, name):
        publish(data_folder, table, name)
        manifest = manifests.manifest(name)
        span = window(manifest, ["C"], "2020-05-01", "")
        before = beliefs.past(name, "C", manifest["clusters"]["C"], span)
        known = before.known(Estimator())
        model = beliefs.fitted(before, known)
        return model, before, beliefs.table(before, known, model)

    table = jobs_table()
    middle = pd.Timestamp("2020-05-15")
    later = table["end_time"] > middle
    changed = table.copy()
    changed.loc[later, "end_time"] += pd.Timedelta(hours=9)
    changed.loc[later, "duration_s"] += 9 * 3600
    model, before, one = believed(table, "one")
    same_model, _, other = believed(changed, "other")
    assert same_model == model
    submit_s = before.jobs["submit_s"][before.in_window()].to_numpy()
    early = submit_s <= (middle - pd.Timestamp("2020-05-01")).total_seconds()
    assert 0 < early.sum() < early.size
    pd.testing.assert_frame_equal(one[early], other[early])


def test_a_what_if_uses_the_latest_version_before_its_window_and_says_which(trace):
    scenario = SchedulingScenario(trace, from_="2020-05-02", policies=("qssf",))
    unfitted = simulation.simulate(scenario).document["scenario"]["estimates"]["C"]
    assert (unfitted["estimator"], unfitted["version"]) == ("rolling", None)
    assert models.is_stale(trace)
    assert len(models.refit(trace)) == 2
    assert not models.is_stale(trace)
    described = simulation.simulate(scenario).document["scenario"]["estimates"]["C"]
    assert described["estimator"] == "rolling + boosted"
    assert described["trained_until"] == "2020-04-30T16:00:00"  # local midnight of 1 May
    earlier = SchedulingScenario(trace, from_="2020-04-30", policies=("qssf",))
    described = simulation.simulate(earlier).document["scenario"]["estimates"]["C"]
    assert (described["estimator"], described["trained_until"]) == ("rolling", "2020-03-31T16:00:00")
    assert (
        simulation.simulate(SchedulingScenario(trace, policies=("fifo",))).document["scenario"]["estimates"]
        == {}
    )


def test_stored_estimates_are_those_made_on_the_spot(trace):
    fitted = models.refit(trace)[0]
    manifest = manifests.manifest(trace)
    span = window(manifest, ["C"], "2020-05-01", "")
    before = beliefs.past(trace, "C", manifest["clusters"]["C"], span)
    known = before.known(Estimator())
    pd.testing.assert_frame_equal(fitted.beliefs(), beliefs.table(before, known, fitted.model()))
    assert fitted.manifest["metrics"]["jobs"] == len(fitted.beliefs())
    assert fitted.manifest["features"]


def test_an_import_makes_fitted_versions_stale_and_a_refit_removes_them(trace, data_folder):
    old = models.refit(trace)
    publish(data_folder, jobs_table(seed=4))
    assert models.is_stale(trace)
    assert models.stored(trace, "C") == []
    new = models.refit(trace)
    assert not any(each.folder.exists() for each in old)
    assert all(each.folder.exists() for each in new)


def test_resampled_jobs_are_believed_to_be_as_their_originals(trace):
    made = simulation.simulate(SchedulingScenario(trace, policies=("qssf",), load_factor=1.5))
    assert made.document["results"][-1]["jobs"] == 3600
