"""What a window has of whole local days, months and half hours: against zoneinfo's own days."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pages.scope import midnight
from queries import clock, manifests, warehouse
from tests.stored_trace import job, store

ZONES = ["UTC", "Asia/Kathmandu", "America/Los_Angeles", "Australia/Lord_Howe", "America/Havana"]
FIRST, LAST = pd.Timestamp("2017-10-20 05:00"), pd.Timestamp("2018-04-10 17:23:11")


def days_around(first: date, last: date) -> list[date]:
    return [first + timedelta(days=place) for place in range(-40, (last - first).days + 41)]


def instants(timezone: str) -> list[pd.Timestamp]:
    """Instants in and around the trace: any, midnights, and those beside midnights."""
    rng = np.random.default_rng(7)
    anywhere = FIRST + pd.to_timedelta(rng.integers(0, 170 * 86400, 60), unit="s")
    days = pd.date_range("2017-10-25", "2018-04-05", periods=25).date
    local = [midnight(day, timezone) for day in (*days, date(2017, 11, 1), date(2018, 3, 1))]
    beside = [each + pd.Timedelta(seconds=step) for each in local for step in (-1, 0, 1)]
    return [*anywhere, *beside, FIRST, LAST, LAST + pd.Timedelta(seconds=1)]


@pytest.mark.parametrize("timezone", ZONES)
def test_whole_days_and_months_of_a_window_are_those_whose_midnights_it_holds(
    data: Path, timezone: str
) -> None:
    store(data, "t", [job(submit_time=time, start_time=time) for time in (FIRST, LAST)], timezone=timezone)
    asked = warehouse.connection(manifests.version("t")).cursor()
    days = days_around(FIRST.date(), LAST.date())
    begin = {day: midnight(day, timezone) for day in days}
    months = [day for day in days if day.day == 1]
    times = instants(timezone)
    for start, end in zip(times, times[::-1], strict=True):
        start, end = min(start, end), max(start, end)
        for whole, first_name, end_name in (
            (days, "first_whole_day", "end_of_whole_days"),
            (months, "first_whole_month", "end_of_whole_months"),
        ):
            first = min(day for day in whole if begin[day] >= start)
            if end > LAST:  # what is left of the last day, or month, has no edge
                ends = min(day for day in whole if begin[day] > end)
            else:
                ends = max(day for day in whole if begin[day] <= end)
            found = asked.execute(
                f"SELECT {first_name}(?::TIMESTAMP), {end_name}(?::TIMESTAMP, ?::TIMESTAMP)",
                [start, start, end],
            ).fetchone()
            assert found == (first, max(first, ends)), (start, end)


@pytest.mark.parametrize("timezone", ZONES)
def test_a_local_midnight_is_the_first_instant_of_its_day(data: Path, timezone: str) -> None:
    store(data, "t", [job(submit_time=FIRST)], timezone=timezone)
    asked = warehouse.connection(manifests.version("t")).cursor()
    for day in days_around(FIRST.date(), LAST.date()):
        assert asked.execute("SELECT midnight(?::DATE)", [day]).fetchone() == (midnight(day, timezone),)


def test_a_trace_without_rollups_has_no_whole_periods(data: Path) -> None:
    store(data, "t", [job(submit_time=FIRST), job(submit_time=LAST)], timezone="UTC")
    for path in manifests.version("t").folder.glob("cohorts/*.parquet"):
        path.unlink()
    asked = warehouse.connection(manifests.version("t")).cursor()
    first, end, slot = asked.execute(
        "SELECT first_whole_day($start::TIMESTAMP), end_of_whole_days($start::TIMESTAMP, $end::TIMESTAMP), "
        "slot_s($start::TIMESTAMP, 600)",
        {"start": FIRST, "end": LAST},
    ).fetchone()
    assert (first, end, slot) == (date(2017, 10, 21), date(2017, 10, 21), None)


def test_every_function_is_defined_by_a_macro_of_its_name() -> None:
    text = "".join(path.read_text() for path in clock.FOLDER.glob("*.sql"))
    for name, (takes, _) in clock.FUNCTIONS.items():
        head = text[text.index(f"CREATE MACRO {name}(") :]
        assert head[: head.index(")")].count(",") + 1 == len(takes), name
