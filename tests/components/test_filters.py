"""The choice in the address: read back as it was written, whatever is chosen."""

from datetime import date

import pytest
from dash._pages import _parse_query_string
from hypothesis import given
from hypothesis import strategies as st

from components.filters import FilterError, Filters, from_json, from_query

names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
days = st.one_of(st.none(), st.dates(date(2000, 1, 2), date(2100, 1, 1)))
filters = st.builds(
    Filters,
    trace=st.one_of(st.none(), names),
    clusters=st.sets(names, max_size=3).map(lambda chosen: tuple(sorted(chosen))),
    vcs=st.sets(names, max_size=3).map(lambda chosen: tuple(sorted(chosen))),
    first_day=days,
    last_day=days,
)


@given(filters)
def test_an_address_gives_back_the_choice_that_wrote_it(chosen: Filters) -> None:
    assert from_query(_parse_query_string(chosen.query_string())) == chosen


@given(filters)
def test_the_browsers_copy_is_the_same_choice(chosen: Filters) -> None:
    assert from_json(chosen.to_json()) == chosen


def test_the_last_day_is_included_on_the_page_and_excluded_in_the_address_as_on_the_command_line() -> None:
    chosen = from_query({"trace": "t", "from": "2020-09-01", "to": "2020-09-27"})
    assert (chosen.first_day, chosen.last_day) == (date(2020, 9, 1), date(2020, 9, 26))
    assert chosen.query_string() == "?trace=t&from=2020-09-01&to=2020-09-27"


def test_the_order_in_which_clusters_are_chosen_does_not_matter() -> None:
    one, other = (from_query({"cluster": clusters}) for clusters in (["Venus", "Earth"], ["Earth", "Venus"]))
    assert one.query_string() == other.query_string() == "?cluster=Earth&cluster=Venus"


def test_keys_that_are_not_ours_are_ignored() -> None:
    assert from_query({"utm_source": "mail"}) == Filters()


@pytest.mark.parametrize("key", ["trace", "cluster", "vc", "from", "to"])
@pytest.mark.parametrize("blank", ["", [""], ["", ""]])
def test_a_key_with_nothing_behind_it_chooses_nothing(key: str, blank: str | list[str]) -> None:
    assert from_query({key: blank}) == Filters()


def test_a_day_that_is_none_is_refused_with_a_sentence() -> None:
    with pytest.raises(FilterError, match="“soon” is not a day for “from”; write it as 2020-09-01"):
        from_query({"from": "soon"})
