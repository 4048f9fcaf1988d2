"""The page of one user: its numbers against pandas, its links, and the setting that hides who they are."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from flask.testing import FlaskClient

from components.numbers import duration
from tests import synthetic
from tests.components.text import plain, text_of
from tests.pages.test_app import page
from tests.pages.test_users_page import policy  # noqa: F401 (a fixture)
from tests.stored_trace import job, store

WHO = "u07"


@pytest.fixture
def who(data: Path, scope: Callable) -> object:
    """A user of the synthetic trace."""
    from pages.user_subject import user_of_query

    return user_of_query(WHO, {"trace": "demo"})


def gpu_jobs() -> pd.DataFrame:
    jobs = synthetic.synthetic_jobs()
    jobs = jobs[jobs["gpu_num"] > 0]
    return jobs.assign(gpu_s=jobs["gpu_num"] * jobs["duration_s"])


def test_cards_and_sentence_are_computed_from_the_data(who: object) -> None:
    from pages import user
    from pages.user_cards import cards

    jobs = gpu_jobs()
    own = jobs[jobs["user"] == WHO]
    held = jobs.groupby("user")["gpu_s"].sum().sort_values(ascending=False)
    place, share = held.index.get_loc(WHO) + 1, 100 * held[WHO] / held.sum()
    completed = 100 * (own["state"] == "COMPLETED").mean()
    lost = 100 * own[own["state"] != "COMPLETED"]["gpu_s"].sum() / held[WHO]
    all_lost = 100 * jobs[jobs["state"] != "COMPLETED"]["gpu_s"].sum() / held.sum()
    shown = [text_of(card) for card in cards(who)]
    assert f"{held[WHO] / 3600:,.0f} GPU-h {share:.1f} % of all, place {place} of {len(held)}" in shown[0]
    assert f" {len(own)} " in shown[1]
    assert f"{completed:.1f} % of {len(own)} ended jobs" in shown[2]
    assert f"{lost:.1f} %" in shown[3] and f"all users {all_lost:.1f} %" in shown[3]
    sentence = plain(user.answer(who))
    assert sentence.startswith(f"{share:.1f} % of all GPU time (place {place} of {len(held)} users)")
    assert f"{completed:.0f} % of their ended GPU jobs completed" in sentence


def test_others_waits_are_weighed_by_the_users_jobs_in_each_vc(who: object) -> None:
    from pages import user
    from pages.user_subject import mean_waits

    jobs = gpu_jobs()
    own, others = jobs[jobs["user"] == WHO], jobs[jobs["user"] != WHO]
    expected = own["vc"].map(others.groupby("vc")["queueing_delay_s"].mean()).mean()
    assert mean_waits(who) == pytest.approx((own["queueing_delay_s"].mean(), expected))
    assert plain(user.answer(who)).endswith(f"others in their place {plain(duration(expected))}.")


def test_every_view_draws_its_rows_and_its_table_has_their_columns(who: object) -> None:
    from components.tables import data_table
    from pages.user_views import VIEWS

    for view in VIEWS:
        rows, sentence = view.answer(who)
        assert len(rows) and sentence == "" and view.note(rows, who) and view.method, view.name
        assert view.drawn(rows, who).data if view.figure else view.table(rows, who)
        assert data_table(rows, view.columns)


def test_bars_hold_every_gpu_job_once(who: object) -> None:
    from pages import user_views as user

    own = gpu_jobs().query("user == @WHO")
    rows, _ = user.JOBS.answer(who)
    figure = user.JOBS.drawn(rows, who)
    assert sum(sum(bar.y) for bar in figure.data) == len(own)
    hours = user.GPU_TIME.drawn(rows, who)
    assert sum(sum(bar.y) for bar in hours.data) == pytest.approx(own["gpu_s"].sum() / 3600)
    assert who.scope.period == "day" and len(set(figure.data[0].x)) <= 14


def test_the_latest_jobs_lead_to_their_pages_and_to_the_finder_with_this_user(who: object) -> None:
    from pages import user_views as user

    rows, _ = user.LATEST.answer(who)
    latest = synthetic.synthetic_jobs().query("user == @WHO").nlargest(15, "submit_time")
    assert rows["duration_s"].tolist() == latest["duration_s"].tolist()
    shown = json.dumps(
        user.LATEST.table(rows, who).to_plotly_json(), default=lambda each: each.to_plotly_json()
    )
    first = rows.iloc[0]
    assert f"/jobs/demo/{first['cluster']}/{first['job_id']}" in shown
    assert f"/jobs/find?trace=demo&user={WHO}" in shown


def test_a_user_without_gpu_jobs_states_or_starts_is_told_so(data: Path, scope: Callable) -> None:
    from pages import user
    from pages import user_views as views
    from pages.user_cards import cards
    from pages.user_subject import user_of_query

    rows = [job(user="cpu", gpu_num=0.0, submit_time="2020-09-01", duration_s=5.0, state="UNKNOWN")]
    rows += [job(user="gpu", submit_time="2020-09-02", duration_s=5.0, state="UNKNOWN")]
    store(data, "bare", rows)
    lone = user_of_query("cpu", {"trace": "bare"})
    assert views.JOBS.answer(lone)[1] == views.NO_JOB
    assert "no start times" in views.WAITS.answer(lone)[1]
    assert "unknown" in text_of(cards(lone)[2]) and "unknown" in text_of(cards(lone)[4])
    absent = user_of_query("cpu", {"trace": "bare", "from": "2020-09-02"})
    assert user.answer(absent) == "cpu has no job in this choice." and cards(absent) == []
    known = user_of_query("gpu", {"trace": "bare"})
    assert {bar.name for bar in views.JOBS.drawn(views.JOBS.answer(known)[0], known).data} == {
        "unfinished or unknown"
    }


@pytest.mark.parametrize("name", ["ann b", "a/b", "é&?#"])
def test_any_name_has_an_address(data: Path, client: FlaskClient, scope: Callable, name: str) -> None:
    from components.filters import Filters
    from pages.user_links import user_address

    store(data, "names", [job(user=name, submit_time="2020-09-01", duration_s=5.0)])
    address = user_address(name, Filters(trace="names"))
    assert client.get(address).status_code == 200
    path, _, query = address.partition("?")
    assert f"What does {name} run" in page(client, path, f"?{query}")


def test_nobody_of_that_name_is_a_404_with_a_way_back(data: Path, client: FlaskClient) -> None:
    assert client.get("/users/nobody?trace=demo").status_code == 404
    assert "has no user “nobody”" in page(client, "/users/nobody", "?trace=demo")


def test_with_pseudonyms_the_address_and_the_page_hold_no_name(
    data: Path,
    client: FlaskClient,
    scope: Callable,
    policy: Callable,  # noqa: F811
    ask: Callable,
) -> None:
    from pages.user_league import block
    from pages.user_shares import known_users, league

    policy("pseudonyms")
    assert client.get("/users/u07?trace=demo").status_code == 404
    assert client.get("/users/user%201?trace=demo").status_code == 200
    rows = json.dumps(block(league(known_users(scope(trace="demo"))), scope(trace="demo"), 0))
    assert "/users/user%20" in rows and "u07" not in rows
    for output in ("user-answer.children", '"user-latest","type":"body"', '"user-waits","type":"figure"'):
        shown = json.dumps(ask(output, user_choice={"trace": "demo", "user": "user 1"}))
        assert '"u0' not in shown and '"u1' not in shown


def test_switched_off_nobody_has_a_page(data: Path, client: FlaskClient, policy: Callable) -> None:  # noqa: F811
    policy("off")
    assert client.get("/users/u07?trace=demo").status_code == 404
    assert "HELIOGRAPH_USERS=off" in page(client, "/users/u07", "?trace=demo")


def test_a_jobs_page_leads_to_its_user(data: Path, client: FlaskClient) -> None:
    shown = page(client, "/jobs/demo/Venus/0", "") + page(client, "/jobs/demo/Earth/0", "")
    assert "/users/u" in shown


def test_the_league_has_every_week_of_the_window_and_adds_up(data: Path, scope: Callable) -> None:
    from pages.user_shares import weeks

    jobs = gpu_jobs()
    courses = weeks(scope(trace="demo"), jobs["user"])
    held = jobs.groupby("user")["gpu_s"].sum() / 3600
    assert set(courses) == set(held.index) and {len(course) for course in courses.values()} == {3}
    for user, course in courses.items():
        assert sum(course) == pytest.approx(held[user], rel=0.006)
