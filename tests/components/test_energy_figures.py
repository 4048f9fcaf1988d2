"""The figure of an energy run: the numbers in it are those of the frame, and what is missing is marked."""

import numpy as np
import pandas as pd
import pytest

from components.figures.energy import asleep_area, missing_runs, node_demand
from components.theme import NODE_SERIES, SCHEMES, token
from tests.components.test_theme import contrast


def slots(number: int = 12, **columns) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "local_time": pd.date_range("2020-09-01", periods=number, freq="10min"),
            "used": np.arange(number, dtype=float),
            "total": 50.0,
            "awake": [10.0] * (number // 2) + [20.0] * (number - number // 2),
            "forecast_mean": 5.0,
            "forecast_low": 4.0,
            "forecast_high": 7.0,
            "missing": pd.Series([None] * number, dtype="str"),
        }
    )
    return frame.assign(**columns)


def outlook(number: int = 6) -> pd.DataFrame:
    time = pd.date_range("2020-09-02", periods=number, freq="10min")
    return pd.DataFrame({"local_time": time, "mean": 5.0, "low": 3.0, "high": 8.0})


def lines(figure) -> dict:
    return {trace.name: trace for trace in figure.data if trace.showlegend is not False}


def test_used_nodes_are_drawn_as_they_are_and_awake_ones_as_steps():
    drawn = lines(node_demand(slots(), outlook(), "UTC"))
    assert list(drawn["in use"].y) == list(range(12))
    assert list(drawn["awake"].y) == [10, 20, 20] and drawn["awake"].line.shape == "hv"
    assert list(drawn["forecast"].y) == [5.0] * 12


def test_the_forecast_goes_on_for_the_outlook_with_its_band():
    figure = node_demand(slots(), outlook(), "UTC")
    beyond = [trace for trace in figure.data if trace.name == "forecast"][1]
    assert list(beyond.x) == list(outlook()["local_time"])
    bands = [trace for trace in figure.data if trace.name == "80 % interval"]
    assert [band.y[0] for band in bands] == [7, 8]
    assert all(band.fill == "tonexty" for band in bands)


def test_a_forecast_without_a_controller_has_no_awake_nodes():
    names = {trace.name for trace in node_demand(slots().drop(columns="awake"), outlook(), "UTC").data}
    assert "awake" not in names and {"in use", "forecast"} <= names


def test_missing_slots_stay_gaps_and_each_stretch_says_why():
    reasons = pd.Series([None, "gap", "gap", None, "zero run", "gap"] + [None] * 6, dtype="str")
    used = slots()["used"].mask(reasons.notna())
    figure = node_demand(slots(missing=reasons, used=used), outlook(), "UTC")
    assert np.isnan(lines(figure)["in use"].y[1])
    assert list(lines(figure)["missing"].customdata) == ["gap, 2 slots", "zero run, 1 slot", "gap, 1 slot"]
    assert sum(shape.type == "rect" for shape in figure.layout.shapes) == 3


def test_a_stretch_of_missing_slots_ends_with_its_last_slot():
    reasons = pd.Series([None, "gap", "gap"] + [None] * 9, dtype="str")
    [run] = missing_runs(slots(missing=reasons)).itertuples()
    assert (run.start, run.end) == (pd.Timestamp("2020-09-01 00:10"), pd.Timestamp("2020-09-01 00:30"))


def test_a_window_in_which_nothing_is_known_is_still_a_figure():
    unknown = slots(used=np.nan, forecast_mean=np.nan, forecast_low=np.nan, forecast_high=np.nan)
    assert node_demand(unknown.assign(missing="gap"), outlook(0), "UTC").data


def test_no_line_has_more_than_1500_points():
    random = np.random.default_rng(3)
    long = slots(
        30_000, used=random.integers(0, 40, 30_000).astype(float), awake=random.integers(0, 50, 30_000)
    )
    assert max(len(trace.x) for trace in node_demand(long, outlook(), "UTC").data) <= 1500


def test_the_area_of_sleeping_nodes_breaks_where_the_nodes_present_are_unknown():
    total = pd.Series([50.0] * 3 + [np.nan] * 2 + [50.0] * 7)
    area = asleep_area(slots(total=total))
    [gap] = np.flatnonzero(area["nodes"].isna())
    first, second = area.iloc[:gap], area.iloc[gap + 1 :]
    assert set(first["nodes"]) == {10, 50} and set(second["nodes"]) == {10, 20, 50}
    assert first["time"].max() == pd.Timestamp("2020-09-01 00:30")
    assert second["time"].min() == pd.Timestamp("2020-09-01 00:50")
    assert second["time"].max() == pd.Timestamp("2020-09-01 02:00")


def test_an_outline_encloses_the_sleeping_node_hours():
    area = asleep_area(slots())
    hours = (area["time"] - area["time"].min()).dt.total_seconds().to_numpy() / 3600
    nodes = area["nodes"].to_numpy()
    enclosed = abs(np.dot(hours, np.roll(nodes, 1)) - np.dot(nodes, np.roll(hours, 1))) / 2
    assert np.isclose(enclosed, 1 * 40 + 1 * 30)  # an hour with 10 of 50 awake, an hour with 20


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_line_and_area_is_seen_on_the_card(scheme):
    weak = {name for name, (color, _) in NODE_SERIES.items() if contrast(color, token("surface", scheme)) < 3}
    assert weak == set()
    [asleep] = [trace for trace in node_demand(slots(), outlook(), "UTC").data if trace.name == "asleep"]
    assert (asleep.fillpattern.fgcolor, asleep.fillpattern.shape) == NODE_SERIES["asleep"]


def test_nothing_known_is_an_empty_outline():
    assert asleep_area(slots(total=np.nan)).empty
