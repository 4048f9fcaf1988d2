"""The job finder: addresses and the grid's requests, rows over HTTP, the whole CSV, hidden users."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

import settings
from tests import synthetic
from tests.pages.test_app import page
from tests.stored_trace import job, store

ends = st.one_of(st.none(), st.integers(0, 10**6).map(float))
ranges = st.tuples(ends, ends).filter(lambda pair: pair != (None, None))


@given(
    texts=st.dictionaries(
        st.sampled_from(["user", "job_id", "state"]), st.text(min_size=1).map(lambda text: f"x{text}")
    ),
    numbers=st.dictionaries(st.sampled_from(["gpu_num", "duration_s", "submit_hour"]), ranges),
    sort=st.sampled_from(["submit_time", "duration_s", "user"]),
    descending=st.booleans(),
)
def test_a_search_is_the_same_in_the_address_and_in_the_grid(
    application: Any, texts: dict, numbers: dict, sort: str, descending: bool
) -> None:
    from urllib.parse import parse_qs

    from pages.job_search import TEXTS, Wanted, from_grid, from_query
    from queries.search import NUMBER_COLUMNS

    wanted = Wanted(
        tuple((name, texts[name]) for name in TEXTS if name in texts),
        tuple((name, *numbers[name]) for name in NUMBER_COLUMNS if name in numbers),
        sort,
        descending,
    )
    query = {name: values[0] for name, values in parse_qs(wanted.query_string()).items()}
    assert from_query(query) == wanted
    order = [{"colId": sort, "sort": "desc" if descending else "asc"}]
    assert from_grid({"filterModel": wanted.grid_filters(), "sortModel": order}) == wanted


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"gpu_num": "many"}, "is not a range for “gpu_num”"),
        ({"gpu_num": ".."}, "is not a range"),
        ({"duration_s": "nan.."}, "is not a range"),
        ({"sort": "-flags"}, "cannot be sorted by “flags”"),
    ],
)
def test_an_address_that_makes_no_search_is_a_sentence(application: Any, query: dict, sentence: str) -> None:
    from components.filters import FilterError
    from pages.job_search import from_query

    with pytest.raises(FilterError, match=sentence):
        from_query(query)


def rows_over_http(ask: Callable[..., dict], **request: Any) -> dict[str, Any]:
    block = {"startRow": 0, "endRow": 100, "sortModel": [], "filterModel": {}} | request
    return ask("finder-grid.getRowsResponse", finder_grid=block, filters={"trace": "demo"})


def test_the_grid_gets_a_block_in_its_order_and_how_many_rows_there_are(
    data: Path, ask: Callable[..., dict]
) -> None:
    shown = rows_over_http(
        ask,
        startRow=100,
        sortModel=[{"colId": "duration_s", "sort": "desc"}],
        filterModel={"gpu_num": {"type": "greaterThanOrEqual", "filter": 2}},
    )
    frame = synthetic.synthetic_jobs()
    frame = frame[frame["gpu_num"] >= 2]
    block = shown["finder-grid"]["getRowsResponse"]
    assert block["rowCount"] == len(frame)
    longest = frame["duration_s"].sort_values(ascending=False).tolist()
    assert [row["duration_s"] for row in block["rowData"]] == longest[100:150]
    assert shown["finder-answer"]["children"].startswith(f"{len(frame):,} jobs submitted")
    assert shown["finder-wanted"]["data"] == "gpu_num=2..&sort=-duration_s"


def test_the_csv_has_every_job_that_fits_in_order_with_local_times(
    data: Path, client: FlaskClient, ask: Callable[..., dict]
) -> None:
    shown = rows_over_http(ask, filterModel={"user": {"type": "contains", "filter": "u01"}})
    response = client.get(shown["finder-csv"]["href"])
    assert response.headers["Content-Disposition"] == 'attachment; filename="heliograph-jobs.csv"'
    lines = list(csv.DictReader(io.StringIO(response.text)))
    frame = synthetic.synthetic_jobs()
    frame = frame[frame["user"] == "u01"].sort_values("submit_time", ascending=False)
    assert len(lines) == len(frame)
    local = frame["submit_time"] + pd.Timedelta(hours=8)
    assert pd.to_datetime([line["submit_time"] for line in lines]).tolist() == local.tolist()
    assert {line["user"] for line in lines} == {"u01"}


@pytest.mark.parametrize("query", ["trace=gone", "trace=demo&gpu_num=x", "trace=demo&sort=flags"])
def test_a_csv_of_nothing_that_can_be_found_is_404_with_the_reason(
    data: Path, client: FlaskClient, query: str
) -> None:
    response = client.get(f"/jobs/find.csv?{query}")
    assert response.status_code == 404 and len(response.text) > 20


def test_a_csv_without_jobs_has_its_header(data: Path, client: FlaskClient) -> None:
    assert client.get("/jobs/find.csv?trace=demo&job_id=none").text.startswith("job_id,submit_time,user,")


def test_the_page_opens_with_the_search_of_its_address(data: Path, application: Any) -> None:
    from pages import job_finder

    wanted = job_finder.from_query({"state": "failed", "gpu_num": "8..", "sort": "-duration_s"})
    columns = {each["field"]: each for each in job_finder.grid_columns(wanted)}
    assert columns["duration_s"]["sort"] == "desc"
    assert wanted.grid_filters()["gpu_num"] == {
        "filterType": "number",
        "type": "greaterThanOrEqual",
        "filter": 8.0,
    }
    assert columns["job_name"]["hide"] and not columns["user"]["hide"]
    by_hour = job_finder.from_query({"submit_hour": "14..14"})
    columns = {each["field"]: each for each in job_finder.grid_columns(by_hour)}
    assert not columns["submit_hour"]["hide"] and columns["submit_weekday"]["hide"]
    assert list(columns)[:3] == ["job_id", "submit_hour", "submit_time"]


@pytest.mark.parametrize("policy", ["pseudonyms", "off"])
def test_neither_grid_nor_csv_tell_a_name_that_is_not_to_be_shown(
    data: Path, client: FlaskClient, ask: Callable[..., dict], monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    from pages import job_finder

    monkeypatch.setenv("HELIOGRAPH_USERS", policy)
    settings.current.cache_clear()
    shown = rows_over_http(ask)
    rows = shown["finder-grid"]["getRowsResponse"]["rowData"]
    users = {row.get("user") for row in rows}
    assert users == {None} if policy == "off" else all(user.startswith("user ") for user in users)
    text = client.get(shown["finder-csv"]["href"]).text
    assert not any(f"u{number:02}" in text for number in range(20))
    by_name = rows_over_http(ask, filterModel={"user": {"type": "contains", "filter": "u01"}})
    assert by_name["finder-grid"]["getRowsResponse"]["rowCount"] == 0
    columns = {each["field"]: each for each in job_finder.grid_columns(job_finder.Wanted())}
    assert "user" not in columns or columns["user"]["sortable"] is False


def test_a_page_of_a_job_says_what_happened_to_it(data: Path, client: FlaskClient, application: Any) -> None:
    from pages import job as job_page
    from pages.job_subject import job_of, load_while_waiting, phases
    from tests.components.text import plain

    times = {
        "submit_time": "2020-09-01 00:00",
        "start_time": "2020-09-01 02:00",
        "end_time": "2020-09-01 02:30",
    }
    rows = [job(job_id="a/1", user="ann", gpu_num=8.0, **times)]
    rows += [job(user="ann", gpu_num=8.0, submit_time="2020-09-01", duration_s=60.0, state="FAILED")]
    store(data, "real", rows, timezone="Asia/Shanghai")
    subject = job_of("real", "Venus", "a%2F1")
    assert plain(job_page.answer(subject)) == (
        "It waited 2 h, ran 30 min; state completed; its user's one similar job ran shorter."
    )
    assert phases(subject)["seconds"].tolist() == [7200.0, 1800.0]
    load = load_while_waiting(subject)
    assert load["used_gpus"].max() == 8.0 and load["waiting_gpus"].max() == 8.0
    for view in job_page.VIEWS:
        rows_shown, sentence = view.answer(subject)
        assert sentence == "" and view.figure(rows_shown, subject).data and view.note(rows_shown, subject)


def test_a_job_of_which_little_is_known_says_what_is_unknown(data: Path, application: Any) -> None:
    from pages import job as job_page
    from pages.job_subject import job_of

    store(data, "bare", [job(job_id="7", submit_time="2020-09-01", state="UNKNOWN", gpu_num=None)])
    subject = job_of("bare", "Venus", "7")
    assert job_page.answer(subject) == "It ran for an unknown time."
    sentences = [view.answer(subject)[1] for view in job_page.VIEWS]
    assert (
        "does not say" in sentences[0]
        and "not known when" in sentences[1]
        and "not known whose" in sentences[2]
    )
    assert dict(job_page.job_facts(subject))["GPUs"] == "unknown"


@pytest.mark.parametrize("path", ["/jobs/demo/Venus/none", "/jobs/gone/Venus/1", "/jobs/demo/Mars/1"])
def test_a_job_that_is_not_stored_is_404(data: Path, client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_job_that_is_stored_has_its_page(data: Path, client: FlaskClient) -> None:
    store(data, "real", [job(job_id="7.batch (1)", submit_time="2020-09-01")])
    assert client.get("/jobs/real/Venus/7.batch%20%281%29").status_code == 200
    assert "What happened to job 7.batch (1)?" in page(client, "/jobs/real/Venus/7.batch%20%281%29", "")
