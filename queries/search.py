"""Jobs that fit a search: the one question whose conditions and order are chosen by visitors.

Columns come from the fixed lists below and values go in as parameters, so that no text of a visitor is ever
part of a statement.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from queries import manifests
from queries.errors import QueryError
from queries.manifests import Version
from queries.statement import Statement, statement
from queries.warehouse import answer, stream

TEXT_COLUMNS = ("job_id", "job_name", "state", "gpu_type")
#: Local hour (0–23) and weekday (Monday is 1) of submission: of times, not among the columns of the table.
LOCAL_NUMBERS = ("submit_hour", "submit_weekday")
NUMBER_COLUMNS = ("gpu_num", "cpu_num", "node_num", "duration_s", "queueing_delay_s", *LOCAL_NUMBERS)
SORT_COLUMNS = (
    *("submit_time", "start_time", "end_time", "duration_s", "queueing_delay_s"),
    *("gpu_num", "cpu_num", "node_num", "cluster", "vc", "user", "job_name", "state", "gpu_type"),
)
#: Rows of one page, and how deep one can scroll: sorting that many keys stays quick on millions of jobs.
LARGEST_PAGE, DEEPEST_ROW = 1000, 10_000
#: Local time is asked for once per quarter of an hour of the window, of which every zone's hours consist.
_IN_QUARTERS = """epoch_us(submit_time) // 900_000_000 IN (
    SELECT quarter
    FROM (
        SELECT quarter, hour(local) AS submit_hour, isodow(local) AS submit_weekday
        FROM (
            SELECT quarter, local_time(make_timestamp(quarter * 900_000_000)) AS local
            FROM range(
                epoch_us($start::TIMESTAMP) // 900_000_000, epoch_us($end::TIMESTAMP) // 900_000_000 + 1
            ) AS quarters(quarter)
        )
    )
    WHERE {}
)"""
_NO_CONDITION, _ORDER = "(true)", "jobs.submit_time DESC NULLS LAST"


@dataclass(frozen=True)
class Search:
    """What to find: texts that columns contain (any case), ranges of numbers (ends in), users, an order.

    ``users`` None means all; an empty one finds nothing.
    """

    contains: tuple[tuple[str, str], ...] = ()
    between: tuple[tuple[str, float | None, float | None], ...] = ()
    users: tuple[str, ...] | None = None
    sort: str = "submit_time"
    descending: bool = True


def find(
    search: Search, *, trace: str, skip: int = 0, size: int = 100, **scope: Any
) -> tuple[pd.DataFrame, int]:
    """A page of the jobs of a scope that fit, in the search's order, and how many fit in all.

    ``scope`` are the parameters clusters, vcs, start and end of ``jobs_found.sql``. The pages asked for last
    are remembered.

    Raises:
        QueryError: a column that cannot be searched or sorted, a page that is too large or too deep.
    """
    if not (0 <= skip < DEEPEST_ROW and 0 < size <= LARGEST_PAGE):
        raise QueryError(
            f"Only the first {DEEPEST_ROW:,} jobs can be paged through; sort or filter to see others."
        )
    page = _page(
        os.getpid(), manifests.version(trace), search, (("size", size), ("skip", skip)), _frozen(scope)
    )
    return page.copy(), number(search, trace=trace, **scope)


def number(search: Search, *, trace: str, **scope: Any) -> int:
    """How many jobs of a scope fit; the order does not matter."""
    unsorted = replace(search, sort="submit_time", descending=True)
    return _number(os.getpid(), manifests.version(trace), unsorted, _frozen(scope))


def all_found(search: Search, *, trace: str, **scope: Any) -> Iterator[pd.DataFrame]:
    """Every job that fits, in the search's order, in frames of some thousand rows."""
    params = {**scope, "size": 2**62, "skip": 0, **_values(search)}
    cursor = stream(_question("jobs_found", search), manifests.version(trace), params)
    while len(frame := cursor.fetch_df_chunk(10)):
        yield frame


Frozen = tuple[tuple[str, Any], ...]


def _frozen(values: dict[str, Any]) -> Frozen:
    return tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in values.items())


def _thawed(values: Frozen) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values}


@lru_cache(maxsize=64)
def _page(_process: int, version: Version, search: Search, part: Frozen, scope: Frozen) -> pd.DataFrame:
    params = {**_thawed(scope), **_thawed(part), **_values(search)}
    return answer(_question("jobs_found", search), version, params)


@lru_cache(maxsize=64)
def _number(_process: int, version: Version, search: Search, scope: Frozen) -> int:
    params = {**_thawed(scope), **_values(search)}
    return int(answer(_question("jobs_found_number", search), version, params)["jobs"].iloc[0])


def _question(name: str, search: Search) -> Statement:
    if search.sort not in SORT_COLUMNS:
        raise QueryError(f"Jobs cannot be sorted by “{search.sort}”; by {', '.join(SORT_COLUMNS)}.")
    order = f'jobs."{search.sort}" {"DESC" if search.descending else "ASC"} NULLS LAST'
    plain = statement(name)
    sql = plain.sql.replace(f"AND {_NO_CONDITION}", f"AND ({_conditions(search)})")
    return replace(plain, sql=sql.replace(_ORDER, order))


def _conditions(search: Search) -> str:
    parts, local_parts = ["true"], []
    for place, (column, _) in enumerate(search.contains):
        _must_be_in(column, TEXT_COLUMNS)
        parts.append(f'contains(lower("{column}"), $text_{place})')
    for place, (column, least, most) in enumerate(search.between):
        _must_be_in(column, NUMBER_COLUMNS)
        its_parts = local_parts if column in LOCAL_NUMBERS else parts
        its_parts += [f'"{column}" >= $least_{place}'] if least is not None else []
        its_parts += [f'"{column}" <= $most_{place}'] if most is not None else []
    if local_parts:
        parts.append(_IN_QUARTERS.format(" AND ".join(local_parts)))
    if search.users is not None:
        parts.append('"user" IN (SELECT unnest($users::VARCHAR[]))')
    return " AND ".join(parts)


def _values(search: Search) -> dict[str, Any]:
    texts = {f"text_{place}": text.lower() for place, (_, text) in enumerate(search.contains)}
    numbers: dict[str, Any] = {}
    for place, (_, least, most) in enumerate(search.between):
        numbers |= {f"least_{place}": least} if least is not None else {}
        numbers |= {f"most_{place}": most} if most is not None else {}
    return texts | numbers | ({} if search.users is None else {"users": list(search.users)})


def _must_be_in(column: str, columns: tuple[str, ...]) -> None:
    if column not in columns:
        raise QueryError(f"Jobs cannot be searched by “{column}”; by {', '.join(columns)}.")
