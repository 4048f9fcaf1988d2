"""Figures of virtual clusters: order, numbers and the addresses that a click opens."""

import pandas as pd
import pytest

from components.figures import virtual_clusters as figures
from components.figures.virtual_clusters import MOST_LETTERS, short_ticks
from components.tables import Column, data_table
from tests.components.text import plain, table_of


def address(cluster: str, vc: str) -> str:
    return f"?cluster={cluster}&vc={vc}"


def spread(number: int = 3) -> pd.DataFrame:
    rows = {
        "cluster": ["Venus", "Earth", "Venus"] * number,
        "vc": [f"vc{place}" for place in range(3 * number)],
        "min_utilization": 0.0,
        "q1_utilization": 0.25,
        "median_utilization": 0.5,
        "q3_utilization": 0.75,
        "max_utilization": 1.0,
        "mean_utilization": 0.6,
    }
    return pd.DataFrame(rows)


def test_boxes_have_the_quartiles_in_per_cent_and_their_means_open_the_vc() -> None:
    figure = figures.utilization_boxes(spread(1), ["Venus", "Earth"], address)
    box, means = figure.data[:2]
    assert (box.name, list(box.q1), list(box.median), list(box.upperfence)) == (
        "Venus",
        [25] * 2,
        [50] * 2,
        [100] * 2,
    )
    assert list(means.x) == [60, 60]
    assert [point[0] for point in means.customdata] == ["?cluster=Venus&vc=vc0", "?cluster=Venus&vc=vc2"]


def test_rows_keep_their_order_from_the_top_and_at_most_twelve_are_drawn() -> None:
    figure = figures.utilization_boxes(spread(10), ["Venus", "Earth"], address)
    order = list(figure.layout.yaxis.categoryarray)[::-1]
    assert order[:2] == ["vc0 · Venus", "vc1 · Earth"] and len(order) == figures.SHOWN_VCS
    assert set(order) == {name for box in figure.data for name in box.y}


def test_a_single_cluster_needs_no_name_beside_its_vcs() -> None:
    one = spread(1).query("cluster == 'Venus'")
    assert list(figures.utilization_boxes(one, ["Venus"], address).data[0].y) == ["vc0", "vc2"]


def test_delays_under_a_second_are_at_the_left_edge_and_unknown_ones_are_not_drawn() -> None:
    rows = pd.DataFrame(
        {
            "cluster": "Venus",
            "vc": ["a", "b", None],
            "avg_queueing_delay_s": [0.0, None, 60.0],
            "avg_duration_s": [10.0, 20.0, 30.0],
        }
    )
    delays, durations = figures.waits_and_durations(rows, address).data
    assert list(delays.x) == [1.0, 60.0] and list(delays.y) == ["a", "no VC"]
    assert list(durations.x) == [10, 20, 30]
    assert delays.customdata[1][0] is None


def test_use_is_stacked_under_the_line_of_what_is_present() -> None:
    rows = {"single_gpus": [1.0], "multi_gpus": [6.0], "present_gpus": [8.0]}
    series = pd.DataFrame({"local_time": [pd.Timestamp("2020-09-01")], **rows})
    multi, single, present = figures.use_against_quota(series, "UTC").data
    assert (multi.y[0], single.y[0], present.y[0]) == (6, 1, 8)
    assert multi.stackgroup == single.stackgroup == "use" and present.stackgroup is None


def test_waiting_gangs_are_split_by_whether_enough_gpus_were_free() -> None:
    rows = pd.DataFrame(
        {"cluster": "Venus", "vc": ["a"], "waited_gpu_s": [7200.0], "beside_free_gpu_s": [1800.0]}
    )
    beside, without = figures.gangs_beside_free_gpus(rows, address).data
    assert (beside.x[0], without.x[0]) == (0.5, 1.5)
    assert beside.marker.pattern.shape


def test_the_waiting_line_shows_gpus_and_tells_jobs() -> None:
    series = pd.DataFrame(
        {"local_time": [pd.Timestamp("2020-09-01")], "waiting_jobs": [3], "waiting_gpus": [24.0]}
    )
    line = figures.waiting_over_time(series, "UTC").data[0]
    assert (line.y[0], plain(line.customdata[0])) == (24, "24 GPUs, 3 jobs")


def test_first_cells_of_a_table_can_be_links() -> None:
    rows = pd.DataFrame({"vc": ["a", None], "gpus": [8, 16]})
    table = data_table(rows, [Column("vc", "VC"), Column("gpus", "GPUs", "count")], ["/vcs?vc=a", None])
    drawn = table_of(table.children[0].children)
    assert drawn["head"] == ["VC", "GPUs"]
    assert drawn["rows"] == [[{"text": "a", "href": "/vcs?vc=a"}, "8"], ["—", "16"]]


@pytest.mark.parametrize("color", ["#0072B2", "#e69f00"])
def test_a_filled_area_is_a_faint_version_of_its_line(color: str) -> None:
    assert figures._faint(color, 0.5).startswith(f"rgba({int(color[1:3], 16)},")


def test_a_long_name_on_an_axis_loses_its_middle_and_is_still_told_from_others() -> None:
    names = ["vc1", "research-and-development-one", "research-and-development-two"]
    ticks = short_ticks(names)
    assert ticks["tickvals"] == names and ticks["ticktext"][0] == "vc1"
    assert ticks["ticktext"][1] == "research-an…lopment-one" and ticks["ticktext"][2].endswith("two")
    assert all(len(text) <= MOST_LETTERS + 1 for text in ticks["ticktext"])


def test_of_a_long_virtual_cluster_and_its_cluster_each_keeps_its_ends_on_an_axis() -> None:
    names = ["vision · Earth", "department-of-linguistics · research-training", "vision · research-training"]
    ticks = short_ticks(names)
    assert ticks["tickvals"] == names
    assert ticks["ticktext"] == ["vision · Earth", "depa…tics · resea…ining", "vision · resear…aining"]
    assert short_ticks(["department-of-linguistics · Earth"])["ticktext"] == ["departm…uistics · Earth"]
