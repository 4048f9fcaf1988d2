"""The family of models against naive computations and against statsmodels' own append and forecast."""

import numpy as np
import pandas as pd
import pytest

from energy import MODELS, EnergyError, forecast
from energy.accuracy import horizon_accuracy
from energy.family import fit, origin_means
from energy.intervals import Forecast, outlook, rolling_forecast
from energy.state_space import components

DAY = 144


def noisy_days(days, seed=1, missing=0.05):
    """A daily wave on a random walk, with missing slots."""
    rng = np.random.default_rng(seed)
    t = np.arange(days * DAY)
    values = 60 + 15 * np.sin(2 * np.pi * t / DAY) + rng.normal(0, 0.5, t.size).cumsum()
    values[rng.random(t.size) < missing] = np.nan
    return np.maximum(values, 0).round()


def test_the_last_value_is_repeated_at_every_horizon_and_skips_missing_slots():
    values = np.array([np.nan, 3.0, np.nan, 5.0])
    means = origin_means(fit("last", values), values, np.arange(5), np.array([1, 7]))
    np.testing.assert_array_equal(means.T, [[np.nan, np.nan, 3, 3, 5]] * 2)


def test_yesterday_is_the_latest_known_value_of_the_same_slot_before_the_origin():
    values = np.arange(3.0 * DAY)
    values[2 * DAY + 4] = np.nan
    model = fit("day", values)
    means = origin_means(model, values, np.array([2 * DAY, 3 * DAY]), np.array([1, 5, DAY, DAY + 1]))
    assert means[0].tolist() == [DAY, DAY + 4, 2 * DAY - 1, DAY]
    assert means[1].tolist() == [
        2 * DAY,
        DAY + 4,
        3 * DAY - 1,
        2 * DAY,
    ]  # slot 4 was last known a day earlier


def test_backtest_errors_of_the_naive_models_equal_a_plain_computation_in_pandas():
    values = noisy_days(6)
    first = 3 * DAY
    series = pd.Series(values)
    by_slot_of_day = series.groupby(np.arange(len(values)) % DAY).ffill()
    for step in (1, 6, 18, 30):
        target = slice(first + step - 1, None)
        for model, plain in (("last", series.ffill().shift(step)), ("day", by_slot_of_day.shift(DAY))):
            got = horizon_accuracy(values, rolling_forecast(fit(model, values[:first]), values, step), target)
            error = (plain - series)[target].dropna()
            assert got["n"] == len(error)
            assert got["mae"] == pytest.approx(error.abs().mean())
            assert got["rmse"] == pytest.approx((error**2).mean() ** 0.5)


@pytest.mark.parametrize("model", ["level", "seasonal"])
def test_one_filter_pass_gives_what_statsmodels_gives_appending_at_each_origin(model):
    values = noisy_days(4)
    first = 3 * DAY
    fitted = fit(model, values[:first])
    origins = np.array([first, first + 37, len(values)])
    means = fitted.means(values, origins, np.arange(1, 31))
    base = components(values[:first], fitted.harmonics).filter(np.array(fitted.variances))
    for origin, mean in zip(origins, means, strict=True):
        result = base if origin == first else base.append(values[first:origin], refit=False)
        np.testing.assert_allclose(mean, result.forecast(30), rtol=1e-7, atol=1e-7)


def test_the_seasonal_model_learns_a_daily_wave_that_the_last_value_misses():
    values = noisy_days(8, missing=0.0)
    first = 6 * DAY
    mae = {
        model: horizon_accuracy(
            values, rolling_forecast(fit(model, values[:first]), values, 30), slice(first, None)
        )["mae"]
        for model in MODELS
    }
    assert mae["seasonal"] < 0.6 * mae["last"]


@pytest.mark.parametrize("model", MODELS)
def test_a_constant_and_zeros_are_forecast_as_they_are(model):
    for constant in (0.0, 7.0):
        values = np.full(3 * DAY, constant)
        ahead = outlook(fit(model, values), values, DAY)
        for bound in (ahead.mean, ahead.low, ahead.high):
            np.testing.assert_allclose(bound, constant, atol=1e-3)


def test_the_interval_is_the_quantiles_of_past_errors_at_that_horizon():
    values = noisy_days(4)
    step, origin = 6, 4 * DAY - 10
    model = fit("last", values)
    last = pd.Series(values).ffill().to_numpy()
    errors = [values[t] - last[t - step] for t in range(DAY + step - 1, origin)]
    errors = np.array(errors)[~np.isnan(errors)]
    got = rolling_forecast(model, values, step)
    target = origin + step - 1
    assert got.low[target] == pytest.approx(last[origin - 1] + np.quantile(errors, 0.1))
    assert got.high[target] == pytest.approx(last[origin - 1] + np.quantile(errors, 0.9))


def test_the_outlook_continues_the_rolling_forecast():
    values = noisy_days(5)
    model = fit("level", values)
    ahead = outlook(model, values, 30)
    for step in (1, 6, 30):
        extended = rolling_forecast(model, np.r_[values, np.full(step, np.nan)], step)
        target = len(values) + step - 1
        assert ahead.mean[step - 1] == pytest.approx(extended.mean[target])
        assert ahead.low[step - 1] == pytest.approx(extended.low[target])
        assert ahead.high[step - 1] == pytest.approx(extended.high[target])


def test_accuracy_by_hand():
    actual = np.array([0.0, 4.0, np.nan, 10.0])
    given = Forecast(
        np.array([0.0, 6.0, 5.0, 10.0]), np.array([0.0, 5.0, 5.0, 9.0]), np.array([0.0, 7, 5, 11])
    )
    assert horizon_accuracy(actual, given, slice(0, None)) == {
        "n": 3,
        "mae": pytest.approx(2 / 3),
        "rmse": pytest.approx((4 / 3) ** 0.5),
        "smape": pytest.approx(0.4 / 3),  # 0 ÷ 0 counts as 0
        "coverage_80": pytest.approx(2 / 3),
        "width_80": pytest.approx(4 / 3),
    }


def test_accuracy_of_no_target_is_unknown_and_not_zero():
    nothing = np.array([np.nan])
    row = horizon_accuracy(nothing, Forecast(nothing, nothing, nothing), slice(0, None))
    assert row == dict.fromkeys(("mae", "rmse", "smape", "coverage_80", "width_80"), None) | {"n": 0}


def test_a_forecast_follows_its_series_with_an_interval_around_its_mean():
    values = noisy_days(4)
    time = pd.date_range("2020-09-01", periods=len(values), freq="10min")
    ahead = forecast(pd.DataFrame({"time": time, "used": values, "total": 200.0}), 30)
    assert ahead["time"].iloc[0] == time[-1] + pd.Timedelta("10min")
    assert (ahead["low"] <= ahead["high"]).all()
    assert len(ahead) == 30


def test_an_unknown_model_is_refused_with_the_known_ones():
    with pytest.raises(EnergyError, match="choose one of last, day, level, seasonal"):
        fit("oracle", np.zeros(3))
