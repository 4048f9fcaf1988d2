"""How `auto` decides, and what is recorded of the models that a run used."""

import numpy as np
import pytest

from energy.choice import LEAST_DAYS, choose, daily_errors, decision_days
from energy.family import fit
from energy.paired import mean_interval

DAY = 144


def walk(days, seed=3, daily=0.0):
    """A random walk with a wave of the day."""
    rng = np.random.default_rng(seed)
    slot = np.arange(days * DAY)
    wave = daily * np.sin(2 * np.pi * slot / DAY)
    return (200 + wave + rng.normal(0, 0.8, slot.size).cumsum()).clip(0)


def test_the_backtest_has_three_to_four_weeks_and_leaves_a_week_to_fit_on():
    days = {training: decision_days(training * DAY) for training in (2, 6, 10, 14, 24, 28, 45, 90)}
    assert days == {2: 1, 6: 3, 10: 5, 14: 7, 24: 17, 28: 21, 45: 22, 90: 28}


def test_on_a_random_walk_the_local_level_stays():
    choice = choose(walk(28), None)
    assert choice.model == "level"
    assert "no other model beat it" in choice.sentence
    table = choice.models.set_index("model")
    assert table.loc["week", "verdict"] == "worse"
    assert table.loc["seasonal", "verdict"] == "no measurable difference"


def test_where_the_day_matters_a_model_of_the_day_is_chosen_and_the_table_says_why():
    choice = choose(walk(28, daily=40.0), None)
    row = choice.models.set_index("model").loc[choice.model]
    assert choice.model not in ("level", "last", "day", "week")
    assert row["verdict"] == "better"
    assert row["high"] < 0
    assert row["days"] == choice.days == 21
    assert "\u00a0% smaller than the local level" in choice.sentence
    at_3h = choice.horizons.set_index(["model", "horizon_s"]).loc[(choice.model, 10800)]
    assert at_3h["low"] <= at_3h["difference"] <= at_3h["high"] < 0


def test_a_few_days_are_too_few_to_leave_the_local_level():
    choice = choose(walk(6, daily=40.0), None)
    assert choice.days < LEAST_DAYS
    assert choice.model == "level"
    assert "too few" in choice.sentence


def test_errors_by_day_equal_a_plain_computation():
    values = walk(6)
    values[4 * DAY + 5] = np.nan
    first = 3 * DAY
    errors = daily_errors(fit("last", values), values, first)
    last = np.array(
        [values[: t - 5][~np.isnan(values[: t - 5])][-1] for t in range(len(values))[first + 5 :]]
    )
    error = np.r_[np.full(5, np.nan), np.abs(values[first + 5 :] - last)].reshape(3, DAY)
    np.testing.assert_allclose(errors[1], np.nanmean(error, axis=1))


def test_the_interval_of_a_mean_by_hand():
    got = mean_interval(np.array([1.0, 2.0, np.nan, 3.0]))
    assert got.mean == 2
    assert got.standard_error == pytest.approx(1 / np.sqrt(3))
    assert got.high - got.mean == pytest.approx(4.3027 / np.sqrt(3), rel=1e-4)
    assert mean_interval(np.array([1.0, 2.0])) is None


def test_auto_is_the_model_it_chose_and_keeps_its_table():
    values = walk(14, daily=40.0)
    auto = fit("auto", values)
    chosen = fit(auto.chosen, values)
    origins, steps = np.array([10 * DAY, 14 * DAY]), np.array([1, 30])
    assert auto.choice.model == auto.chosen
    np.testing.assert_allclose(auto.means(values, origins, steps), chosen.means(values, origins, steps))


def test_a_model_that_memorizes_has_an_earlier_version_for_origins_within_its_training():
    values = walk(14, daily=40.0)
    model = fit("stl", values[: 12 * DAY])
    early, latest = model.versions
    assert (early.trained_slots, early.first_origin) == (6 * DAY, 0)
    assert (latest.trained_slots, latest.first_origin) == (12 * DAY, 12 * DAY)
    origins, steps = np.array([7 * DAY, 12 * DAY]), np.array([6])
    means = model.means(values, origins, steps)
    np.testing.assert_array_equal(means[:1], early.fitted.means(values, origins[:1], steps))
    np.testing.assert_array_equal(means[1:], latest.fitted.means(values, origins[1:], steps))


def test_the_fingerprint_of_a_version_changes_with_the_data_and_only_with_it():
    values = walk(4)
    other = values.copy()
    other[7] += 1
    prints = [fit("level", each).versions[0].fingerprint for each in (values, values, other)]
    assert prints[0] == prints[1] != prints[2]
