"""The frontier's figure, and the sentence on whether the forecast is worth it."""

import numpy as np
import pandas as pd

from components.figures import frontier as figures
from components.figures.decomposition import decomposition, parts_of
from components.frontier_summary import best_curve, forecast_verdict

POINTS = pd.DataFrame(
    [
        ("always_on", None, np.nan, 0.0, 0),
        ("drs", None, np.nan, 40.0, 900),
        ("ces", "none", 10.0, 20.0, 8),
        ("ces", "none", 5.0, 25.0, 20),
        ("ces", "level", 5.0, 27.0, 21),
        ("margin", None, 5.0, 30.0, 15),
        ("quantile", "true future", np.nan, 33.0, 0),
    ],
    columns=["controller", "forecast", "parameter", "mean_sleeping_nodes", "lack_events"],
)


def gain(mean: float | None, least: float | None, controller: str = "ces") -> dict:
    names = {"controller": controller, "forecast": "auto", "instead_of": "last"}
    return names | {"mean_nodes": mean, "least_nodes": least}


def test_each_controller_and_forecast_is_a_line_in_the_order_of_its_parameter():
    drawn = {line.name: line for line in figures.frontier(POINTS).data}
    assert list(drawn) == [
        "Margin",
        "CES, no forecast",
        "CES, level",
        "Demand following",
        "Quantile, true future",
    ]
    assert list(drawn["CES, no forecast"].x) == [20, 8]
    assert list(drawn["CES, no forecast"].y) == [25, 20]


def test_the_true_future_is_grey_and_forecasts_of_a_controller_differ_in_line_style():
    drawn = {line.name: line for line in figures.frontier(POINTS).data}
    assert drawn["Quantile, true future"].line.color == figures.GREY
    one, other = drawn["CES, no forecast"].line, drawn["CES, level"].line
    assert one.color == other.color and one.dash != other.dash


def test_what_lacks_far_more_often_does_not_squeeze_the_others_and_the_run_is_ringed():
    figure = figures.frontier(POINTS, (15.0, 30.0), 10.0)
    assert figure.layout.xaxis.range[1] < 30
    assert figure.data[-1].name == "this run" and list(figure.data[-1].x) == [15.0]
    low, high = figure.layout.yaxis.range
    assert 0 < low < 20 and 33 < high < 40


def test_a_forecast_that_gains_nothing_adds_nothing():
    assert "“automatic: level” adds nothing" in forecast_verdict({"forecasts": [gain(0.0, -1.0)]}, "level")


def test_a_gain_that_changes_sign_is_no_clear_difference():
    assert "no clear difference" in forecast_verdict({"forecasts": [gain(0.7, -0.2)]})


def test_a_clear_gain_is_told_with_its_nodes():
    said = forecast_verdict({"forecasts": [gain(0.7, 0.1), gain(-1.0, -2.0, "quantile")]})
    assert "lets CES put 0.7 nodes more to sleep than the last value" in said and "Quantile" not in said


def test_lines_that_share_no_number_of_lack_events_are_not_compared():
    assert "not compared" in forecast_verdict({"forecasts": [gain(None, None)]})


def test_the_best_controller_is_never_the_one_that_knows_the_future():
    rows = [("margin", None, 12.0), ("quantile", "true future", 15.0), ("ces", "level", None)]
    curves = [
        {"controller": name, "forecast": forecast, "mean_sleeping_nodes": asleep}
        for name, forecast, asleep in rows
    ]
    assert "Margin lets the most nodes sleep, 12.0" in best_curve({"at_lack_events": 10.0, "curves": curves})


def test_a_demand_taken_apart_has_a_panel_per_part_and_none_for_holidays_that_were_not():
    time = pd.date_range("2020-09-01", periods=3, freq="10min")
    parts = {"level": [5.0, 5.0, 5.0], "day": [1.0, 0.0, -1.0], "week": 0.0, "holiday": 0.0}
    slots = pd.DataFrame({"local_time": time, **parts, "remainder": [0.0, np.nan, 0.5]})
    assert parts_of(slots) == ["level", "day", "week", "remainder"]
    figure = decomposition(slots, "UTC")
    assert [line.name for line in figure.data] == ["level", "day", "week", "remainder"]
    assert list(figure.data[1].y) == [1.0, 0.0, -1.0]
    assert len({line.yaxis for line in figure.data}) == 4
