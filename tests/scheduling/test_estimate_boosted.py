"""The boosted model, the merge and the guard, the numbers that judge them."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scheduling import ScenarioError
from scheduling.estimates import NO_GUARD, Estimator, Guard, Rolling, estimates, known_at_submission, priority
from scheduling.estimates.accuracy import accuracy, bands, by_gpus, rank_correlation, within_gpus
from scheduling.estimates.boosted import FEATURES, Boosted, expected, features, fit

ROOT = Path(__file__).resolve().parents[2]


def made_up(jobs=3000, seed=5):
    """Jobs whose length depends on the name; log-normal, so that their mean is far above their median."""
    rng = np.random.default_rng(seed)
    long = rng.random(jobs) < 0.5
    duration_s = np.where(long, 3000.0, 100.0) * rng.lognormal(0, 1.2, jobs)
    submit_s = np.sort(rng.uniform(0, 1e6, jobs))
    return pd.DataFrame(
        {
            "submit_s": submit_s,
            "end_s": submit_s + duration_s,
            "duration_s": duration_s,
            "gpu_num": rng.choice([1.0, 8.0], jobs),
            "user": rng.choice(["a", "b"], jobs),
            "vc": "v",
            "job_name": np.where(long, "pretrain", "debug")
            + pd.Series(rng.integers(0, 99, jobs)).astype(str),
        }
    )


@pytest.fixture(scope="module")
def seen():
    jobs = made_up()
    known = known_at_submission(jobs, Rolling(), with_statistics=True)
    return jobs, features(jobs, known, 0.0)


@pytest.fixture(scope="module")
def model(seen):
    jobs, table = seen
    return fit(table[:2400], jobs["duration_s"].to_numpy()[:2400])


def test_a_model_predicts_the_mean_and_not_the_median(seen, model):
    jobs, table = seen
    later, long = jobs[2400:], jobs["job_name"][2400:].str.startswith("pretrain").to_numpy()
    predicted, true = expected(model, table[2400:]), later["duration_s"].to_numpy()
    assert predicted.sum() == pytest.approx(true.sum(), rel=0.25)
    for own in (long, ~long):  # the mean is e^0.72, or 2.05, times the median
        assert 1.4 * np.median(true[own]) < predicted[own].mean() < 4 * np.median(true[own])
    assert np.median(predicted[long]) > 10 * np.median(predicted[~long])


def test_a_model_is_the_same_from_the_same_jobs_and_survives_storage(seen, model):
    jobs, table = seen
    again = fit(table[:2400], jobs["duration_s"].to_numpy()[:2400])
    assert again == model
    kept = Boosted.from_json(model.as_json())
    assert kept == model
    np.testing.assert_array_equal(expected(kept, table[2400:]), expected(model, table[2400:]))


def test_a_user_whom_the_model_never_saw_gets_an_estimate(seen, model):
    unknown = seen[1][2400:2410].assign(user="new", template=None)
    assert (expected(model, unknown) > 0).all()
    assert expected(model, unknown[:0]).size == 0


def test_a_jobs_own_duration_is_no_feature_of_it(seen):
    jobs, table = seen
    changed = jobs.assign(duration_s=jobs["duration_s"].where(jobs.index < 2999, 1e6))
    changed["end_s"] = changed["submit_s"] + changed["duration_s"]
    known = known_at_submission(changed, Rolling(), with_statistics=True)
    pd.testing.assert_frame_equal(features(changed, known, 0.0), table)
    assert list(table.columns) == list(FEATURES)


def test_hours_and_weekdays_count_from_a_local_monday(seen):
    jobs = seen[0][:1].assign(submit_s=0.0)
    known = known_at_submission(jobs, Rolling(), with_statistics=True)
    tuesday_noon = features(jobs, known, -36 * 3600.0)
    assert (tuesday_noon["weekday"][0], tuesday_noon["hour"][0]) == (1, 12)


def test_too_few_jobs_give_no_model(seen):
    with pytest.raises(ScenarioError, match="10 jobs ended before the window"):
        fit(seen[1][:10], np.ones(10))


def test_lightgbm_is_loaded_when_a_model_is_fitted_and_not_before():
    for path in [*ROOT.glob("scheduling/**/*.py"), *ROOT.glob("runs/*.py"), *ROOT.glob("pages/*.py")]:
        for node in ast.parse(path.read_text()).body:
            names = [each.name for each in getattr(node, "names", [])] + [getattr(node, "module", None) or ""]
            assert not any(name.startswith("lightgbm") for name in names), path
    code = "import sys, scheduling.estimates.boosted, runs.estimation; print('lightgbm' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=120
    )
    assert answer.stdout.strip() == "False", answer.stderr


def test_without_the_openmp_library_a_sentence_says_what_to_install(seen, monkeypatch, tmp_path):
    missing = "libgomp.so.1: cannot open shared object file: No such file or directory"
    (tmp_path / "lightgbm.py").write_text(f"raise OSError({missing!r})")
    for name in [name for name in sys.modules if name.split(".")[0] == "lightgbm"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ScenarioError, match=r"libgomp\.so\.1: .* Install .* \(libgomp1 on Debian"):
        fit(seen[1], np.ones(len(seen[1])))


def test_the_merge_is_weighted_and_rolling_alone_without_a_model():
    jobs = pd.DataFrame({"gpu_num": [2.0], "submit_s": [0.0]})
    rolling_s, boosted_s, rung = np.array([100.0]), np.array([200.0]), np.array([0])
    estimator = Estimator(rolling_weight=0.25, guard=Guard(charge_s=10.0))
    both = estimates(jobs, rolling_s, rung, boosted_s, estimator)
    assert both.iloc[0].tolist() == [175.0, "user_name_gpus", 370.0]
    alone = estimates(jobs, rolling_s, rung, None, estimator)
    assert alone.iloc[0].tolist() == [100.0, "user_name_gpus", 220.0]


def test_without_a_guard_the_order_is_that_of_expected_gpu_time():
    expected_s, gpus = np.array([100.0, 10.0]), np.array([1.0, 8.0])
    assert priority(expected_s, gpus, np.zeros(2), NO_GUARD).tolist() == [100, 80]


def test_a_charge_keeps_an_underestimated_gang_behind_small_jobs():
    expected_s, gpus = np.array([3600.0, 10.0]), np.array([1.0, 128.0])  # 3,600 and 1,280 GPU seconds
    small, gang = priority(expected_s, gpus, np.zeros(2), Guard(charge_s=1800.0))
    assert small < gang


def test_aging_lets_a_large_job_go_before_small_ones_that_come_much_later():
    expected_s, gpus = np.array([1000.0, 10.0, 10.0]), np.ones(3)
    large, soon, late = priority(expected_s, gpus, np.array([0.0, 400.0, 600.0]), Guard(0.0, aging_s=100.0))
    assert soon < large < late


@pytest.mark.parametrize("wrong", [{"charge_s": -1.0}, {"charge_s": float("nan")}, {"aging_s": 0.0}])
def test_a_guard_that_cannot_be_is_refused(wrong):
    with pytest.raises(ScenarioError, match="guard's"):
        Guard(**wrong)


def test_bands_count_errors_up_to_their_share_of_the_true_value():
    estimated, true = np.array([110.0, 150.0, 200.0, 1100.0, 1200.0]), np.full(5, 100.0)
    assert bands(estimated, true) == {"10": 0.2, "50": 0.4, "100": 0.6, "1000": 0.8}
    assert bands(estimated[:0], true[:0])["10"] is None


def test_rank_correlation_is_spearmans():
    rng = np.random.default_rng(1)
    one = rng.normal(size=40)
    assert rank_correlation(one, np.exp(one)) == pytest.approx(1)
    assert rank_correlation(one, -one) == pytest.approx(-1)
    assert rank_correlation(one, np.ones(40)) is None
    assert rank_correlation(one[:19], one[:19]) is None
    # By hand: 1 − 6 Σd² ÷ (n (n² − 1)) without ties.
    other = rng.normal(size=40)
    d = one.argsort().argsort() - other.argsort().argsort()
    assert rank_correlation(one, other) == pytest.approx(1 - 6 * (d @ d) / (40 * (40**2 - 1)))


def test_a_constant_estimate_has_a_rank_by_gpus_alone():
    rng = np.random.default_rng(2)
    gpus = rng.choice([1.0, 8.0], 200)
    true_s = rng.lognormal(size=200)
    judged = accuracy(np.full(200, 5.0), true_s, gpus)
    assert judged["rank_correlation"] > 0.3
    assert judged["rank_correlation_within_gpus"] is None
    rows = by_gpus(true_s, true_s, gpus)
    assert [row["gpus"] for row in rows] == [1, 8]
    assert within_gpus(rows) == pytest.approx(1)
