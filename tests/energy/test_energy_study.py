"""Whole runs: nothing reads the future, odd inputs, and the real Philly series."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from energy import (
    HORIZONS_S,
    MODELS,
    PRESETS,
    Boot,
    CesParameters,
    EnergyError,
    Overrule,
    Span,
    forecast_study,
    study,
)

START = pd.Timestamp("2020-09-01")
SLOT = pd.Timedelta("10min")
DAY = 144
EAGER = CesParameters(2, 6, 0.1, 0, 1, 2, 2)
NO_TREES = pytest.mark.skipif(find_spec("lightgbm") is None, reason="lightgbm is optional and not installed")
ALL = [pytest.param(model, marks=NO_TREES if model == "lightgbm" else ()) for model in MODELS]


def series(used, total=60.0, freq="10min"):
    return pd.DataFrame(
        {
            "time": pd.date_range(START, periods=len(used), freq=freq),
            "used": np.asarray(used, float),
            "total": total,
        }
    )


def wandering(slots, seed=5):
    steps = np.random.default_rng(seed).integers(-2, 3, slots)
    return (30 + steps.cumsum()).clip(0, 60).astype(float)


def run(frame, days=(2, 3), model="last", **options):
    window = (START + pd.Timedelta(days=day) for day in days)
    return study(frame, *window, controller=options.pop("controller", EAGER), model=model, **options)


@pytest.mark.parametrize("model", ["last", "seasonal"])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changing_every_actual_from_a_slot_on_changes_no_forecast_and_no_awake_count_up_to_it(model, data):
    used = wandering(int(2.6 * DAY))
    cut = data.draw(st.integers(2 * DAY + 1, len(used) - 1))
    later = (
        np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 61, len(used) - cut).astype(float)
    )
    later[: data.draw(st.integers(0, 40))] = data.draw(st.sampled_from([np.nan, 0.0, 60.0]))
    horizon_s = data.draw(st.sampled_from(HORIZONS_S))
    boot_s = data.draw(st.sampled_from([0, 1800]))
    options = {"days": (2, 2.6), "model": model, "shown_horizon_s": horizon_s, "boot": Boot(boot_s)}
    before, after = (run(series(values), **options) for values in (used, np.r_[used[:cut], later]))
    decided = ["time", "forecast_mean", "forecast_low", "forecast_high", "awake", "booting"]
    upto = slice(0, cut - 2 * DAY + 1)
    pd.testing.assert_frame_equal(
        before.slots[decided][upto], after.slots[decided][upto], rtol=1e-9, atol=1e-9
    )


def test_rows_after_the_window_change_nothing_at_all():
    used = wandering(5 * DAY)
    before, after = run(series(used)), run(series(np.r_[used[: 3 * DAY], used[3 * DAY :] + 9]))
    assert before.document == after.document
    pd.testing.assert_frame_equal(before.outlook, after.outlook)


def test_a_run_gives_the_contracts_keys_in_numbers_or_null():
    result = run(series(wandering(4 * DAY)), model="seasonal")
    document = json.loads(json.dumps(result.document, allow_nan=False))
    assert list(document) == ["forecast", "controller", "result"]
    assert document["forecast"]["model"] == "seasonal"
    rows = document["forecast"]["horizons"]
    assert [row["horizon_s"] for row in rows] == [600, 3600, 10800, 18000, 86400]
    assert [row["n"] for row in rows] == [144, 139, 127, 115, 1]
    contract = {"horizon_s", "n", "mae", "rmse", "smape", "coverage_80", "width_80", "skill", "coverage_95"}
    assert contract <= set(rows[0])
    assert result.backtest["model"].unique().tolist() == ["seasonal", "last", "day"]
    assert len(result.slots) == document["result"]["slots"] == 144
    assert len(result.outlook) == 144
    assert result.outlook["time"].iloc[0] == START + pd.Timedelta(days=3)
    np.testing.assert_allclose(result.slots["awake"] + result.slots["asleep"], 60)


def test_the_forecast_shown_is_the_one_made_the_shown_horizon_before():
    used = wandering(3 * DAY)
    slots = run(series(used), shown_horizon_s=3600).slots
    np.testing.assert_array_equal(slots["forecast_mean"], used[2 * DAY - 6 : 3 * DAY - 6])


def test_a_forecast_study_is_the_same_without_the_controller():
    frame = series(wandering(4 * DAY))
    whole = run(frame)
    alone = forecast_study(frame, START + pd.Timedelta(days=2), START + pd.Timedelta(days=3), model="last")
    assert alone.document == {"forecast": whole.document["forecast"]}
    assert "awake" not in alone.slots


def test_progress_rises_to_one_and_speaks():
    said = []
    run(series(wandering(3 * DAY)), progress=lambda fraction, sentence: said.append((fraction, sentence)))
    assert [fraction for fraction, _ in said] == sorted(fraction for fraction, _ in said)
    assert said[-1][0] == 1
    assert all(sentence for _, sentence in said)


def test_zeros_of_a_replay_are_demand_when_outages_are_not_looked_for():
    frame = series(np.r_[np.full(2 * DAY + 20, 30.0), np.zeros(DAY)])
    assert run(frame).document["result"]["slots_missing"] == DAY - 20
    assert run(frame, outages=False).document["result"]["slots_missing"] == 0


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize(
    "frame",
    [
        series(np.zeros(3 * DAY)),
        series(np.full(3 * DAY, 7)),
        series(np.r_[np.zeros(3 * DAY - 1), 1]),
        series(np.where(np.arange(3 * DAY) % 3 == 0, np.nan, wandering(3 * DAY))),
        series(wandering(3 * 24), freq="1h"),
        series(wandering(4000), freq="65s"),
        pd.concat([series(wandering(3 * DAY))] * 2),
        series(wandering(3 * DAY), total=np.where(np.arange(3 * DAY) % 5 == 0, np.nan, 60)),
        series(np.zeros(3 * DAY), total=0.0),
    ],
    ids=[
        "zeros",
        "constant",
        "one-step",
        "holes",
        "hourly",
        "irregular",
        "duplicates",
        "total-holes",
        "no-nodes",
    ],
)
def test_odd_series_give_finite_answers(frame, model):
    window = (START + pd.Timedelta(days=2), START + pd.Timedelta(days=3))
    result = forecast_study(frame, *window, model=model)
    json.dumps(result.document, allow_nan=False)
    assert np.isfinite(result.outlook["mean"]).all()
    assert result.document["forecast"]["horizons"][0]["mae"] is not None


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (series([5.0]), "at least 48 known slots"),
        (series(wandering(DAY)), "no known value between"),
        (series(np.full(3 * DAY, np.nan)), "at least 48 known slots"),
        (series(np.r_[wandering(2 * DAY), np.full(DAY, np.nan)]), "no known value between"),
        (series(wandering(3 * DAY), total=np.nan), "how many nodes are present"),
        (series(wandering(3 * DAY)).iloc[:0], "no row"),
        (series(wandering(3 * DAY)).iloc[1:], "at least 2 days of data before"),
    ],
)
def test_series_that_cannot_be_answered_are_refused_with_one_sentence(frame, says):
    with pytest.raises(EnergyError, match=says):
        run(frame)


def test_windows_and_options_out_of_range_are_refused_with_one_sentence():
    frame = series(wandering(3 * DAY))
    with pytest.raises(EnergyError, match="window is empty"):
        run(frame, days=(3, 2))
    with pytest.raises(EnergyError, match="boot time"):
        Boot(time_s=-1)
    with pytest.raises(EnergyError, match="no forecast model 'nope'"):
        run(frame, model="nope")
    with pytest.raises(EnergyError, match="horizon shown"):
        run(frame, shown_horizon_s=601)


def test_importing_the_room_does_not_import_statsmodels():
    code = "import sys, energy; sys.exit('statsmodels' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0


@pytest.fixture(scope="module")
def philly(shared):
    rows = pd.read_csv(shared / "data/philly/nodes_until_2017-11-30.csv", parse_dates=["time"])
    return rows.rename(columns={"active": "used"})


FORTNIGHT = (pd.Timestamp("2017-11-17"), pd.Timestamp("2017-12-01"))


def test_on_philly_ces_keeps_nodes_asleep_within_what_is_possible(philly):
    figures = study(philly, *FORTNIGHT, controller=PRESETS["Philly"], model="level").document["result"]
    assert figures["mean_total_nodes"] == 420
    assert figures["mean_sleeping_nodes"] + figures["mean_awake_nodes"] == pytest.approx(420)
    most = 130.9  # what perfect knowledge could put to sleep
    assert 90 < figures["mean_sleeping_nodes"] < most
    assert figures["wake_ups_per_day"] * 14 <= figures["lack_events"]


def test_the_operators_overrule_and_holidays_reach_the_forecast():
    frame = series(np.r_[np.full(2 * DAY + 20, 30.0), np.zeros(10), np.full(DAY - 30, 30.0)])
    hour = Span(START + pd.Timedelta("51h 20min"), START + pd.Timedelta("52h"))
    day = Span(START + pd.Timedelta(days=2), START + pd.Timedelta(days=3))
    plain, kept = (
        run(frame, model="seasonal", overrule=Overrule(keep=keep), holidays=(day,)) for keep in ((), (hour,))
    )
    assert [mark["slots"] for mark in plain.document["forecast"]["marks"]] == [10]
    assert [mark["kept"] for mark in kept.document["forecast"]["marks"]] == [True, False]
    assert kept.document["result"]["slots_missing"] == 6
    holidays = {"training_slots": 0, "window_slots": DAY, "used_by_model": True}
    assert plain.document["forecast"]["holidays"] == holidays


def test_what_was_fitted_on_what_is_recorded():
    document = run(series(wandering(14 * DAY)), days=(12, 14), model="auto").document["forecast"]
    [fit] = document["fits"]
    assert document["chosen"] == fit["model"] == "level"
    assert fit["trained_from"] == "2020-09-01T00:00:00Z"
    assert fit["trained_to"] == "2020-09-13T00:00:00Z"
    assert fit["known_slots"] == 12 * DAY
    assert fit["used_to"] == "2020-09-15T00:00:00Z"
    assert "statsmodels" in fit["fitted_by"]
    assert document["decision"]["from"] == "2020-09-07T00:00:00Z"
    assert {row["verdict"] for row in document["decision"]["models"]} <= {
        "better",
        "worse",
        "no measurable difference",
    }


def test_the_last_value_on_philly_equals_a_plain_computation(philly):
    slots = philly.set_index("time")["used"].resample("10min").max()
    window = slots[FORTNIGHT[0] : FORTNIGHT[1]]
    document = forecast_study(philly, *FORTNIGHT, model="last").document
    for row in document["forecast"]["horizons"]:
        step = row["horizon_s"] // 600
        error = (slots.shift(step) - slots)[window.index[step - 1] :]
        assert row["mae"] == pytest.approx(error.abs().mean())
