"""Figures say what their frame says: the numbers are read out of the figure."""

from datetime import date
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from components.chart_card import figure_json
from components.figures.job import life
from components.figures.jobs import duration_cdf, final_status, gpu_count_cdf, thin
from components.figures.template import blank, duration_axis, template
from components.figures.utilization import utilization_by_hour_and_weekday, utilization_over_time
from components.theme import STATUSES, cluster_styles, token


def utilization() -> pd.DataFrame:
    times = pd.date_range("2020-09-01", periods=2, freq="h")
    return pd.DataFrame(
        {
            "cluster": ["Earth"] * 2 + ["Venus"] * 2,
            "local_time": [*times, *times],
            "utilization": [0.25, None, 1.0, 0.5],
        }
    )


def test_utilization_is_drawn_in_per_cent_and_unknown_is_a_gap() -> None:
    figure = utilization_over_time(utilization(), ["Earth", "Venus"], "Asia/Shanghai")
    venus, earth = figure.data
    assert (venus.name, earth.name) == ("Venus", "Earth")
    assert list(venus.y) == [100.0, 50.0]
    assert earth.y[0] == 25.0 and pd.isna(earth.y[1])
    assert figure.layout.yaxis.ticksuffix == " %"
    assert figure.layout.xaxis.title.text == "time (Asia/Shanghai)"


def test_a_cluster_has_the_same_line_when_it_is_shown_alone() -> None:
    clusters = ["Earth", "Venus"]
    alone = utilization_over_time(utilization().iloc[2:], clusters, "UTC").data[0]
    assert (alone.line.color, alone.line.dash) == cluster_styles(clusters)["Venus"]


def test_the_heat_map_has_monday_on_top_and_unknown_cells_empty() -> None:
    cells = pd.DataFrame({"weekday": [1, 7], "hour": [0, 23], "utilization": [0.1, 0.9]})
    figure = utilization_by_hour_and_weekday(cells, "UTC")
    grid = figure.data[0]
    assert grid.y[0] == "Mon" and figure.layout.yaxis.autorange == "reversed"
    assert grid.z[0][0] == pytest.approx(10) and grid.z[6][23] == pytest.approx(90)
    assert pd.isna(grid.z[3][12])


def test_the_duration_curve_is_on_a_logarithmic_axis_with_durations_as_ticks() -> None:
    curve = pd.DataFrame(
        {"kind": ["GPU jobs"] * 2 + ["CPU jobs"], "duration_s": [1.0, 60.0, 8.0], "share": [0.5, 1, 1]}
    )
    figure = duration_cdf(curve)
    assert [line.name for line in figure.data] == ["GPU jobs", "CPU jobs"]
    assert list(figure.data[0].y) == [50, 100]
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.ticktext[5] == "1\u00a0min"


def test_under_the_pointer_a_duration_is_written_as_everywhere_else() -> None:
    curve = pd.DataFrame({"kind": ["GPU jobs"] * 2, "duration_s": [60.0, 558.34], "share": [0.1, 1.0]})
    figure = duration_cdf(curve)
    assert figure.layout.xaxis.unifiedhovertitle.text == "duration"
    assert figure.data[0].text == ("1\u00a0min", "9\u00a0min\u00a018\u00a0s")
    assert figure.data[0].hovertemplate == "%{y:.1f} % within %{text}"


def test_durations_that_are_close_to_each_other_have_more_ticks() -> None:
    def ticks_between(shortest_s: float, longest_s: float) -> int:
        curve = pd.DataFrame({"kind": "GPU jobs", "duration_s": [shortest_s, longest_s], "share": [0.5, 1.0]})
        ticks = duration_cdf(curve).layout.xaxis.tickvals
        return sum(shortest_s <= tick <= longest_s for tick in ticks)

    assert ticks_between(700, 4000) == 2 and ticks_between(1, 99) == 6 and ticks_between(1, 86400) == 7


@pytest.mark.parametrize(
    ("times", "written"),
    [
        (["2020-09-01", "2020-09-08"], "%-d %b %Y"),
        (["2020-09-01 00:00", "2020-09-01 00:10"], "%-d %b %Y, %H:%M"),
    ],
)
def test_under_the_pointer_a_time_is_a_day_where_all_are_midnights(times: list[str], written: str) -> None:
    series = pd.DataFrame({"cluster": "Venus", "local_time": pd.to_datetime(times), "utilization": 0.5})
    figure = figure_json(utilization_over_time(series, ["Venus"], "UTC"))
    assert figure["layout"]["xaxis"]["hoverformat"] == written


@pytest.mark.parametrize(
    ("times", "written"),
    [
        (pd.to_datetime(["2020-09-01", None]), "%-d %b %Y"),
        ([date(2020, 9, 1), date(2020, 9, 8)], "%-d %b %Y"),
        ((pd.Timestamp("2020-09-01"), pd.Timestamp("2020-09-08")), "%-d %b %Y"),
        (pd.Series([date(2020, 9, 1), None], dtype=object), "%-d %b %Y"),
        ([pd.Timestamp("2020-09-01 12:00"), pd.NaT], "%-d %b %Y, %H:%M"),
        ([1, 2], None),
        (["Earth", "Venus"], None),
        (None, None),
    ],
)
def test_times_have_their_format_however_they_are_given(times: Any, written: str | None) -> None:
    axis = figure_json(blank().add_scatter(x=times, y=[1, 2]))["layout"]["xaxis"]
    assert (axis.get("hoverformat"), axis.get("tickangle")) == (written, None if written is None else 0)


def test_bars_that_begin_at_a_time_are_on_an_axis_of_times() -> None:
    begin = pd.Timestamp("2020-09-01")
    phases = pd.DataFrame(
        {"phase": ["waits"], "attempt": ["1"], "start_time": [begin], "seconds": [60.0], "length": ["1 min"]}
    )
    axis = figure_json(life(phases, "UTC"))["layout"]["xaxis"]
    assert (axis["hoverformat"], axis["tickangle"]) == ("%-d %b %Y, %H:%M", 0)


def test_an_axis_of_durations_allows_a_line_without_points() -> None:
    figure = blank(x_title="duration (log scale)")
    figure.add_scatter(name="nothing", hovertemplate="%{y:.1f} %")
    duration_axis(figure)
    assert figure.layout.xaxis.type == "log"


def test_numbers_on_an_axis_have_no_format_of_dates() -> None:
    curve = pd.DataFrame({"kind": ["GPU jobs"], "duration_s": [60.0], "share": [1.0]})
    assert "hoverformat" not in figure_json(duration_cdf(curve))["layout"]["xaxis"]


def test_a_curve_of_one_point_is_visible() -> None:
    curve = pd.DataFrame({"kind": ["GPU jobs"], "duration_s": [64.0], "share": [1.0]})
    assert duration_cdf(curve).data[0].mode == "markers"


def test_gpu_time_without_any_duration_is_left_out_of_the_gpu_count_curve() -> None:
    curve = pd.DataFrame(
        {"gpu_num": [1.0, 8.0], "share_of_jobs": [0.75, 1.0], "share_of_gpu_time": [None, None]}
    )
    assert [line.name for line in gpu_count_cdf(curve).data] == ["jobs"]
    both = gpu_count_cdf(curve.assign(share_of_gpu_time=[0.1, 1.0]))
    assert [list(line.y) for line in both.data] == [[75, 100], pytest.approx([10, 100])]


def test_stacked_statuses_have_their_colors_and_patterns_and_missing_ones_are_zero() -> None:
    bars = pd.DataFrame(
        {"kind": ["GPU jobs", "GPU jobs", "CPU jobs"], "status": ["completed", "failed", "completed"],
         "jobs": [3, 1, 5], "share": [0.75, 0.25, 1.0]}
    )  # fmt: skip
    figure = final_status(bars, "kind", "")
    shares = {bar.name: list(bar.y) for bar in figure.data}
    assert shares == {"completed": [75, 100], "cancelled": [0, 0], "failed": [25, 0]}
    for bar in figure.data:
        assert (bar.marker.color, bar.marker.pattern.shape) == STATUSES[bar.name]


@pytest.mark.parametrize("rows", [1, 399, 400, 401, 5000])
def test_a_long_curve_keeps_its_ends_and_at_most_four_hundred_points(rows: int) -> None:
    curve = pd.DataFrame({"x": range(rows)})
    thinned = thin(curve, 400)["x"].tolist()
    assert len(thinned) == min(rows, 400)
    assert (thinned[0], thinned[-1]) == (0, rows - 1)
    assert thinned == sorted(set(thinned))


def test_no_figure_carries_a_template_so_that_the_browser_can_choose_it() -> None:
    figure = utilization_over_time(utilization(), ["Earth", "Venus"], "UTC")
    assert "template" not in figure_json(figure)["layout"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plotly_accepts_the_templates_and_they_use_the_tokens(scheme: str) -> None:
    layout = go.layout.Template(template(scheme)).layout
    assert layout.font.color == token("ink", scheme)
    assert layout.yaxis.gridcolor == token("line", scheme)


def test_no_chart_is_drawn_with_webgl() -> None:
    """Scattergl needs unsafe-eval, which the content security policy refuses."""
    figures = [utilization_over_time(utilization(), ["Earth", "Venus"], "UTC")]
    assert {trace.type for figure in figures for trace in figure.data} == {"scatter"}
