"""How good forecasts are on real series: Philly's nodes and Venus's GPUs."""

import numpy as np
import pandas as pd
import pytest

from energy import forecast_study, mark_outages, slots_from_series

FORTNIGHT = (pd.Timestamp("2017-11-17"), pd.Timestamp("2017-12-01"))
FOUR_WEEKS = (pd.Timestamp("2017-10-20"), pd.Timestamp("2017-11-17"))
SEPTEMBER = (pd.Timestamp("2020-08-29"), pd.Timestamp("2020-09-29"))
UP_TO_5_H = [600, 3600, 10800, 18000]


@pytest.fixture(scope="module")
def philly(shared):
    rows = pd.read_csv(shared / "data/philly/nodes_until_2017-11-30.csv", parse_dates=["time"])
    return rows.rename(columns={"active": "used"})


@pytest.fixture(scope="module")
def venus(shared):
    rows = pd.read_csv(shared / "calibration/venus_hourly_series.csv", parse_dates=["time"])
    return rows.rename(columns={"running_gpus": "used", "total_gpus": "total"})


def horizons(series, window, model):
    document = forecast_study(series, *window, model=model).document
    return pd.DataFrame(document["forecast"]["horizons"]).set_index("horizon_s")


def assert_covers(rows):
    """Within 5 points of what is promised, up to 5 h ahead."""
    assert rows.loc[UP_TO_5_H, "coverage_80"].sub(0.8).abs().max() <= 0.05
    assert rows.loc[UP_TO_5_H, "coverage_95"].sub(0.95).abs().max() <= 0.05


@pytest.mark.parametrize("model", ["auto", "last", "seasonal"])
def test_on_philly_intervals_cover_and_the_model_is_hardly_worse_than_the_last_value(philly, model):
    rows = horizons(philly, FORTNIGHT, model)
    assert rows["n"].tolist() == [2016, 2011, 1999, 1987, 1873]
    assert (rows["skill"] >= -0.02).all()
    assert_covers(rows)
    low, high = rows.loc[86400, "coverage_80_interval"]
    assert low <= 0.8 <= high


def test_the_local_level_without_outages_beats_the_raw_last_value_on_philly(philly):
    rows = horizons(philly, FOUR_WEEKS, "level")
    assert_covers(rows)
    slots = mark_outages(slots_from_series(philly, FOUR_WEEKS[1]))
    raw, known = slots["recorded"].ffill(), slots["used"]
    first = int((slots["time"] < FOUR_WEEKS[0]).sum())
    for horizon_s, most in ((600, 0.98), (3600, 0.94), (10800, 0.92), (18000, 0.90), (86400, 0.80)):
        step = horizon_s // 600
        error = (raw.shift(step) - known)[first + step - 1 :].abs()
        assert rows.loc[horizon_s, "n"] == error.notna().sum()
        assert rows.loc[horizon_s, "mae"] <= most * error.mean()


@pytest.mark.parametrize("model", ["auto", "seasonal"])
def test_on_venus_the_day_is_worth_knowing_and_intervals_cover(venus, model):
    rows = horizons(venus, SEPTEMBER, model)
    assert rows.loc[10800, "skill"] >= 0.08
    assert rows.loc[18000, "skill"] >= 0.12
    assert_covers(rows)


def test_philly_stays_a_random_walk_for_every_fortnight_that_auto_decides(philly):
    starts = pd.date_range("2017-10-13", "2017-11-10", freq="14D")
    worst = [
        horizons(philly, (start, start + pd.Timedelta(days=14)), "auto")["skill"].min() for start in starts
    ]
    assert np.min(worst) >= -0.05
