"""Answers from parquet: each web worker asks its own in-memory DuckDB, opened when it is first needed.

Nothing is opened before gunicorn forks, nothing is locked for other processes, and a new version of a trace
is seen at the next question because connections are kept per version.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import duckdb
import pandas as pd

import settings
from queries import clock, manifests, tables
from queries.errors import QueryError
from queries.manifests import Version
from queries.statement import FOLDER, Statement, statement

#: How many trace versions stay open in one process.
OPEN_VERSIONS = 4
#: How many answers one process remembers; a new version of a trace asks anew.
REMEMBERED_ANSWERS = 256

_open: OrderedDict[tuple[int, Version], duckdb.DuckDBPyConnection] = OrderedDict()
_lock = threading.Lock()
#: A page's callbacks ask the same question at once; the second waits for the first one's answer.
_taking_turns = [threading.Lock() for _ in range(64)]


def fetch(name: str, *, trace: str, **params: Any) -> pd.DataFrame:
    """The answer of ``queries/<name>.sql`` about the current version of ``trace``.

    ``params`` are exactly the parameters that the file's header declares. Times in and out are naive UTC.

    Raises:
        QueryError: the trace is not stored, or the answer took longer than ``HELIOGRAPH_QUERY_TIMEOUT_S``.
        LookupError, TypeError: no such query, or other parameters than its header names.
    """
    _check_parameters(name, params)
    frozen = tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in params.items())
    question = (os.getpid(), manifests.version(trace), name, frozen)
    with _taking_turns[hash(question) % len(_taking_turns)]:
        return _remembered(*question).copy()


def rows(name: str, *, trace: str, **params: Any) -> pd.DataFrame:
    """As :func:`fetch`, for answers too large to be remembered: the jobs of a replay, a whole node series."""
    _check_parameters(name, params)
    with _cursor(manifests.version(trace)) as cursor:
        # By way of Arrow texts stay Arrow's, which takes half the time of making Python's of them.
        table = cursor.sql(statement(name).sql, params=params).to_arrow_table()
        frame: pd.DataFrame = table.to_pandas(date_as_object=False)
        return frame


def _check_parameters(name: str, params: dict[str, Any]) -> None:
    declared = statement(name).params
    if params.keys() != declared.keys():
        raise TypeError(f"query {name!r} takes {sorted(declared)}, not {sorted(params)}")


@lru_cache(maxsize=REMEMBERED_ANSWERS)
def _remembered(
    _process: int, version: Version, name: str, params: tuple[tuple[str, Any], ...]
) -> pd.DataFrame:
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in params}
    return answer(statement(name), version, values)


def answer(question: Statement, version: Version, params: dict[str, Any]) -> pd.DataFrame:
    """The whole answer to ``question`` over one version of a trace, there within the time limit."""
    with _cursor(version) as cursor:
        return cursor.execute(question.sql, params).df()


def stream(question: Statement, version: Version, params: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """A cursor that computes the answer as it is read: only its first rows must be there in time."""
    with _cursor(version) as cursor:
        return cursor.execute(question.sql, params)


@contextmanager
def _cursor(version: Version) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor to ask with; what goes wrong is raised as a QueryError with a sentence."""
    cursor = connection(version).cursor()
    try:
        with _time_limit(cursor):
            yield cursor
    except duckdb.InterruptException:
        limit = settings.current().query_timeout_s
        raise QueryError(
            f"This took longer than {limit:g} s and was stopped; choose fewer days or fewer clusters."
        ) from None
    except duckdb.IOException as error:
        raise QueryError(f"The files of trace “{version.trace}” cannot be read: {error}") from error
    except duckdb.OutOfMemoryException as error:
        raise QueryError(
            "This needs more memory than HELIOGRAPH_QUERY_MEMORY_MB allows; choose fewer days."
        ) from error


def connection(version: Version) -> duckdb.DuckDBPyConnection:
    """This process's connection whose views are one version's tables; take a cursor of it per question."""
    key = (os.getpid(), version)
    with _lock:
        if key not in _open:
            _open[key] = _connect(version)
        _open.move_to_end(key)
        while len(_open) > OPEN_VERSIONS:
            _open.popitem(last=False)  # closed when the last cursor on it is gone
        return _open[key]


def close() -> None:
    """Close what this process has open and forget its answers: before a fork, which would copy half of it."""
    with _lock:
        while _open:
            _open.popitem()[1].close()
    _remembered.cache_clear()


def _connect(version: Version) -> duckdb.DuckDBPyConnection:
    knobs = settings.current()
    database = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{knobs.query_memory_mb}MB",
            "threads": max(1, knobs.query_threads // knobs.web_workers),
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    database.execute("SET TimeZone = 'UTC'")
    database.execute(f"SET allowed_directories = ['{tables.quoted(version.folder.parent)}']")
    database.execute("SET enable_external_access = false")
    clock.teach(database, tables.create(database, version))
    for path in sorted((FOLDER / "views").glob("*.sql")):
        database.execute(path.read_text(encoding="utf-8"))
    database.execute("SET lock_configuration = true")
    return database


@contextmanager
def _time_limit(cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    timer = threading.Timer(settings.current().query_timeout_s, cursor.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # so that it never interrupts a cursor that has gone on to something else
