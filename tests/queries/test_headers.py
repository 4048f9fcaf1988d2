"""Each query file says what it takes and what it gives; the database is asked whether that is true."""

import re
from pathlib import Path

import pandas as pd
import pytest

from queries import manifests, warehouse
from queries.manifests import Version
from queries.statement import FOLDER, statement, statement_names
from tests.stored_trace import job, store

VALUES = {
    "VARCHAR": "Venus",
    "VARCHAR[]": [],
    "TIMESTAMP": pd.Timestamp("2020-09-02"),
    "DATE": pd.Timestamp("2020-09-02").date(),
    "INTEGER": 3600,
    "DOUBLE": 1.0,
    "BIGINT": 1,
}
#: Parameters whose type does not say enough.
CHOSEN = {"start": pd.Timestamp("2020-09-01"), "period": "month"}


@pytest.fixture
def version(data: Path) -> Version:
    jobs = [
        job(submit_time="2020-09-01", start_time="2020-09-01", end_time="2020-09-01 02:00"),
        job(submit_time="2020-09-01", gpu_num=0.0, duration_s=3.0, state="FAILED"),
    ]
    store(data, "small", jobs, [("Venus", "vc1", "2020-09-01", 8)])
    return manifests.version("small")


def test_every_query_returns_the_columns_and_types_that_its_header_names(version: Version) -> None:
    for name in statement_names():
        question = statement(name)
        params = {param: VALUES[kind] for param, kind in question.params.items()}
        params |= {key: value for key, value in CHOSEN.items() if key in params}
        columns = warehouse.stream(question, version, params).description
        assert {column[0]: str(column[1]) for column in columns} == question.returns, name


@pytest.mark.parametrize("name", statement_names())
def test_a_query_uses_every_parameter_that_its_header_names_and_no_other(name: str) -> None:
    question = statement(name)
    assert set(re.findall(r"\$(\w+)", question.sql)) == set(question.params)
    assert len(question.answers) > 20


def test_the_folder_holds_nothing_but_queries_views_and_the_warehouse() -> None:
    assert {path.suffix for path in FOLDER.iterdir() if path.is_file()} == {".sql", ".py"}
