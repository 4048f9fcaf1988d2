"""Why jobs wait, on the queueing page: by hand, with names as the server shows them, of a part that fits."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import settings
from pages.scope import Scope
from queries import QueryError, fetch
from tests.stored_trace import job, store

DAY = "2020-09-01"


def asked(job_id: str, user: str | None, gpus: int, second: int, vc: str = "vc1", day: str = DAY) -> dict:
    """A job of 100 s."""
    submit = pd.Timestamp(day) + pd.Timedelta(seconds=second)
    return job(job_id=job_id, user=user, gpu_num=float(gpus), submit_time=submit, duration_s=100.0, vc=vc)


@pytest.fixture
def hand(application: ModuleType, empty: Path, scope: Callable[..., Scope]) -> Scope:
    """In vc1 bob waits 90 s for ann's GPUs; cec 80 s behind bob at the head and 100 s for his GPUs.

    In vc2 two jobs of ann: the second waits 100 s for the first.
    """
    jobs = [
        asked("runs", "ann", 4, 0),
        asked("gang", "bob", 8, 10),
        asked("small", "cec", 1, 20),
        asked("first", "ann", 8, 0, vc="vc2"),
        asked("next", "ann", 8, 0, vc="vc2"),
    ]
    store(empty, "hand", jobs, [("Venus", vc, DAY, 8) for vc in ("vc1", "vc2")])
    return scope(trace="hand")


def test_causes_by_vc_are_shares_of_its_waiting(hand: Scope) -> None:
    from pages import waits

    rows = waits.by_vc(hand).set_index("label")
    assert rows.loc["vc1", ["waited_s", "jobs", "waiting_jobs"]].tolist() == [270, 3, 2]
    shares = [f"{cause}_share" for cause in ("capacity", "fragmentation", "head_of_line")]
    assert rows.loc["vc1", shares].tolist() == pytest.approx([190 / 270, 0, 80 / 270])
    assert rows.loc["vc2", shares].tolist() == [1, 0, 0]
    note = waits.causes_note(waits.by_vc(hand), hand)
    assert "78\u00a0% too few free GPUs" in note and "22\u00a0% behind the head" in note
    assert "an empty cluster" in note and "6\u00a0min\u00a010\u00a0s in all" in note


def test_who_waits_behind_whom_and_behind_which_jobs(hand: Scope) -> None:
    from pages import waits

    rows = waits.blockers(hand)
    pairs = {(row.waiting_user, row.blocking_user): row.waited_s for row in rows.itertuples()}
    assert pairs == pytest.approx({("cec", "bob"): 180, ("bob", "ann"): 90, ("ann", "ann"): 100})
    assert rows["of_all"].sum() == pytest.approx(1)
    assert "27\u00a0% of the waiting is behind one’s own jobs" in waits.blockers_note(rows, hand)
    jobs = waits.blocking_jobs(hand)
    assert jobs["job_id"].tolist() == ["gang", "first", "runs"]
    assert "/jobs/hand/Venus/gang" in str(waits.job_table(jobs, hand))


def test_a_bar_opens_its_vc_and_a_cell_the_user_behind_whose_jobs_others_wait(hand: Scope) -> None:
    from pages import waits

    rows = waits.CAUSES.rows(hand)
    bars = waits.CAUSES.drawn(rows, hand).data[0]
    places = {name: place for name, (place, _) in zip(bars.x, bars.customdata, strict=True)}
    assert places == {vc: f"?trace=hand&cluster=Venus&vc={vc}" for vc in ("vc1", "vc2")}
    cells = waits.BLOCKERS.drawn(waits.BLOCKERS.rows(hand), hand).data[0]
    assert cells.meta == "/users/{x}?trace=hand" and set(cells.x) == {"ann", "bob"}


@pytest.mark.parametrize("users", ["pseudonyms", "off"])
def test_names_are_not_shown_where_the_server_hides_them(
    hand: Scope, users: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages import waits

    monkeypatch.setenv("HELIOGRAPH_USERS", users)
    settings.current.cache_clear()
    told = str(waits.job_table(waits.blocking_jobs(hand), hand))
    if users == "off":
        assert waits.BLOCKERS.answer(hand)[1] and "'User'" not in told
    else:
        rows = waits.blockers(hand)
        shown = set(fetch("user_pseudonyms", trace="hand")["pseudonym"])
        assert {*rows["waiting_user"], *rows["blocking_user"]} == shown
    assert not any(name in told for name in ("'ann'", "'bob'", "'cec'"))


def test_a_choice_of_too_many_jobs_is_replayed_over_its_last_days(
    application: ModuleType, empty: Path, scope: Callable[..., Scope], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages import waits

    days = [f"2020-09-{day:02d}" for day in range(1, 29)]
    store(
        empty,
        "month",
        [asked(f"{day} {i}", "ann", 8, 0, day=day) for day in days for i in range(3)],
        [("Venus", "vc1", DAY, 8)],
    )
    for most, jobs in ((84, 84), (30, 21), (3, 3)):
        monkeypatch.setattr(waits, "MOST_JOBS", most)
        whole = scope(trace="month")
        rows = waits.by_vc(whole)
        assert rows["jobs"].sum() == jobs
        assert rows["waited_s"].sum() == jobs / 3 * 300
        assert ("The last days" in waits.window_note(whole)) == (jobs < 84)
    monkeypatch.setattr(waits, "MOST_JOBS", 2)
    with pytest.raises(QueryError, match="choose a virtual cluster"):
        waits.by_vc(scope(trace="month"))


def test_without_capacity_it_says_that_nothing_can_be_replayed(
    application: ModuleType, empty: Path, scope: Callable[..., Scope]
) -> None:
    from pages import waits

    store(empty, "unknown", [asked("one", "ann", 1, 0)])
    assert "capacity" in waits.CAUSES.answer(scope(trace="unknown"))[1]
