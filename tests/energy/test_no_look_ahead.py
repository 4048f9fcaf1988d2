"""No forecast and no interval of a slot changes when that slot or a later one does, under any model."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import Span, mark_outages, slots_from_series
from energy.accuracy import STEPS
from energy.family import MODELS, fit
from energy.holidays import holidays_of
from energy.intervals import outlook, rolling_forecasts

START = pd.Timestamp("2020-09-01")
DAY = 144
TRAINED, SLOTS = 11 * DAY, 13 * DAY
NO_TREES = pytest.mark.skipif(find_spec("lightgbm") is None, reason="lightgbm is optional and not installed")
ALL = [pytest.param(model, marks=NO_TREES if model == "lightgbm" else ()) for model in MODELS]


def demand(seed=5):
    """Days of a wave on a random walk, in whole nodes, with missing slots."""
    rng = np.random.default_rng(seed)
    wave = 12 * np.sin(2 * np.pi * np.arange(SLOTS) / DAY)
    values = (80 + wave + rng.normal(0, 1, SLOTS).cumsum()).clip(0).round()
    values[rng.random(SLOTS) < 0.05] = np.nan
    return values


@pytest.fixture(scope="module", params=ALL)
def fitted(request):
    """Every model, fitted once on what comes before the window; holidays are known in advance."""
    days = tuple(Span(START + pd.Timedelta(days=day), START + pd.Timedelta(days=day + 1)) for day in (3, 11))
    return fit(request.param, demand()[:TRAINED], holidays_of(days, START, SLOTS))


changes = st.tuples(
    st.integers(TRAINED, SLOTS - 1),
    st.integers(0, 99),
    st.integers(0, 60),
    st.sampled_from([np.nan, 0.0, 500.0]),
)


@settings(max_examples=8, deadline=None)
@given(changes)
def test_changing_every_actual_from_a_slot_on_changes_no_forecast_of_a_slot_up_to_it(fitted, change):
    cut, seed, run, value = change
    before = demand()
    later = np.random.default_rng(seed).integers(0, 161, SLOTS - cut).astype(float)
    later[:run] = value
    after = np.r_[before[:cut], later]
    made, remade = (rolling_forecasts(fitted, values, STEPS) for values in (before, after))
    for step in STEPS:
        for name in ("mean", "low", "high", "low_95", "high_95"):
            np.testing.assert_allclose(
                getattr(made[step], name)[: cut + 1],
                getattr(remade[step], name)[: cut + 1],
                rtol=1e-9,
                atol=1e-9,
            )


@settings(max_examples=2, deadline=None)
@given(changes)
def test_the_outlook_from_a_slot_reads_nothing_from_it_on(fitted, change):
    cut, *_ = change
    ahead = outlook(fitted, demand()[:cut], 12)
    padded = rolling_forecasts(fitted, demand(), (1,))[1]
    assert ahead.mean[0] == pytest.approx(padded.mean[cut])
    assert ahead.low[0] == pytest.approx(padded.low[cut])


@settings(max_examples=50, deadline=None)
@given(st.integers(100, 290), st.integers(0, 99), st.sampled_from([0.0, 30.0, np.nan, 200.0]))
def test_marks_of_slots_before_a_change_stay(cut, seed, value):
    time = pd.date_range(START, periods=300, freq="10min")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"time": time, "used": rng.integers(60, 70, 300).astype(float), "total": 100.0})
    changed = frame.copy()
    changed.loc[cut:, "used"] = value
    changed.loc[cut:, "total"] = rng.choice([100.0, 50.0, 130.0])
    before, after = (mark_outages(slots_from_series(each)) for each in (frame, changed))
    pd.testing.assert_frame_equal(before[:cut], after[:cut])
