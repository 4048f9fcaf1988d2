"""Local time becomes UTC, and what users type becomes an instant."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import TraceError, clock

LA = "America/Los_Angeles"


def utc(text: str, zone: str) -> tuple[str, bool, bool]:
    times, ambiguous, nonexistent = clock.to_utc(pd.Series([pd.Timestamp(text)]), zone)
    return str(times[0]), bool(ambiguous[0]), bool(nonexistent[0])


def test_a_time_in_the_repeated_hour_is_the_earlier_instant():
    assert utc("2017-11-05 01:30", LA) == ("2017-11-05 08:30:00", True, False)


def test_a_time_in_the_skipped_hour_is_moved_forward_to_the_first_that_exists():
    assert utc("2017-03-12 02:30", LA) == ("2017-03-12 10:00:00", False, True)


def test_an_ordinary_time_is_neither_ambiguous_nor_nonexistent():
    assert utc("2017-11-05 00:59:59", LA) == ("2017-11-05 07:59:59", False, False)


def test_helios_time_is_eight_hours_ahead_all_year_in_2020():
    days = pd.Series(pd.date_range("2020-01-01", "2020-12-31", freq="D"))
    times, ambiguous, nonexistent = clock.to_utc(days, "Asia/Shanghai")
    assert ((days - times) == pd.Timedelta(hours=8)).all()
    assert not ambiguous.any()
    assert not nonexistent.any()


def test_a_repeated_hour_without_daylight_saving_is_the_earlier_instant_too():
    # Moscow left UTC+4 for UTC+3 for good: neither side of the repeated hour is daylight saving
    assert utc("2014-10-26 01:30", "Europe/Moscow") == ("2014-10-25 21:30:00", True, False)


def test_missing_times_stay_missing():
    times, ambiguous, _ = clock.to_utc(pd.Series([pd.NaT], dtype="datetime64[us]"), LA)
    assert times.isna().all()
    assert not ambiguous.any()


@given(st.datetimes(min_value=pd.Timestamp("1975-01-01"), max_value=pd.Timestamp("2037-12-31")))
def test_utc_and_back_is_the_same_local_time_unless_it_never_existed(moment):
    local = pd.Series([moment]).astype("datetime64[us]")
    times, _, nonexistent = clock.to_utc(local, LA)
    back = clock.to_local(times, LA)
    assert (back > local).all() if nonexistent[0] else (back == local).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2017-10-01", "2017-10-01 07:00:00"),
        ("2017-10-01 08:00", "2017-10-01 15:00:00"),
        ("2017-11-30 23:59:01", "2017-12-01 07:59:01"),
        ("2017-10-01T08:00:00Z", "2017-10-01 08:00:00"),
        ("2017-10-01T08:00:00+08:00", "2017-10-01 00:00:00"),
        ("2017-11-05 01:30:00", "2017-11-05 08:30:00"),
    ],
)
def test_a_date_is_local_midnight_and_an_offset_wins_over_the_zone(text, expected):
    assert str(clock.instant(text, LA)) == expected


@pytest.mark.parametrize(
    "text", ["", "soon", "2017-13-01", "2017-02-30", "1.10.2017", "2017-10-01 25:00", "9999-01-01"]
)
def test_nonsense_for_an_instant_is_one_sentence(text):
    with pytest.raises(TraceError, match="neither a date nor a time"):
        clock.instant(text, LA)


@pytest.mark.parametrize("name", ["Asia/Shangai", "", "Asia", "../../etc/passwd", "UTC+8", "x" * 300, "a\0b"])
def test_an_unknown_time_zone_is_one_sentence(name):
    with pytest.raises(TraceError, match="Unknown time zone"):
        clock.zone(name)


def test_a_misspelled_time_zone_names_the_right_one():
    with pytest.raises(TraceError, match="Asia/Shanghai"):
        clock.zone("Asia/Shangai")
