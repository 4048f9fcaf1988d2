"""Figures of when clusters are busy: the numbers are read out of the figure."""

import pandas as pd
import pytest

from components import published
from components.figures.rhythm import by_hour, size_mix, split_by_period, submissions_by_hour_and_weekday
from components.theme import SIZES, cluster_styles

CLUSTERS = ["Venus", "Earth"]


def hours() -> pd.DataFrame:
    rows = [(cluster, hour, hour / 100, 2.0 * hour) for cluster in ("Earth", "Venus") for hour in range(24)]
    return pd.DataFrame(rows, columns=["cluster", "hour", "utilization", "gpu_jobs_per_hour"])


def periods() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "cluster": ["Earth", "Venus", "Venus"],
            "period": pd.to_datetime(["2020-04-01", "2020-05-01", "2020-04-01"]),
            "single_jobs": [1, 2, 3],
            "multi_jobs": [10, 20, 30],
            "single_utilization": [0.1, 0.2, 0.3],
            "multi_utilization": [0.5, None, 0.6],
        }
    )


def test_a_line_per_cluster_runs_over_the_hours_and_the_published_one_has_its_color() -> None:
    reference = published.by_hour_of_day()
    figure = by_hour(hours(), "utilization", CLUSTERS, "UTC", ratio=True, published=reference)
    assert [line.name for line in figure.data] == ["Venus", "Venus, published", "Earth", "Earth, published"]
    venus, of_paper = figure.data[:2]
    assert list(venus.y) == pytest.approx(list(range(24)))
    assert of_paper.y[0] == pytest.approx(77.7)
    assert venus.line.color == of_paper.line.color == cluster_styles(CLUSTERS)["Venus"][0]
    assert venus.line.dash != of_paper.line.dash


def test_submissions_are_drawn_as_they_are() -> None:
    figure = by_hour(hours(), "gpu_jobs_per_hour", CLUSTERS, "UTC", unit="GPU jobs an hour")
    assert figure.data[0].y[5] == 10.0
    assert figure.layout.yaxis.title.text == "GPU jobs an hour"


def test_bars_of_small_and_large_jobs_stand_on_each_other_by_cluster_and_period() -> None:
    figure = split_by_period(periods(), "jobs", "%b", {"Earth": "?cluster=Earth"}, ratio=False)
    multi, single = figure.data
    assert [list(part) for part in multi.x] == [["Venus", "Venus", "Earth"], ["Apr", "May", "Apr"]]
    assert list(multi.y) == [30, 20, 10] and list(single.y) == [3, 2, 1]
    assert [place for (place,) in multi.customdata] == [None, None, "?cluster=Earth"]
    assert figure.layout.barmode == "stack"
    assert (multi.marker.color, multi.marker.pattern.shape) == SIZES["multi"]
    assert single.marker.pattern.bgcolor == single.marker.color


def test_an_unknown_utilization_is_no_bar_and_published_months_are_marks() -> None:
    reference = published.by_month()
    figure = split_by_period(periods(), "utilization", "%b", {}, ratio=True, published=reference)
    assert pd.isna(figure.data[0].y[1])
    marks = figure.data[2]
    assert marks.y[0] == pytest.approx(67.8 + 3.96)
    assert marks.mode == "markers"


def test_published_counts_are_scaled_to_a_smaller_trace_and_left_alone_for_one_of_their_size() -> None:
    reference = published.by_month()
    jobs = pd.Series({"Venus": 1252.0, "Earth": 427_000.0})
    scaled = published.scaled(reference, ["single_jobs", "multi_jobs"], jobs)
    sums = scaled.groupby("cluster")[["single_jobs", "multi_jobs"]].sum().sum(axis=1)
    assert sums["Venus"] == pytest.approx(1252)
    assert sums["Earth"] == 427_107


def test_sizes_are_stacked_small_to_large_and_a_period_without_a_class_has_none_of_it() -> None:
    rows = pd.DataFrame(
        {
            "period": pd.to_datetime(["2020-04-01", "2020-04-01", "2020-05-01"]),
            "gpus": ["> 32", "≤ 1", "≤ 1"],
            "share_of_jobs": [0.25, 0.75, 1.0],
        }
    )
    figure = size_mix(rows, "share_of_jobs", "%b")
    assert {bar.name: list(bar.y) for bar in figure.data} == {"≤ 1 GPU": [75, 100], "> 32 GPUs": [25, 0]}


def test_the_map_of_submissions_has_a_cell_per_hour_of_the_week() -> None:
    cells = pd.DataFrame({"weekday": [1, 7], "hour": [0, 23], "gpu_jobs_per_hour": [3.0, 5.0]})
    grid = submissions_by_hour_and_weekday(cells, "UTC").data[0]
    assert (grid.z[0][0], grid.z[6][23]) == (3.0, 5.0)
    assert pd.isna(grid.z[1][1])


def test_the_published_tables_say_what_the_paper_printed() -> None:
    months = published.by_month()
    assert len(months) == 24 and len(published.by_hour_of_day()) == 96
    venus = months[months["cluster"] == "Venus"]
    assert int(venus[["single_jobs", "multi_jobs"]].to_numpy().sum()) == 125_214
