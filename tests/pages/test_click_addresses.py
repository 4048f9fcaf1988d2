"""What a click on a chart opens: its address, and that the finder then has as many jobs as the point says."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from components.figures.utilization import WEEKDAYS
from tests.stored_trace import job, store


def filled(address: str, x: object, row: int = 0) -> str:
    """An address with its places filled, as the browser fills them."""
    return address.replace("{x}", str(x)).replace("{row}", str(row))


def number_found(address: str) -> int:
    """How many jobs the job finder has at an address."""
    from pages.job_finder import scope_parameters
    from pages.job_search import from_query
    from pages.scope import scope_of_query
    from queries import search

    path, query = urlsplit(address).path, parse_qs(urlsplit(address).query)
    assert path == "/jobs/find"
    single = {key: values[0] if key in ("trace", "from", "to") else values for key, values in query.items()}
    scope = scope_of_query(single)
    return search.number(from_query(single).search(scope.trace), trace=scope.trace, **scope_parameters(scope))


def figure_of(view: Any, about: Any) -> tuple[pd.DataFrame, Any]:
    """A view's rows and its figure with what its parts open."""
    rows = view.rows(about)
    return rows, view.drawn(rows, about)


CHOICE = {"trace": "demo", "cluster": "Venus", "from": "2020-09-03", "to": "2020-09-11"}


def test_a_bar_of_an_hour_opens_the_jobs_that_it_counts_longest_wait_first(
    data: Path, scope: Callable
) -> None:
    from pages.queueing import BY_HOUR

    rows, figure = figure_of(BY_HOUR, scope(**CHOICE))
    places = [place for place, _ in figure.data[0].customdata]
    assert places[14] == (
        "/jobs/find?trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-11"
        "&gpu_num=1..&queueing_delay_s=0..&submit_hour=14..14&sort=-queueing_delay_s"
    )
    assert [number_found(place) for place in places] == rows["jobs"].tolist()


def test_a_cell_of_hours_and_weekdays_opens_the_jobs_that_it_counts(data: Path, scope: Callable) -> None:
    from pages.clusters import VIEWS, Comparison

    view = next(view for view in VIEWS if view.name == "clusters-submissions-by-weekday")
    rows, figure = figure_of(view, Comparison(scope(**CHOICE), published=False))
    heat_map = figure.data[0]
    assert list(heat_map.y) == list(WEEKDAYS)
    for cell in rows.iloc[::11].itertuples():
        place = filled(heat_map.meta, heat_map.x[cell.hour], cell.weekday)
        assert number_found(place) == cell.gpu_jobs


def test_a_cell_of_utilization_opens_the_jobs_submitted_in_its_hours(data: Path, scope: Callable) -> None:
    from pages.clusters import VIEWS, Comparison

    about = Comparison(scope(**CHOICE), published=False)
    used, submitted = (
        figure_of(next(view for view in VIEWS if view.name == f"clusters-{what}-by-weekday"), about)[1].data
        for what in ("utilization", "submissions")
    )
    assert used[0].meta == submitted[0].meta and used[0].meta
    assert list(used[0].y) == list(submitted[0].y) and list(used[0].x) == list(submitted[0].x)


def test_a_point_of_a_users_waits_opens_their_jobs_and_the_line_of_others_nothing(
    data: Path, scope: Callable
) -> None:
    from pages.user_subject import OWN, user_of_query
    from pages.user_views import WAITS

    rows, figure = figure_of(WAITS, user_of_query("u07", CHOICE))
    places = {line.name: line.meta for line in figure.data}
    own = rows[rows["side"] == OWN]
    assert len(own) > 2 and [name for name, place in places.items() if place] == [OWN]
    for point in own.itertuples():
        assert number_found(filled(places[OWN], repr(point.delay_s))) == point.jobs


def test_a_jobs_charts_open_similar_jobs_and_its_virtual_cluster_while_it_waited(
    data: Path, application: object
) -> None:
    from pages.job import LIFE, LOAD, SIMILAR
    from pages.job_subject import job_of

    times = {"submit_time": "2020-09-03 17:00", "start_time": "2020-09-04 17:00", "duration_s": 60.0}
    jobs = [
        job(user="ann", **times, job_id="a/1"),
        job(user="ann", **times, job_id="2", vc="vc&B"),
        job(user="ann", **times, job_id="3", vc=None),
    ]
    store(data, "real", jobs)
    subject = job_of("real", "Venus", "2")
    _, figure = figure_of(LOAD, subject)
    places = {line.meta for line in figure.data}
    assert places == {"/vcs?trace=real&cluster=Venus&vc=vc%26B&from=2020-09-03&to=2020-09-05"}
    assert "vc=" not in LOAD.opens(job_of("real", "Venus", "3"))
    _, figure = figure_of(SIMILAR, subject)
    opened = {place for (place,) in figure.data[0].customdata}
    assert opened == {"/jobs/real/Venus/a%2F1", "/jobs/real/Venus/3"}
    assert not any(line.meta for line in figure_of(LIFE, subject)[1].data)


def test_a_point_of_a_duration_or_gpu_count_curve_opens_its_jobs(data: Path, scope: Callable) -> None:
    from pages.jobs import DURATIONS, GPU_COUNTS

    rows, figure = figure_of(DURATIONS, scope(**CHOICE))
    places = {line.name: line.meta for line in figure.data}
    for point in rows.iloc[::9].itertuples():
        place = filled(places[point.kind], repr(point.duration_s))
        assert place.endswith("&sort=-duration_s") and number_found(place) == point.jobs
    rows, figure = figure_of(GPU_COUNTS, scope(**CHOICE))
    assert [number_found(filled(figure.data[1].meta, x)) for x in figure.data[1].x] == rows["jobs"].tolist()


def test_gpu_jobs_are_those_from_the_least_gpu_count_on(data: Path, scope: Callable) -> None:
    from pages.job_links import any_gpus

    rows = [job(submit_time="2020-09-01", gpu_num=gpus) for gpus in (0.0, 0.25, 1.0, None)]
    store(data, "shared", rows)
    store(data, "cpu", rows[:1])
    assert any_gpus(scope(trace="shared")) == "0.25.." and any_gpus(scope(trace="cpu")) == "1.."


def test_a_bar_of_a_kind_opens_its_jobs(data: Path, scope: Callable) -> None:
    from pages.jobs import STATUS_BY_KIND

    rows, figure = figure_of(STATUS_BY_KIND, scope(**CHOICE))
    bars = figure.data[0]
    found = {kind: number_found(place) for kind, (place, _) in zip(bars.x, bars.customdata, strict=True)}
    assert found == rows.groupby("kind")["jobs"].sum().to_dict()  # every job of the synthetic trace has ended


def test_a_cell_of_the_overview_opens_the_clusters_with_the_same_choice(data: Path, scope: Callable) -> None:
    from pages.overview import RHYTHM

    _, figure = figure_of(RHYTHM, scope(**CHOICE))
    assert figure.data[0].meta == "/clusters?trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-11"


def test_points_over_time_show_their_day_unless_a_single_day_is_shown(data: Path, scope: Callable) -> None:
    from pages.vcs import USE, WAITING

    for view in (USE, WAITING):
        _, figure = figure_of(view, scope(**CHOICE, vc="vcA"))
        wanted = "?trace=demo&cluster=Venus&vc=vcA&from={day}&to={next_day}"
        assert {line.meta for line in figure.data} == {wanted}
        for day in ({"from": "2020-09-03", "to": "2020-09-04"}, {"from": "2020-09-14", "to": "2020-10-01"}):
            _, figure = figure_of(view, scope(trace="demo", **day))
            assert {line.meta for line in figure.data} == {None}


@pytest.mark.parametrize(
    ("first_day", "period", "chosen"),
    [
        (date(2020, 9, 5), "day", "from=2020-09-05&to=2020-09-06"),
        (date(2020, 8, 31), "week", "from=2020-09-03&to=2020-09-07"),
        (date(2020, 9, 7), "week", "from=2020-09-07&to=2020-09-11"),
        (date(2020, 9, 1), "month", None),
    ],
)
def test_a_period_is_cut_to_the_window_and_is_no_choice_where_it_is_all_of_it(
    data: Path, scope: Callable, first_day: date, period: str, chosen: str | None
) -> None:
    place = scope(**CHOICE).period_address(first_day, period)
    assert place == (chosen and f"?trace=demo&cluster=Venus&{chosen}")


def test_a_month_ends_with_its_last_day(data: Path, scope: Callable) -> None:
    store(data, "year", [job(submit_time=f"2020-{month}-10") for month in ("01", "02", "12")])
    year = scope(trace="year")
    assert year.period_address(date(2020, 2, 1), "month") == "?trace=year&from=2020-02-01&to=2020-03-01"
    assert year.period_address(date(2020, 12, 1), "month") == "?trace=year&from=2020-12-01&to=2020-12-11"


def test_bars_over_time_show_their_period(data: Path, scope: Callable) -> None:
    from pages.clusters import VIEWS, Comparison
    from pages.job_failures import LOST_OVER_TIME

    _, figure = figure_of(LOST_OVER_TIME, scope(**CHOICE))
    first = figure.data[0]
    assert first.customdata[0][0] == "?trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-04"
    assert len(first.customdata) == len(first.x)
    view = next(view for view in VIEWS if view.name == "clusters-sizes-by-gpu-time")
    _, figure = figure_of(view, Comparison(scope(**CHOICE), published=False))
    assert [place for (place,) in figure.data[0].customdata] == [
        "?trace=demo&cluster=Venus&from=2020-09-03&to=2020-09-07",
        "?trace=demo&cluster=Venus&from=2020-09-07&to=2020-09-11",
    ]


def test_a_bar_of_completion_ratios_is_a_range_of_the_leagues_column(data: Path, scope: Callable) -> None:
    from pages.user_shares import known_users, league
    from pages.users import COMPLETION

    rows, figure = figure_of(COMPLETION, scope(trace="demo"))
    places = [place for (place,) in figure.data[0].customdata]
    assert places[0] == "#users-league-grid?completion=0..10"
    assert places[9] == "#users-league-grid?completion=90.."
    percent = 100 * league(known_users(scope(trace="demo")))["completion"]
    ends = [place.rpartition("=")[2].split("..") for place in places]
    inside = [int(percent.between(float(low), float(high or 101), "left").sum()) for low, high in ends]
    assert inside == rows["users"].tolist()


def test_what_a_click_opens_is_said_behind_the_info_mark(data: Path, scope: Callable) -> None:
    from pages import clusters, jobs, overview, queueing, users, vcs

    views = (*overview.VIEWS, *clusters.VIEWS, *vcs.VIEWS, *jobs.VIEWS, *queueing.RECORDED, *users.VIEWS)
    for view in views:
        about = scope(trace="demo")
        about = clusters.Comparison(about, published=False) if view in clusters.VIEWS else about
        if not view.figure:
            continue
        _, figure = figure_of(view, about)
        carried = [line.meta for line in figure.data]
        carried += [point for line in figure.data for point in _addresses(line)]
        says = " click" in view.method + (view.click if view.opens else "") or " opens " in view.method
        assert says == any(carried), view.name


def _addresses(line: Any) -> list[str]:
    """The addresses that points of a line carry."""
    points = [] if line.customdata is None else list(line.customdata)
    firsts = [point[0] for point in points if isinstance(point, (list, tuple, np.ndarray))]
    return [first for first in firsts if isinstance(first, str)]
