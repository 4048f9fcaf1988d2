"""The warehouse itself: versions, limits, and what a query must not do."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import settings
from queries import QueryError, fetch, manifests, warehouse
from queries.statement import Statement, statement
from tests import synthetic
from tests.stored_trace import job, store

SCOPE = {"clusters": [], "vcs": [], "start": pd.Timestamp("2020-09-01"), "end": pd.Timestamp("2020-10-01")}


def submitted(trace: str) -> int:
    return int(fetch("jobs_submitted", trace=trace, **SCOPE)["gpu_jobs"].iloc[0])


def test_a_new_version_is_seen_at_the_next_question(data: Path) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    assert submitted("t") == 1
    store(data, "t", [job(submit_time="2020-09-01")] * 3, version=2)
    assert submitted("t") == 3


def test_a_trace_that_was_deleted_and_imported_again_is_not_taken_for_the_old_one(data: Path) -> None:
    import shutil

    store(data, "t", [job(submit_time="2020-09-01")])
    assert submitted("t") == 1
    shutil.rmtree(data / "traces" / "t")
    store(data, "t", [job(submit_time="2020-09-01")] * 2)
    assert submitted("t") == 2


def test_an_unknown_trace_is_named_together_with_those_that_are_stored(data: Path) -> None:
    store(data, "mine", [job(submit_time="2020-09-01")])
    with pytest.raises(QueryError, match=r"no trace called “yours”.*mine"):
        submitted("yours")


def test_a_name_that_would_leave_the_folder_is_an_unknown_trace(data: Path) -> None:
    store(data, "mine", [job(submit_time="2020-09-01")])
    with pytest.raises(QueryError, match="no trace called"):
        submitted("../traces/mine")


def test_quotes_in_cluster_and_folder_names_are_only_names(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = data / "it's a folder"
    monkeypatch.setenv("HELIOGRAPH_DATA", str(home))
    settings.current.cache_clear()
    store(home, "o'brien", [job(submit_time="2020-09-01", cluster="a'b")])
    assert fetch("vcs", trace="o'brien")["cluster"].tolist() == ["a'b"]


ENDLESS = {
    "all at once": "SELECT sum(sqrt(a.range)) FROM range(1000000) a, range(1000000) b",
    "row by row": "SELECT 1 FROM range(1000000) a, range(1000000) b WHERE sqrt(a.range) + b.range < 0",
    "row by row, of many": "SELECT a.range FROM range(1000000) a, range(1000000) b WHERE b.range % 100 = 0",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_question_that_takes_too_long_is_stopped_with_a_sentence(
    data: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    monkeypatch.setenv("HELIOGRAPH_QUERY_TIMEOUT_S", "0.2")
    settings.current.cache_clear()
    endless = Statement("endless", "", {}, {}, ENDLESS[kind])
    begin = time.monotonic()
    with pytest.raises(QueryError, match=r"longer than 0\.2 s.*fewer days"):
        warehouse.answer(endless, manifests.version("t"), {})
    assert time.monotonic() - begin < 10
    assert submitted("t") == 1


def test_a_question_that_needs_too_much_memory_is_stopped_with_a_sentence(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    monkeypatch.setenv("HELIOGRAPH_QUERY_MEMORY_MB", "128")
    settings.current.cache_clear()
    greedy = Statement("greedy", "", {}, {}, "SELECT len(list(a.range)) FROM range(100000000) a")
    with pytest.raises(QueryError, match=r"more memory than HELIOGRAPH_QUERY_MEMORY_MB.*fewer days"):
        warehouse.answer(greedy, manifests.version("t"), {})
    assert submitted("t") == 1


@pytest.mark.parametrize(
    "forbidden",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY (SELECT 1) TO '/tmp/heliograph-must-not-exist.csv'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "ATTACH '/tmp/heliograph-must-not-exist.db'",
    ],
)
def test_a_query_reaches_nothing_but_the_traces(data: Path, forbidden: str) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    with pytest.raises((duckdb.Error, QueryError)):
        warehouse.answer(Statement("forbidden", "", {}, {}, forbidden), manifests.version("t"), {})
    assert not list(Path("/tmp").glob("heliograph-must-not-exist*"))


def test_other_parameters_than_the_header_names_are_a_mistake(data: Path) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    with pytest.raises(TypeError, match="takes"):
        fetch("vcs", trace="t", clusters=[])
    with pytest.raises(LookupError, match="no query"):
        fetch("no_such_query", trace="t")


def test_many_threads_ask_at_once_and_get_their_own_answers(data: Path) -> None:
    synthetic.write(data)
    days = [pd.Timestamp("2020-09-01") + pd.Timedelta(days=day) for day in range(12)]

    def jobs_of(day: pd.Timestamp) -> int:
        scope = {**SCOPE, "start": day, "end": day + pd.Timedelta(days=1)}
        return int(fetch("jobs_submitted", trace="demo", **scope)["gpu_jobs"].iloc[0])

    jobs = synthetic.synthetic_jobs()
    gpu = jobs[jobs["gpu_num"] > 0]["submit_time"]
    expected = [int(((gpu >= day) & (gpu < day + pd.Timedelta(days=1))).sum()) for day in days]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(jobs_of, days * 3)) == expected * 3


def test_a_remembered_answer_cannot_be_spoiled_by_its_reader(data: Path) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    answer = fetch("vcs", trace="t")
    answer.loc[0, "vc"] = "spoiled"
    assert fetch("vcs", trace="t")["vc"].tolist() == ["vc1"]


def test_views_are_empty_and_typed_where_a_trace_has_no_such_table(data: Path) -> None:
    store(data, "t", [job(submit_time="2020-09-01")])
    utilization = fetch("utilization_by_cluster", trace="t", **SCOPE, bin_s=3600)
    assert utilization.empty
    assert set(utilization.columns) == set(statement("utilization_by_cluster").returns)


def test_a_manifest_that_cannot_be_read_says_so(data: Path) -> None:
    folder = store(data, "t", [job(submit_time="2020-09-01")])
    (folder / "trace.json").write_text("{")
    with pytest.raises(QueryError, match="“t” cannot be read"):
        submitted("t")


def test_the_same_question_asked_at_once_is_computed_once(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synthetic.write(data)
    asked = []
    answer = warehouse.answer

    def slowly(question: Statement, *rest: object) -> object:
        asked.append(question.name)
        time.sleep(0.1)
        return answer(question, *rest)

    monkeypatch.setattr(warehouse, "answer", slowly)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: submitted("demo"), range(4)))
    assert len(set(answers)) == 1 and asked == ["jobs_submitted"]
