"""The days of a scheduling form that nobody chose: the last month of a long trace; how to say every day."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

from pages.scope import Scope
from tests.stored_trace import job, store


@pytest.fixture
def trace(application: ModuleType, empty: Path) -> Callable[..., str]:
    def trace(*days: str) -> str:
        store(empty, "long", [job(submit_time=f"{day} 12:00", duration_s=60.0) for day in days])
        return "long"

    return trace


def days(scope: Scope) -> tuple[date | None, date | None]:
    return scope.filters.first_day, scope.filters.last_day


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2020-04-01", "2020-09-28", (date(2020, 9, 1), date(2020, 9, 28))),
        ("2020-04-01", "2020-09-06", (date(2020, 8, 1), date(2020, 8, 31))),
        ("2020-04-01", "2020-09-07", (date(2020, 9, 1), date(2020, 9, 7))),
        ("2020-08-20", "2020-09-03", (date(2020, 8, 20), date(2020, 8, 31))),
        ("2020-09-02", "2020-09-28", (None, None)),
        ("2020-09-01", "2020-09-05", (None, None)),
    ],
)
def test_a_form_begins_with_the_last_month_of_a_trace(
    trace: Callable[..., str], first: str, last: str, expected: tuple[date | None, date | None]
) -> None:
    from pages.replay_scenario import every_day, form_scope

    scope = form_scope({"trace": trace(first, last)})
    assert days(scope) == expected
    assert every_day(scope) == ("all" if expected[0] else "")


@pytest.mark.parametrize("given", [{"days": "all"}, {"run": "x"}, {"also": "{}"}])
def test_an_address_that_means_every_day_keeps_every_day(
    trace: Callable[..., str], given: dict[str, str]
) -> None:
    from pages.replay_scenario import form_scope

    assert days(form_scope({"trace": trace("2020-04-01", "2020-09-28")} | given)) == (None, None)


def test_days_of_the_address_stay(trace: Callable[..., str]) -> None:
    from pages.replay_scenario import form_scope

    query = {"trace": trace("2020-04-01", "2020-09-28"), "from": "2020-05-01"}
    assert days(form_scope(query))[0] == date(2020, 5, 1)


def test_a_stored_scenario_of_every_day_is_linked_as_one(trace: Callable[..., str]) -> None:
    from pages.replay_scenario import replay_query
    from runs.scenario import SchedulingScenario, document

    whole = document(SchedulingScenario(trace("2020-04-01", "2020-09-28")))
    assert ("days", "all") in replay_query(whole)
    part = document(SchedulingScenario("long", from_="2020-05-01", to="2020-06-01"))
    assert ("days", "all") not in replay_query(part)
