"""The Users page: concentration against pandas, the league, and the setting that hides who they are."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from flask.testing import FlaskClient

import settings
from tests import synthetic
from tests.components.text import plain
from tests.pages.test_app import page
from tests.stored_trace import job, store


@pytest.fixture
def policy(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set HELIOGRAPH_USERS for the rest of a test."""

    def choose(value: str) -> None:
        monkeypatch.setenv("HELIOGRAPH_USERS", value)
        settings.current.cache_clear()

    return choose


def view_of(name: str) -> object:
    from pages import users

    return next(view for view in users.VIEWS if view.name == name)


def test_a_curve_says_what_the_first_users_of_each_cluster_hold(data: Path, scope: Callable) -> None:
    from pages.user_shares import concentration, known_users

    curve = concentration(known_users(scope(trace="demo")), "gpu_s")
    frame = synthetic.synthetic_jobs().assign(gpu_s=lambda jobs: jobs["gpu_num"] * jobs["duration_s"])
    for cluster, part in curve.groupby("cluster"):
        held = frame[frame["cluster"] == cluster].groupby("user")["gpu_s"].sum()
        expected = np.r_[0, held.sort_values(ascending=False).cumsum() / held.sum()]
        assert part["share"].tolist() == pytest.approx(expected.tolist())
        assert part["top"].tolist() == pytest.approx((np.arange(len(held) + 1) / len(held)).tolist())


def test_users_who_hold_nothing_count_and_users_of_unknown_amount_do_not(data: Path, scope: Callable) -> None:
    from pages.user_shares import concentration, top_share

    users = pd.DataFrame({"cluster": "C", "gpu_s": [30.0, 10.0, 0.0, 0.0, None]})
    curve = concentration(users, "gpu_s")
    assert curve["share"].tolist() == [0.0, 0.75, 1.0, 1.0, 1.0]
    assert curve["top"].tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert top_share(curve, 0.05) == (1, 0.75)
    assert top_share(curve, 0.5) == (2, 1.0)
    assert concentration(users.assign(gpu_s=0.0), "gpu_s").empty


def test_the_league_adds_up_over_clusters_and_its_shares_are_of_everything(
    data: Path, scope: Callable
) -> None:
    from pages.user_shares import known_users, league

    table = league(known_users(scope(trace="demo"))).set_index("user")
    frame = synthetic.synthetic_jobs()
    gpu = frame[frame["gpu_num"] > 0]
    completed = (gpu["state"] == "COMPLETED").groupby(gpu["user"]).mean()
    assert table["completion"].to_dict() == pytest.approx(completed.to_dict())
    waits = gpu.groupby("user")["queueing_delay_s"].sum()
    assert table["queueing_share"].to_dict() == pytest.approx((waits / waits.sum()).to_dict())
    assert table["gpu_time_share"].sum() == pytest.approx(1.0)
    assert table["gpu_s"].is_monotonic_decreasing


def test_the_histogram_counts_every_user_with_ended_jobs_once(data: Path, scope: Callable) -> None:
    states = {"all": ["COMPLETED"] * 2, "none": ["FAILED"], "third": ["COMPLETED", "FAILED", "CANCELLED"]}
    rows = [
        job(user=user, submit_time="2020-09-01", state=state) for user in states for state in states[user]
    ]
    rows += [job(user="running", submit_time="2020-09-01", state="RUNNING")]
    rows += [
        job(user="tenths", submit_time="2020-09-01", state=state)
        for state in ["COMPLETED"] * 7 + ["FAILED"] * 3
    ]
    store(data, "t", rows)
    bins, _ = view_of("users-completion").answer(scope(trace="t"))
    counts = dict(zip(bins["completed"], bins["users"], strict=True))
    assert {label: users for label, users in counts.items() if users} == {
        "0–10": 1,
        "30–40": 1,
        "70–80": 1,
        "90–100": 1,
    }


def test_the_answer_names_the_share_of_the_top_users(data: Path, scope: Callable) -> None:
    from pages import users

    sentence = plain(users.answer(scope(trace="demo", cluster="Venus")))
    frame = synthetic.synthetic_jobs()
    venus = frame[frame["cluster"] == "Venus"]
    held = (venus["gpu_num"] * venus["duration_s"]).groupby(venus["user"]).sum()
    share = 100 * held.max() / held.sum()
    assert sentence.startswith(f"The top 5 % of users hold {share:.0f} % of the GPU time in Venus (1 user)")


def test_a_trace_without_users_or_without_starts_says_so(data: Path, scope: Callable) -> None:
    from pages import users

    store(data, "bare", [job(submit_time="2020-09-01", duration_s=60.0)])
    assert users.answer(scope(trace="bare")) == "This trace has no users."
    for view in users.VIEWS:
        assert view.answer(scope(trace="bare"))[1] == "This trace has no users."
    store(data, "unstarted", [job(user="ann", submit_time="2020-09-01", duration_s=60.0)])
    assert "no start times" in view_of("users-queueing-delay").answer(scope(trace="unstarted"))[1]


def test_every_view_draws_its_rows(data: Path, scope: Callable) -> None:
    from components.tables import data_table
    from pages import users

    demo = scope(trace="demo")
    for view in users.VIEWS:
        rows, sentence = view.answer(demo)
        assert len(rows) and sentence == "" and view.note(rows, demo), view.name
        assert view.figure(rows, demo).data if view.figure else view.table(rows, demo)
        assert data_table(rows, view.columns)


def league_rows(ask: Callable[..., dict], **request: object) -> dict:
    """What the league's grid gets for a request."""
    answer = ask("users-league-grid.getRowsResponse", users_league_grid=request, filters={"trace": "demo"})
    response: dict = answer["users-league-grid"]["getRowsResponse"]
    return response


def names(response: dict) -> list[str]:
    return [row["user"] for row in response["rowData"]]


def test_every_user_is_in_the_league_a_block_at_a_time(
    data: Path, ask: Callable[..., dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages import user_league

    whole = league_rows(ask)
    everybody = set(synthetic.synthetic_jobs()["user"])
    assert set(names(whole)) == everybody and whole["rowCount"] == len(everybody)
    monkeypatch.setattr(user_league, "BLOCK_ROWS", 4)
    assert names(league_rows(ask, startRow=4)) == names(whole)[4:8]
    first = league_rows(ask)["rowData"][0]
    assert first["address"] == f"/users/{first['user']}?trace=demo" and len(first["by_week"]) == 3


def test_the_league_is_sorted_and_filtered_as_a_whole(data: Path, ask: Callable[..., dict]) -> None:
    by_jobs = league_rows(ask, sortModel=[{"colId": "gpu_jobs", "sort": "asc"}])["rowData"]
    jobs = synthetic.synthetic_jobs().query("gpu_num > 0").groupby("user")["user"].count()
    assert [row["gpu_jobs"] for row in by_jobs] == sorted(jobs)
    named = league_rows(ask, filterModel={"user": {"filterType": "text", "type": "contains", "filter": "U1"}})
    assert set(names(named)) == {user for user in jobs.index if "u1" in user}
    ends = [{"type": "greaterThanOrEqual", "filter": 60}, {"type": "lessThan", "filter": 70}]
    between = {"filterType": "number", "operator": "AND", "conditions": ends}
    found = league_rows(ask, filterModel={"completion": between})["rowData"]
    assert found and all(0.6 <= row["completion"] < 0.7 for row in found)
    outside = {
        "operator": "OR",
        "conditions": [{**ends[0], "type": "lessThan"}, {**ends[1], "type": "equals"}],
    }
    rest = league_rows(ask, filterModel={"completion": outside})["rowData"]
    assert rest and all(row["completion"] < 0.6 or round(100 * row["completion"], 1) == 70 for row in rest)
    assert len(names(league_rows(ask, filterModel={"gpu_s": ends[0]}))) == len(jobs)


def test_who_completed_as_many_per_cent_as_is_asked_for_is_found_as_it_is_written(
    data: Path, ask: Callable[..., dict]
) -> None:
    for row in league_rows(ask)["rowData"]:
        if row["completion"] is not None:
            asked = {"filterType": "number", "type": "equals", "filter": round(100 * row["completion"], 1)}
            assert row["user"] in names(league_rows(ask, filterModel={"completion": asked}))


def test_a_bound_in_per_cent_is_the_number_that_is_written(data: Path) -> None:
    from pages.user_league import wanted

    ratios = pd.DataFrame({"completion": [part / 100 for part in range(101)]})
    for asked in range(101):
        bound = {"filterType": "number", "type": "greaterThanOrEqual", "filter": asked}
        assert list(wanted(ratios, {"filterModel": {"completion": bound}}).index) == list(range(asked, 101))
        below = {**bound, "type": "lessThan"}
        assert list(wanted(ratios, {"filterModel": {"completion": below}}).index) == list(range(asked))


def test_the_league_says_whom_it_shows_in_which_order_and_why_nobody(
    data: Path, ask: Callable[..., dict]
) -> None:
    def note(trace: str = "demo", **request: object) -> str:
        answer = ask("users-league-grid.getRowsResponse", users_league_grid=request, filters={"trace": trace})
        said = next(part["children"] for key, part in answer.items() if "note" in key)
        return plain(said)

    everybody = len(set(synthetic.synthetic_jobs()["user"]))
    assert "Sorted by “GPU time”" in note() and f"All {everybody} users are shown." in note()
    assert "Sorted by “Completed”" in note(sortModel=[{"colId": "completion", "sort": "asc"}])
    one = {"filterType": "text", "type": "contains", "filter": "u11"}
    assert f"1 of {everybody} users fits the filters." in note(filterModel={"user": one})
    store(data, "lonely", [job(user="ann", submit_time="2020-09-01", duration_s=60.0)])
    assert "1 user is shown." in note("lonely")
    store(data, "bare", [job(submit_time="2020-09-01", duration_s=60.0)])
    assert note("bare") == "This trace has no users."


def test_the_csv_of_the_league_has_who_fits_in_the_grids_order(data: Path, ask: Callable[..., dict]) -> None:
    request = {
        "filterModel": {"user": {"filterType": "text", "type": "contains", "filter": "u1"}},
        "sortModel": [{"colId": "gpu_jobs", "sort": "desc"}],
    }
    answer = ask('"users-league","type":"download"', users_league_grid=request, filters={"trace": "demo"})
    lines = next(iter(answer.values()))["data"]["content"].splitlines()
    assert lines[0].startswith("user,") and [line.split(",")[0] for line in lines[1:]] == names(
        league_rows(ask, **request)
    )


def test_with_pseudonyms_no_name_leaves_the_server(
    data: Path, ask: Callable[..., dict], scope: Callable, policy: Callable
) -> None:
    from pages import identities

    policy("pseudonyms")
    shown = json.dumps(league_rows(ask))
    assert '"user 1"' in shown and '"u0' not in shown and "u1" not in shown
    first = synthetic.synthetic_jobs().groupby("user")["submit_time"].min().sort_values().index[0]
    assert identities.real_names("user 1", "demo") == [first]
    assert identities.real_names("u01", "demo") == []


def test_switched_off_there_is_no_page_and_nobody_can_be_searched(
    data: Path, client: FlaskClient, scope: Callable, policy: Callable
) -> None:
    from pages import identities, users

    assert client.get("/users?trace=demo").status_code == 200
    policy("off")
    assert client.get("/users?trace=demo").status_code == 404
    assert "HELIOGRAPH_USERS=off" in page(client, "/users", "?trace=demo")
    assert all(view.answer(scope(trace="demo"))[0].empty for view in users.VIEWS)
    assert identities.real_names("u01", "demo") == []
