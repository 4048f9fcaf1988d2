"""The figures of a replay: the numbers in them are those of the frame."""

import numpy as np
import pandas as pd
import pytest

from components.figures import scheduling as figures
from components.policies import policy_label
from components.theme import POLICIES
from tests.components.text import plain


def by_name(figure) -> dict:
    return {trace.name: trace for trace in figure.data}


def test_bars_keep_the_order_of_the_vcs_and_leave_unknown_averages_out():
    rows = pd.DataFrame(
        {
            "policy": ["fifo", "fifo", "qssf", "qssf"],
            "label": ["b", "a", "b", "a"],
            "avg_queueing_delay_s": [7200.0, np.nan, 600.0, 60.0],
        }
    )
    bars = by_name(figures.averages_by_vc(rows, "avg_queueing_delay_s", "average queueing delay"))
    assert list(bars["FIFO"].x) == ["b", "a"]
    assert bars["FIFO"].y[0] == 7200 and np.isnan(bars["FIFO"].y[1])
    assert list(bars["QSSF"].y) == [600, 60]
    assert [plain(text) for text in bars["QSSF"].customdata] == ["10 min", "1 min"]


def test_a_policy_has_the_same_color_in_every_figure_and_a_second_mark_beside_it():
    rows = pd.DataFrame({"policy": list(POLICIES), "label": "a", "avg_jct_s": 1.0})
    bars = by_name(figures.averages_by_vc(rows, "avg_jct_s", "average JCT"))
    curve = pd.DataFrame({"policy": list(POLICIES), "queueing_delay_s": 5.0, "share": 1.0})
    lines = by_name(figures.queueing_delay_cdf(curve))
    for policy, (color, dash, _) in POLICIES.items():
        assert bars[policy_label(policy)].marker.color == lines[policy_label(policy)].line.color == color
        assert lines[policy_label(policy)].line.dash == dash
    marks = {(bar.marker.pattern.shape, lines[name].line.width) for name, bar in bars.items()}
    assert len(marks) == len(POLICIES)


def test_qssf_is_drawn_over_the_others_and_keeps_its_place_in_the_legend():
    curve = pd.DataFrame({"policy": list(POLICIES), "queueing_delay_s": 5.0, "share": 1.0})
    drawn = figures.queueing_delay_cdf(curve).data
    assert drawn[-1].name == "QSSF"
    assert [line.name for line in sorted(drawn, key=lambda line: line.legendrank)][:2] == ["FIFO", "QSSF"]


def test_the_delay_curve_begins_at_a_second_with_the_share_that_did_not_wait():
    curve = pd.DataFrame(
        {"policy": "fifo", "queueing_delay_s": [0.0, 0.5, 30.0, 4000.0], "share": [0.6, 0.7, 0.9, 1.0]}
    )
    figure = figures.queueing_delay_cdf(curve)
    [line] = figure.data
    assert list(line.x) == [1, 30, 4000]
    assert list(figure.layout.yaxis.range) == [70, 102]  # what is below is empty
    assert list(line.y) == pytest.approx([70, 90, 100])


def test_a_curve_of_jobs_that_all_waited_begins_at_zero():
    curve = pd.DataFrame({"policy": "sjf", "queueing_delay_s": [10.0, 20.0], "share": [0.5, 1.0]})
    figure = figures.queueing_delay_cdf(curve)
    [line] = figure.data
    assert figure.layout.yaxis.range[0] == 0
    assert list(line.x) == [1, 10, 20] and list(line.y) == pytest.approx([0, 50, 100])


def test_an_empty_delay_curve_is_a_figure_without_lines():
    empty = pd.DataFrame({"policy": [], "queueing_delay_s": [], "share": []})
    assert len(figures.queueing_delay_cdf(empty).data) == 0


def test_lines_over_time_have_at_most_1500_points_and_keep_their_peak():
    number = 20_000
    waiting = np.zeros(number)
    waiting[12_345] = 777
    series = pd.DataFrame(
        {
            "policy": "fifo",
            "local_time": pd.date_range("2020-04-01", periods=number, freq="10min"),
            "waiting_jobs": waiting,
            "utilization": 0.25,
        }
    )
    [line] = figures.waiting_jobs(series, "UTC").data
    assert len(line.x) <= 1500 and max(line.y) == 777
    [line] = figures.utilization(series, "UTC").data
    assert len(line.x) <= 1500 and set(line.y) == {25.0}


@pytest.mark.parametrize(
    ("largest_s", "labels"),
    [
        (50, ["0", "10 s", "20 s", "30 s", "40 s", "50 s", "1 min"]),
        (9000, ["0", "30 min", "1 h", "90 min", "2 h", "150 min", "3 h"]),
        (3 * 86400, ["0", "1 d", "2 d", "3 d", "4 d"]),
        (0, ["0", "1 s", "2 s"]),
        (float("nan"), ["0", "1 s", "2 s"]),
    ],
)
def test_a_linear_axis_of_durations_has_ticks_that_people_know(largest_s, labels):
    figure = figures.blank()
    figures.linear_duration_axis(figure, largest_s)
    assert list(figure.layout.yaxis.ticktext)[: len(labels)] == labels
    assert len(figure.layout.yaxis.ticktext) <= figures.TICKS + 2


@pytest.mark.parametrize("largest_s", [1.0, 77.0, 5e3, 1e5, 1e7, 3e8, 1e11])
def test_an_axis_has_few_ticks_however_long_the_duration(largest_s):
    figure = figures.blank()
    figures.linear_duration_axis(figure, largest_s)
    ticks = figure.layout.yaxis.tickvals
    assert 2 <= len(ticks) <= figures.TICKS + 3 and max(ticks) >= largest_s
