"""The frontier's rows, and the comparison at equal lack events."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from energy import PRESETS, Boot, Margin, Quantile
from energy.consequences import controlled, result
from energy.demand import slots_from_series
from energy.family import fit
from energy.foresight import model_foresight
from energy.frontier import COLUMNS, NODE_COUNTS, comparison, frontier_document, node_counts
from energy.outages import mark_outages

SWEPT = {"ces": PRESETS["Philly"], "margin": Margin(), "quantile": Quantile(ahead_slots=12)}


def demand(slots=700, seed=2):
    walk = np.random.default_rng(seed).integers(-2, 3, slots).cumsum()
    return np.round(60 + 50 * np.sin(walk / 25))


def window_of(used, total, window):
    time = pd.date_range("2020-09-01", periods=len(used), freq="10min")
    return pd.DataFrame({"time": time, "used": used, "total": total}).iloc[-window:].reset_index(drop=True)


@pytest.fixture(scope="module")
def document():
    used, total = demand(), np.full(700, 130.0)
    models = {"last": fit("last", used[:400]), "day": fit("day", used[:400])}
    return frontier_document(window_of(used, total, 300), used, total, SWEPT, models, Boot())


def curve(document, controller, forecast):
    return [
        row for row in document["frontier"] if row["controller"] == controller and row["forecast"] == forecast
    ]


def test_the_frontier_has_every_controller_the_plain_baselines_and_the_limit(document):
    kinds = {(row["controller"], row["forecast"]) for row in document["frontier"]}
    assert kinds == {
        ("always_on", None),
        ("drs", None),
        ("margin", None),
        *(("ces", forecast) for forecast in ("none", "last", "day", "true future")),
        *(("quantile", forecast) for forecast in ("last", "day", "true future")),
    }
    assert all(list(row) == list(COLUMNS) for row in document["frontier"])
    assert [row["parameter"] for row in curve(document, "ces", "last")] == list(range(5, 65, 5))
    json.dumps(document, allow_nan=False)


def test_the_ends_of_the_frontier_are_no_node_asleep_and_a_lack_at_every_rise(document):
    [on], [follow] = curve(document, "always_on", None), curve(document, "drs", None)
    assert (on["mean_sleeping_nodes"], on["lack_events"], on["wake_ups_per_day"]) == (0, 0, 0)
    used = demand()
    assert follow["lack_events"] == (np.diff(used[399:]) > 0).sum()


def test_a_larger_buffer_or_margin_puts_fewer_nodes_to_sleep(document):
    for controller, forecast in (("ces", "none"), ("margin", None)):
        asleep = [row["mean_sleeping_nodes"] for row in curve(document, controller, forecast)]
        assert asleep[0] > asleep[-1] + 20


def test_the_limit_lacks_nothing_where_it_wakes_for_the_true_peak(document):
    [limit] = curve(document, "quantile", "true future")
    assert limit["lack_events"] == 0
    assert limit["parameter"] is None


def table(*points):
    rows = [
        dict.fromkeys(COLUMNS, 0.0)
        | {
            "controller": controller,
            "forecast": forecast,
            "lack_events": lacks,
            "mean_sleeping_nodes": asleep,
        }
        for controller, forecast, lacks, asleep in points
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_curves_are_compared_linearly_between_sweep_points_and_never_beyond_them():
    points = table(("margin", None, 5, 50.0), ("margin", None, 15, 70.0), ("ces", "none", 12, 60.0))
    found = {row["controller"]: row["mean_sleeping_nodes"] for row in comparison(points, 10)["curves"]}
    assert found == {"margin": 60.0, "ces": None}


def test_a_forecast_that_adds_nothing_is_said_to():
    points = table(
        *(("ces", "none", lacks, 50.0 + lacks) for lacks in (0, 10)),
        *(("ces", "last", lacks, 40.0 + lacks) for lacks in (0, 10)),
        *(("ces", "day", lacks, 45.0 + lacks) for lacks in (2, 20)),
    )
    none, last = comparison(points, 5)["forecasts"]
    assert (none["instead_of"], last["instead_of"]) == ("none", "last")
    assert none["mean_nodes"] == pytest.approx(-5)
    assert "adds nothing" in none["sentence"]
    assert (last["from_lack_events"], last["to_lack_events"]) == (2, 10)
    assert last["least_nodes"] == pytest.approx(5)
    assert "5.0 nodes more" in last["sentence"]


def test_a_gain_that_changes_sign_is_no_clear_difference():
    points = table(
        ("ces", "none", 0, 50.0), ("ces", "none", 10, 50.0), ("ces", "day", 0, 48.0), ("ces", "day", 10, 60.0)
    )
    [row] = comparison(points, 5)["forecasts"]
    assert "no clear difference" in row["sentence"]


def test_curves_without_a_common_lack_count_are_not_compared():
    [row] = comparison(table(("ces", "none", 0, 50.0), ("ces", "day", 5, 60.0)), 5)["forecasts"]
    assert row["mean_nodes"] is None
    assert "in common" in row["sentence"]


def test_small_clusters_are_swept_up_to_half_their_nodes():
    assert node_counts(420) == list(range(5, 65, 5))
    assert node_counts(6) == [1, 2, 3]
    assert node_counts(24) == list(range(1, 13))


@pytest.fixture(scope="module")
def philly(shared):
    rows = pd.read_csv(shared / "data/philly/nodes_until_2017-11-30.csv", parse_dates=["time"])
    return mark_outages(slots_from_series(rows.rename(columns={"active": "used"})))


def figures(slots, days, controller, forecast=None):
    """The result of a fortnight and the nodes asleep, with a model fitted on what came before."""
    first, stop = (int((slots["time"] < pd.Timestamp(each)).sum()) for each in days)
    used, total = (slots[name].to_numpy(float)[:stop] for name in ("used", "total"))
    foresight = None
    if forecast is not None:
        fitted = fit(forecast, used[:first])
        foresight = model_foresight(forecast, fitted, used, stop - first, controller.steps(1))
    window = slots.iloc[first:stop].reset_index(drop=True)
    return result(controlled(window, used, total, controller, foresight, Boot()))


# The defaults of the proactive controllers were chosen on 20 October - 16 November.
TEST_FORTNIGHT = ("2017-11-17", "2017-12-01")


def best_plain_ces(slots, days):
    """With Philly's preset (xi_p = 0) the last value never objects, so that it is CES without a forecast."""
    made = [figures(slots, days, replace(PRESETS["Philly"], buffer_nodes=count)) for count in NODE_COUNTS]
    return max(each["mean_sleeping_nodes"] for each in made if each["lack_events"] <= 10)


def test_on_philly_waking_before_the_lack_keeps_at_least_five_more_nodes_asleep(philly):
    best = best_plain_ces(philly, TEST_FORTNIGHT)
    assert best == pytest.approx(95.1, abs=0.1)
    for controller, forecast in ((Margin(), None), (Quantile(), "level")):
        made = figures(philly, TEST_FORTNIGHT, controller, forecast)
        assert made["lack_events"] <= 10
        assert made["wake_ups_per_day"] <= 3
        assert made["mean_sleeping_nodes"] >= best + 5


def test_on_philly_ces_with_the_last_value_is_ces_without_a_forecast(philly):
    preset = PRESETS["Philly"]
    assert figures(philly, TEST_FORTNIGHT, preset, "last") == figures(philly, TEST_FORTNIGHT, preset)
