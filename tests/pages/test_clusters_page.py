"""The Clusters page: its sentence, periods, and the published curves that can be drawn beside."""

from collections.abc import Callable
from pathlib import Path

import pytest

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
