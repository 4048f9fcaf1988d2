"""The job finder's question against pandas: what fits, its order, its pages, nothing but listed columns."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from queries import QueryError
from queries.search import DEEPEST_ROW, SORT_COLUMNS, Search, all_found, find
from tests import synthetic
from tests.stored_trace import job, store

START, END = pd.Timestamp("2020-09-01 16:00"), pd.Timestamp("2020-09-08 16:00")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}


@pytest.fixture
def jobs(data: Path) -> pd.DataFrame:
    """The synthetic jobs of the window as they are stored."""
    synthetic.write(data)
    frame = synthetic.synthetic_jobs().sort_values(["cluster", "submit_time"], kind="stable")
    frame["row"] = range(len(frame))
    return frame[(frame["submit_time"] >= START) & (frame["submit_time"] < END)]


def expected(jobs: pd.DataFrame, search: Search, timezone: str = synthetic.TIMEZONE) -> list[int]:
    """The rows that fit, in order, by pandas."""
    fits = pd.Series(True, index=jobs.index)
    for column, text in search.contains:
        fits &= jobs[column].str.contains(text, case=False, regex=False).fillna(False)
    local = jobs["submit_time"].dt.tz_localize("UTC").dt.tz_convert(timezone).dt
    jobs = jobs.assign(submit_hour=local.hour, submit_weekday=local.day_of_week + 1)
    for column, least, most in search.between:
        fits &= jobs[column].ge(least if least is not None else float("-inf"))
        fits &= jobs[column].le(most if most is not None else float("inf"))
    if search.users is not None:
        fits &= jobs["user"].isin(search.users)
    by = list(dict.fromkeys([search.sort, "cluster", "row"]))
    ways = [not search.descending] + [True] * (len(by) - 1)
    return jobs[fits].sort_values(by, ascending=ways, na_position="last")["row"].tolist()


searches = st.builds(
    Search,
    contains=st.sampled_from([(), (("state", "fail"),), (("state", "C"),), (("state", "100%"),)]),
    between=st.lists(
        st.tuples(
            st.sampled_from(["gpu_num", "duration_s", "queueing_delay_s", "submit_hour", "submit_weekday"]),
            st.sampled_from([None, 0.0, 2.0]),
            st.sampled_from([None, 8.0, 500.0]),
        ),
        max_size=2,
    ).map(tuple),
    users=st.sampled_from([None, (), ("u01", "u02"), ("u'1",)]),
    sort=st.sampled_from(["submit_time", "duration_s", "gpu_num", "user", "cluster", "state"]),
    descending=st.booleans(),
)


@given(search=searches)
@hypothesis_settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_found_its_order_and_its_number_are_those_of_pandas(
    jobs: pd.DataFrame, search: Search
) -> None:
    rows = expected(jobs, search)
    first, total = find(search, trace="demo", **SCOPE, size=50)
    second, _ = find(search, trace="demo", **SCOPE, skip=50, size=50)
    assert total == len(rows)
    assert first["row"].tolist() + second["row"].tolist() == rows[:100]
    found = [row for frame in all_found(search, trace="demo", **SCOPE) for row in frame["row"]]
    assert found == rows


def test_times_are_local_and_unknown_values_come_last_in_both_directions(data: Path) -> None:
    rows = [
        job(submit_time="2020-09-02 23:00", duration_s=None),
        job(submit_time="2020-09-03", duration_s=5.0),
        job(submit_time="2020-09-04", duration_s=9.0),
    ]
    store(data, "t", rows, timezone="Asia/Shanghai")
    down, _ = find(Search(sort="duration_s"), trace="t", **SCOPE)
    up, _ = find(Search(sort="duration_s", descending=False), trace="t", **SCOPE)
    assert down["row"].tolist() == [2, 1, 0] and up["row"].tolist() == [1, 2, 0]
    assert down["submit_time"].iloc[-1] == pd.Timestamp("2020-09-03 07:00")


@pytest.mark.parametrize(
    ("timezone", "first", "last"),
    [
        ("UTC", "2020-02-27", "2020-03-03"),  # over a leap day
        ("Asia/Kathmandu", "2020-08-30", "2020-09-06"),  # 5:45 h ahead
        ("Australia/Lord_Howe", "2020-10-01", "2020-10-06"),  # clocks go forward by half an hour
        ("Europe/Berlin", "2020-10-22", "2020-10-28"),  # one hour comes twice
        ("America/New_York", "2020-03-06", "2020-03-11"),  # one hour is skipped
    ],
)
def test_jobs_are_found_by_the_local_hour_and_weekday_of_their_submission(
    data: Path, timezone: str, first: str, last: str
) -> None:
    times = pd.date_range(first, last, freq="7min 13s")
    rows = [job(submit_time=time, duration_s=60.0) for time in times]
    store(data, "t", rows, timezone=timezone)
    jobs = pd.DataFrame(rows).assign(row=range(len(rows)))
    scope = SCOPE | {"start": times[5] + pd.Timedelta("1s"), "end": times[-5]}
    inside = jobs[(jobs["submit_time"] >= scope["start"]) & (jobs["submit_time"] < scope["end"])]
    for between in (
        (("submit_hour", 2.0, 2.0),),
        (("submit_hour", None, 1.0), ("submit_weekday", 7.0, None)),
        (("submit_hour", 23.0, 23.0), ("submit_weekday", 1.0, 1.0), ("duration_s", 60.0, 60.0)),
        (("submit_hour", 24.0, None),),
    ):
        search = Search(between=between)
        wanted = expected(inside, search, timezone)
        found, total = find(search, trace="t", **scope, size=1000)
        assert found["row"].tolist() == wanted and total == len(wanted)
        local = found["submit_time"].dt
        assert found["submit_hour"].tolist() == local.hour.tolist()
        assert found["submit_weekday"].tolist() == (local.day_of_week + 1).tolist()


@pytest.mark.parametrize("column", SORT_COLUMNS)
def test_every_listed_column_sorts(jobs: pd.DataFrame, column: str) -> None:
    frame, _ = find(Search(sort=column), trace="demo", **SCOPE, size=3)
    assert len(frame) == 3


@pytest.mark.parametrize(
    "search",
    [
        Search(sort='row"; DROP TABLE jobs; --'),
        Search(sort="flags"),
        Search(contains=(("1=1 OR job_id", "x"),)),
        Search(between=(("state", 1.0, 2.0),)),
    ],
)
def test_a_column_that_is_not_listed_is_refused(jobs: pd.DataFrame, search: Search) -> None:
    with pytest.raises(QueryError, match="Jobs cannot be"):
        find(search, trace="demo", **SCOPE)


def test_a_text_is_a_value_and_never_a_statement(jobs: pd.DataFrame) -> None:
    for text in ("' OR true --", "$size", "%", "_"):
        assert find(Search(contains=(("state", text),)), trace="demo", **SCOPE)[1] == expected_number(
            jobs, text
        )


def expected_number(jobs: pd.DataFrame, text: str) -> int:
    return int(jobs["state"].str.contains(text, regex=False).sum())


@pytest.mark.parametrize(("skip", "size"), [(DEEPEST_ROW, 1), (-1, 10), (0, 5000), (0, 0)])
def test_a_page_that_is_too_deep_or_too_large_is_refused(jobs: pd.DataFrame, skip: int, size: int) -> None:
    with pytest.raises(QueryError, match="first 10,000"):
        find(Search(), trace="demo", **SCOPE, skip=skip, size=size)
