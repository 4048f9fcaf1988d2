"""Cards about stored traces are drawn once, and again as soon as what they show may be another thing."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import settings
from pages import remembered
from queries import QueryError
from tests.stored_trace import job, store

CHOICE = {"trace": "t", "clusters": [], "vcs": []}


@pytest.fixture
def drawn(empty: Path) -> list[str]:
    """A stored trace ``t``, and what has been drawn so far."""
    store(empty, "t", [job(submit_time="2020-09-01")])
    return []


def card(drawn: list[str], choice: dict = CHOICE, name: str = "a") -> str:
    def draw() -> str:
        drawn.append(name)
        return f"{name} {len(drawn)}"

    return remembered.card(name, choice, draw)


def test_a_card_is_drawn_once_for_the_same_choice(drawn: list[str]) -> None:
    assert card(drawn) == card(drawn) == "a 1"
    assert card(drawn, name="b") == "b 2"
    assert card(drawn, {**CHOICE, "clusters": ["Venus"]}) == "a 3"


def test_an_import_has_it_drawn_anew_also_where_it_is_one_of_two(drawn: list[str], empty: Path) -> None:
    store(empty, "other", [job(submit_time="2020-09-01")])
    both = {"one": CHOICE, "other": {"trace": "other"}, "references": True}
    assert (card(drawn), card(drawn, both)) == ("a 1", "a 2")
    store(empty, "other", [job(submit_time="2020-09-02")], version=2)
    assert (card(drawn), card(drawn, both)) == ("a 1", "a 3")
    store(empty, "t", [job(submit_time="2020-09-02")], version=2)
    assert (card(drawn), card(drawn, both)) == ("a 4", "a 5")


def test_another_setting_has_it_drawn_anew(drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert card(drawn) == "a 1"
    monkeypatch.setenv("HELIOGRAPH_USERS", "off")
    settings.current.cache_clear()
    assert card(drawn) == "a 2"


def test_what_cannot_be_drawn_is_not_kept(drawn: list[str]) -> None:
    def fail() -> str:
        raise QueryError("This took longer than 15 s and was stopped.")

    with pytest.raises(QueryError):
        remembered.card("a", CHOICE, fail)
    assert card(drawn) == "a 1"


def test_what_many_ask_for_at_once_is_drawn_once(drawn: list[str]) -> None:
    def draw() -> str:
        time.sleep(0.1)
        drawn.append("a")
        return f"a {len(drawn)}"

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: remembered.card("a", CHOICE, draw), range(4))) == {"a 1"}


def test_only_the_cards_asked_for_last_are_kept(drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "KEPT", 2)
    for name in ("a", "b", "a", "c"):
        card(drawn, name=name)
    assert drawn == ["a", "b", "c"]
    card(drawn, name="a")
    card(drawn, name="b")
    assert drawn == ["a", "b", "c", "b"]
