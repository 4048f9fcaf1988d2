"""The Clusters page: its sentence, periods, and the published curves that can be drawn beside."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from components.filters import ONE_DAY
from tests import synthetic
from tests.queries.reference import local
from tests.stored_trace import job, store


@pytest.fixture
def compare(scope: Callable) -> Callable:
    from pages.clusters import comparison

    def of(*, published: bool = False, **query: str) -> object:
        return comparison({**scope(**query).filters.to_json(), "published": published})

    return of


def test_the_answer_names_the_hours_that_the_data_say(data: Path, scope: Callable) -> None:
    from pages import clusters

    jobs = synthetic.synthetic_jobs()
    hours = local(jobs[jobs["gpu_num"] > 0]["submit_time"], synthetic.TIMEZONE).dt.hour.value_counts()
    sentence = clusters.answer(scope(**{"trace": "demo", "from": "2020-09-01", "to": "2020-09-14"}))
    assert f"most jobs come at {hours.idxmax():02d}–" in sentence
    assert "GPUs are busiest at" in sentence


def test_without_start_times_the_answer_tells_of_submissions_alone(data: Path, scope: Callable) -> None:
    from pages import clusters

    store(data, "bare", [job(submit_time="2020-09-01 05:00")])
    assert clusters.answer(scope(trace="bare")).startswith("Most jobs come at 05–06 h")
    store(data, "cpu", [job(submit_time="2020-09-01 05:00", gpu_num=0.0)])
    assert clusters.answer(scope(trace="cpu")) == "No GPU job was submitted in this choice."


def test_every_view_draws_its_rows(data: Path, compare: Callable) -> None:
    from components.tables import data_table
    from pages import clusters

    for it in (compare(trace="demo"), compare(trace="demo", published=True)):
        for view in clusters.VIEWS:
            rows, sentence = view.answer(it)
            assert len(rows) and sentence == "", view.name
            assert len(view.figure(rows, it).data) and view.note(rows, it)
            assert data_table(rows, view.columns)


def test_published_curves_are_drawn_only_when_wanted_and_named(data: Path, compare: Callable) -> None:
    from pages import clusters

    view = clusters.VIEWS[0]
    plain, beside = compare(trace="demo"), compare(trace="demo", published=True)
    names = [[line.name for line in view.figure(view.rows(it), it).data] for it in (plain, beside)]
    assert names[0] == ["Venus", "Earth"]
    assert names[1] == ["Venus", "Venus, published", "Earth", "Earth, published"]
    assert "SC'21" in view.note(view.rows(beside), beside) and "SC'21" not in view.note(
        view.rows(plain), plain
    )


def test_a_long_window_is_shown_by_month_and_only_then_with_published_months(
    data: Path, compare: Callable
) -> None:
    from pages import clusters

    long = [job(submit_time=f"2020-0{month}-02", start_time=f"2020-0{month}-02") for month in range(4, 10)]
    store(data, "long", long, [("Venus", "vc1", "2020-04-01", 64)])
    it = compare(trace="long", published=True)
    assert it.period == "month" and len(it.monthly_reference(clusters._by_period(it))) == 6
    short = compare(trace="demo", published=True)
    assert short.period == "week" and short.monthly_reference(clusters._by_period(short)) is None
    assert "by month only" in clusters.VIEWS[4].note(clusters._by_period(short), short)


def test_the_switch_is_offered_for_published_clusters_alone(data: Path, application: object) -> None:
    from pages import clusters

    store(data, "mine", [job(submit_time="2020-09-01", cluster="gpu")])
    assert clusters.offer_published({"trace": "demo"})[0] is False
    off, why = clusters.offer_published({"trace": "mine"})
    assert off and "Venus, Earth, Saturn and Uranus" in why


def test_no_two_periods_of_a_window_have_the_same_name(data: Path, compare: Callable) -> None:
    store(data, "years", [job(submit_time=f"{day} 12:00") for day in ("2018-01-01", "2020-12-31")])
    for first in pd.date_range("2018-01-05", "2018-12-31", freq="15D"):
        for days in (*range(30, 101, 14), *range(320, 375), *range(390, 740, 50)):
            last = first + pd.Timedelta(days=days - 1)
            it = compare(**{"trace": "years", "from": f"{first:%F}", "to": f"{last + ONE_DAY:%F}"})
            shown = pd.date_range(first, last).to_period("M" if it.period == "month" else "W").unique()
            names = {period.start_time.strftime(it.label) for period in shown}
            assert len(names) == len(shown), (first, last)


def test_months_of_one_year_are_named_without_it(data: Path, compare: Callable) -> None:
    store(data, "years", [job(submit_time=f"{day} 12:00") for day in ("2019-01-01", "2020-12-31")])
    assert compare(**{"trace": "years", "from": "2020-01-01", "to": "2021-01-01"}).label == "%b"
    assert compare(**{"trace": "years", "from": "2019-12-31", "to": "2020-12-01"}).label == "%b %Y"
