"""Which instants a window means, and which capacity holds in it."""

import datetime as dt

import pandas as pd
import pytest

from runs import RunError
from runs.parts import largest_in_window
from runs.window import Window, window

MANIFEST = {
    "timezone": "Asia/Shanghai",
    "clusters": {
        "A": {"report": {"first_submit": "2020-04-01T20:30:00Z", "last_submit": "2020-04-05T00:00:00.25Z"}},
        "B": {"report": {"first_submit": "2020-04-03T00:00:00Z", "last_submit": "2020-04-09T00:00:00Z"}},
    },
}


def test_by_default_it_spans_from_the_first_local_midnight_to_the_second_after_the_last_submission():
    span = window(MANIFEST, ["A"], "", "")
    assert span.start_time == pd.Timestamp("2020-04-01 16:00:00")  # midnight of 2 April in Shanghai
    assert span.end_time == pd.Timestamp("2020-04-05 00:00:01")


def test_several_clusters_share_one_window():
    span = window(MANIFEST, ["A", "B"], "", "")
    assert span.end_time == pd.Timestamp("2020-04-09 00:00:01")


def test_a_date_is_local_midnight_and_the_end_is_not_included():
    span = window(MANIFEST, ["A"], "2020-04-02", "2020-04-03")
    assert (span.start_time, span.end_time) == (
        pd.Timestamp("2020-04-01 16:00"),
        pd.Timestamp("2020-04-02 16:00"),
    )
    assert span.local_days() == (dt.date(2020, 4, 2), dt.date(2020, 4, 2))


def test_a_window_that_ends_before_it_begins_is_refused():
    with pytest.raises(RunError, match="ends \\(2020-04-02\\) before it begins \\(2020-04-03\\)"):
        window(MANIFEST, ["A"], "2020-04-03", "2020-04-02")


def test_a_trace_without_jobs_has_no_window():
    empty = {"timezone": "UTC", "clusters": {"A": {"report": {"first_submit": None, "last_submit": None}}}}
    with pytest.raises(RunError, match="no jobs"):
        window(empty, ["A"], "", "")


QUOTA = pd.DataFrame(
    {
        "vc": ["a", "a", "a", "b"],
        "date": [dt.date(2020, 4, 1), dt.date(2020, 4, 10), dt.date(2020, 4, 20), dt.date(2020, 4, 15)],
        "gpus": [8, 64, 16, 24],
    }
)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2020-04-02", "2020-04-05", {"a": 8, "b": 24}),  # the first row also holds before it
        ("2020-04-02", "2020-04-10", {"a": 64, "b": 24}),
        ("2020-04-19", "2020-04-25", {"a": 64, "b": 24}),  # 64 still hold on the 19th
        ("2020-04-20", "2020-04-25", {"a": 16, "b": 24}),
        ("2020-03-01", "2020-03-02", {"a": 8, "b": 24}),
    ],
)
def test_capacity_is_each_vcs_maximum_over_the_windows_local_days(first, last, expected):
    span = Window(pd.Timestamp(first), pd.Timestamp(last) + pd.Timedelta(days=1), "UTC")
    assert largest_in_window(QUOTA, span) == expected


def test_without_capacity_nothing_is_known():
    span = Window(pd.Timestamp("2020-04-01"), pd.Timestamp("2020-04-02"), "UTC")
    assert largest_in_window(QUOTA.iloc[:0], span) == {}
