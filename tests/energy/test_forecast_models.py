"""The family of models against naive computations and against statsmodels' own append and forecast."""

import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.statespace.sarimax import SARIMAX

from energy import EnergyError, Span, forecast
from energy.accuracy import horizon_accuracy
from energy.boosting import features
from energy.day_profile import day_profile
from energy.decomposition import decomposition
from energy.family import MODELS, fit, origin_means
from energy.fourier import regressors
from energy.holidays import holidays_of
from energy.intervals import Forecast, outlook, rolling_forecast
from energy.smoothing import HoltWinters, smooth
from energy.state_space import build

START = pd.Timestamp("2020-09-01")
NO_TREES = pytest.mark.skipif(find_spec("lightgbm") is None, reason="lightgbm is optional and not installed")
ALL = [pytest.param(model, marks=NO_TREES if model == "lightgbm" else ()) for model in MODELS]
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


@pytest.mark.parametrize("holiday", [False, True])
@pytest.mark.parametrize("model", ["level", "seasonal"])
def test_one_filter_pass_gives_what_statsmodels_forecasts_from_each_origin(model, holiday):
    values = noisy_days(4)
    first = 3 * DAY
    days = (Span(START + pd.Timedelta(days=2), START + pd.Timedelta(days=3)),) if holiday else ()
    holidays = holidays_of(days, START, len(values))
    fitted = fit(model, values[:first], holidays).fitted
    origins = np.array([first, first + 37, len(values)])
    means = fitted.means(values, origins, np.arange(1, 31))
    for origin, mean in zip(origins, means, strict=True):
        past = build(values[:origin], fitted.components, fitted.spread).filter(np.array(fitted.variances))
        future = {}
        if fitted.components.holidays is not None:
            future["exog"] = holidays.at(np.arange(origin, origin + 30))
        np.testing.assert_allclose(mean, past.forecast(30, **future), rtol=1e-7, atol=1e-7)


def test_the_arima_with_fourier_terms_forecasts_as_statsmodels_does_from_each_origin():
    values = noisy_days(5)
    first = 4 * DAY
    fitted = fit("sarimax", values[:first]).fitted
    origins = np.array([first, first + 37])
    means = fitted.means(values, origins, np.arange(1, 31))
    regression = regressors(len(values) + 30, fitted.weekly, None) @ fitted.coefficients
    for origin, mean in zip(origins, means, strict=True):
        rest = SARIMAX(values[:origin] - regression[:origin], order=(1, 1, 1))
        expected = rest.filter(np.array(fitted.arima)).forecast(30) + regression[origin : origin + 30]
        np.testing.assert_allclose(mean, expected, rtol=1e-7, atol=1e-7)


def test_holt_winters_forecasts_as_its_recursion_by_hand():
    profile = np.tile([2.0, -2.0], DAY // 2)
    model = HoltWinters((0.5, 0.2, 0.1, 0.9), profile)
    values = np.array([12.0, np.nan, 16.0])
    # level 10; the missing slot changes nothing; slot 2 is 4 above 10 + 2: level 12, trend 0.8, season 2.4
    means = model.means(values, np.array([3]), np.array([1, 2, DAY]))
    trend = 0.8 * 0.9
    assert means[0, 0] == pytest.approx(12 + trend - 2)
    assert means[0, 1] == pytest.approx(12 + trend * (1 + 0.9) + 2)
    damped = 0.8 * sum(0.9**h for h in range(1, DAY + 1))
    assert means[0, 2] == pytest.approx(12 + damped + 2.4)


def test_holt_winters_smooths_as_statsmodels_does_without_missing_values():
    values = noisy_days(3, missing=0.0)
    profile = day_profile(values)
    weights = {
        "smoothing_level": 0.6,
        "smoothing_trend": 0.05,
        "smoothing_seasonal": 0.1,
        "damping_trend": 0.95,
    }
    initial = {"initial_level": values[0] - profile[0], "initial_trend": 0.0}
    state = ETSModel(
        values,
        error="add",
        trend="add",
        seasonal="add",
        damped_trend=True,
        seasonal_periods=DAY,
        initialization_method="known",
        initial_seasonal=profile,
        **initial,
    ).smooth([*weights.values(), *initial.values(), *profile])
    ours = HoltWinters(tuple(weights.values()), profile).means(
        values, np.array([len(values)]), np.arange(1, 200)
    )
    np.testing.assert_allclose(ours[0], state.forecast(199), rtol=1e-6)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("apart", [1, 2])
def test_smoothing_compiles_one_kernel_however_its_arrays_lie_in_memory(apart, read_only):
    from energy.smoothing import _pass

    slots = np.arange(600.0)[::apart]
    slots.setflags(write=not read_only)
    smooth(slots, np.array([0.5, 0.1, 0.1, 0.9]), np.zeros(144))
    assert len(_pass.signatures) == 1


def test_theta_has_the_drift_of_half_the_slope():
    values = 100 + 0.1 * np.arange(5.0 * DAY)
    ahead = fit("theta", values).means(values, np.array([len(values)]), np.arange(1, 30))
    np.testing.assert_allclose(np.diff(ahead[0]), 0.05, rtol=1e-6)


def test_the_shape_of_a_day_is_known_although_the_series_is_hourly():
    values = np.full(6 * DAY, np.nan)
    values[::6] = (20 + 5 * np.sin(2 * np.pi * np.arange(6 * DAY) / DAY))[::6]
    shape = day_profile(values)
    np.testing.assert_allclose(shape, 5 * np.sin(2 * np.pi * np.arange(DAY) / DAY), atol=0.2)


def test_the_week_is_learned_where_there_is_one_and_shrunk_away_where_there_is_none():
    slot = np.arange(42 * DAY)
    rng = np.random.default_rng(8)
    walk = 60 + rng.normal(0, 0.5, slot.size).cumsum()
    weekly = 20 * np.sin(2 * np.pi * slot / (7 * DAY))
    assert fit("seasonal", walk).parameters["week_spread_nodes"] < 1
    fitted = fit("seasonal", walk + weekly)
    assert fitted.parameters["week_spread_nodes"] > 1
    parts = decomposition(fitted, walk + weekly)[-7 * DAY :]
    assert np.corrcoef(parts["week"], weekly[-7 * DAY :])[0, 1] > 0.95


def test_the_parts_of_a_demand_add_up_to_it_and_know_nothing_later():
    values = noisy_days(6)
    fitted = fit("seasonal", values[: 4 * DAY])
    parts = decomposition(fitted, values)
    assert list(parts) == ["level", "day", "week", "holiday", "remainder"]
    np.testing.assert_allclose(parts.sum(axis=1, skipna=False), values, atol=1e-9)
    early = decomposition(fitted, values[: 5 * DAY])
    np.testing.assert_allclose(parts[: 5 * DAY], early, atol=1e-9)
    assert decomposition(fit("level", values), values) is None


def test_a_model_that_can_use_holidays_learns_what_they_do():
    values = np.round(50 + np.random.default_rng(2).normal(0, 1, 12 * DAY))
    days = [Span(START + pd.Timedelta(days=day), START + pd.Timedelta(days=day + 1)) for day in (3, 6, 11)]
    holidays = holidays_of(tuple(days), START, len(values))
    values[holidays.days[: len(values)]] -= 30
    first = 11 * DAY  # the last day is a holiday: its first slot is told apart by the calendar alone
    for model in ("seasonal", "sarimax"):
        mean = fit(model, values[:first], holidays).means(values[:first], np.array([first]), np.array([1]))
        assert mean[0, 0] == pytest.approx(20, abs=4)
        plain = fit(model, values[:first]).means(values[:first], np.array([first]), np.array([1]))
        assert plain[0, 0] > 45


def test_lightgbm_is_asked_for_in_one_sentence_where_it_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(EnergyError, match="pip install lightgbm"):
        fit("lightgbm", noisy_days(3))


def test_the_features_of_an_origin_read_nothing_from_it_on():
    values = noisy_days(9)
    origins, ahead = np.array([0, 1, 300, 1200]), np.array([1, 6, 18, 144])
    for row, origin in enumerate(origins):
        later = np.r_[values[:origin], np.full(len(values) - origin, 999.0)]
        table = [features(each, origins, ahead, None)[row] for each in (values, later)]
        np.testing.assert_array_equal(*table)


def test_the_seasonal_model_learns_a_daily_wave_that_the_last_value_misses():
    values = noisy_days(8, missing=0.0)
    first = 6 * DAY
    mae = {
        model: horizon_accuracy(
            values, rolling_forecast(fit(model, values[:first]), values, 30), slice(first, None)
        )["mae"]
        for model in ("last", "seasonal", "sarimax", "holt-winters")
    }
    assert max(mae["sarimax"], mae["holt-winters"]) < 0.7 * mae["last"]
    assert mae["seasonal"] < 0.6 * mae["last"]


@pytest.mark.parametrize("model", ALL)
def test_a_constant_and_zeros_are_forecast_as_they_are(model):
    for constant in (0.0, 7.0):
        values = np.full(3 * DAY, constant)
        ahead = outlook(fit(model, values), values, DAY)
        for bound in (ahead.mean, ahead.low, ahead.high):
            np.testing.assert_allclose(bound, constant, atol=1e-3)


def test_accuracy_by_hand():
    actual = np.array([0.0, 4.0, np.nan, 10.0])
    narrow = (np.array([0.0, 5.0, 5.0, 9.0]), np.array([0.0, 7, 5, 11]))
    wide = (np.array([0.0, 4.0, 5.0, 9.0]), np.array([0.0, 8, 5, 11]))
    given = Forecast(np.array([0.0, 6.0, 5.0, 10.0]), *narrow, *wide)
    last = np.array([1.0, 4.0, 4.0, 4.0])
    assert horizon_accuracy(actual, given, slice(0, None), last) == {
        "n": 3,
        "mae": pytest.approx(2 / 3),
        "rmse": pytest.approx((4 / 3) ** 0.5),
        "smape": pytest.approx(0.4 / 3),  # 0 ÷ 0 counts as 0
        "coverage_80": pytest.approx(2 / 3),
        "width_80": pytest.approx(4 / 3),
        "coverage_80_interval": None,  # a single day says nothing of the next
        "skill": pytest.approx(1 - 2 / 7),
        "coverage_95": 1,
        "width_95": pytest.approx(2),
        "coverage_95_interval": None,
    }


def test_the_interval_of_a_coverage_is_that_of_its_days():
    days = np.repeat([10.0] + [0.0] * 7, DAY)
    bound = np.ones(len(days))
    given = Forecast(0 * bound, 0 * bound, bound, 0 * bound, 10 * bound)
    row = horizon_accuracy(days, given, slice(0, None))
    half = 2.3646 * 0.125  # t of 7 degrees of freedom × the standard error of one miss in 8 days
    assert row["coverage_80_interval"] == [pytest.approx(0.875 - half, abs=1e-4), 1]
    assert row["coverage_95_interval"] == [1, 1]


def test_accuracy_of_no_target_is_unknown_and_not_zero():
    nothing = np.array([np.nan])
    row = horizon_accuracy(nothing, Forecast(*[nothing] * 5), slice(0, None), nothing)
    assert row.pop("n") == 0
    assert row
    assert all(figure is None for figure in row.values())


def test_a_forecast_follows_its_series_with_an_interval_around_its_mean():
    values = noisy_days(4)
    time = pd.date_range("2020-09-01", periods=len(values), freq="10min")
    ahead = forecast(pd.DataFrame({"time": time, "used": values, "total": 200.0}), 30)
    assert ahead["time"].iloc[0] == time[-1] + pd.Timedelta("10min")
    assert (ahead["low"] <= ahead["high"]).all()
    assert len(ahead) == 30


def test_an_unknown_model_is_refused_with_the_known_ones():
    with pytest.raises(EnergyError, match="choose one of last, day, week, level, seasonal, sarimax"):
        fit("oracle", np.zeros(3))
