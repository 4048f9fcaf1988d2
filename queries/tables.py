"""The tables of a stored version as views: imported ones, and the rollups written beside them."""

from pathlib import Path
from typing import Any

import duckdb

from queries import manifests
from queries.manifests import Version

#: Tables of a stored trace and their columns, for the views of a trace that has no such file.
TABLES = {
    "jobs": "trace VARCHAR, cluster VARCHAR, job_id VARCHAR, row INTEGER, user VARCHAR, vc VARCHAR, "
    "job_name VARCHAR, gpu_num DOUBLE, gpu_type VARCHAR, cpu_num INTEGER, node_num INTEGER, state VARCHAR, "
    "submit_time TIMESTAMP, start_time TIMESTAMP, end_time TIMESTAMP, duration_s DOUBLE, "
    "queueing_delay_s DOUBLE, flags VARCHAR[], priority DOUBLE",
    "quota": "cluster VARCHAR, vc VARCHAR, date DATE, gpus INTEGER",
    "nodes": "cluster VARCHAR, node VARCHAR, gpus INTEGER, gpu_type VARCHAR",
    "series": "cluster VARCHAR, time TIMESTAMP, used DOUBLE, total DOUBLE",
}
_SLOTS = "cluster VARCHAR, vc VARCHAR, time TIMESTAMP, single_gpu_s DOUBLE, multi_gpu_s DOUBLE"
#: Rollups, which are asked only where every cluster with jobs has all of them.
ROLLUPS = {
    "usage": _SLOTS,
    "usage_half_hours": _SLOTS,
    "cohorts": "cluster VARCHAR, vc VARCHAR, submit_date DATE, gpu_num DOUBLE, state VARCHAR, jobs BIGINT, "
    "timed_jobs BIGINT, duration_s DOUBLE, started_jobs BIGINT, queueing_delay_s DOUBLE",
    "user_cohorts": "cluster VARCHAR, vc VARCHAR, user VARCHAR, submit_date DATE, gpu_num DOUBLE, "
    "state VARCHAR, jobs BIGINT, timed_jobs BIGINT, duration_s DOUBLE, cpu_timed_jobs BIGINT, cpu_s DOUBLE, "
    "started_jobs BIGINT, queueing_delay_s DOUBLE",
    "submissions": "cluster VARCHAR, vc VARCHAR, time TIMESTAMP, kind VARCHAR, jobs BIGINT, "
    "started_jobs BIGINT, queueing_delay_s DOUBLE",
    "durations": "cluster VARCHAR, vc VARCHAR, submit_month DATE, kind VARCHAR, state VARCHAR, step BIGINT, "
    "jobs BIGINT",
    "delays": "cluster VARCHAR, vc VARCHAR, user VARCHAR, gpu_num DOUBLE, submit_time TIMESTAMP, "
    "queueing_delay_s DOUBLE",
}
HALF_HOUR_US = 1_800_000_000
_VCS_OF_UNKNOWN_CAPACITY = """
    SELECT count(*)
    FROM (SELECT DISTINCT cluster, vc FROM cohorts WHERE gpu_num > 0) ANTI JOIN quota USING (cluster, vc)
"""
_FIRST_SLOT = "SELECT coalesce(epoch_us(min(time)), 0) FROM {}"


def create(database: duckdb.DuckDBPyConnection, version: Version) -> list[str]:
    """Create the views of ``version`` in ``database``, and the facts that macros ask for; gives these as SQL.

    ``site_timezone()`` is the trace's zone, ``last_submit()`` its last submission; ``rolled_up()`` says
    whether there are rollups; their slots begin ``phase_us()`` after full half hours of UTC. ``known_usage``
    and ``known_usage_half_hours`` are the slots of VCs whose capacity is known.
    """
    for table, columns in TABLES.items():
        database.execute(_view(table, columns, _files(version, table), _priority(database, version, table)))
    phase_us = _phase_us(database, version)
    for table, columns in ROLLUPS.items():
        files = _files(version, table) if phase_us is not None else []
        database.execute(_view(table, columns, files))
    # The join costs as much as adding slots up, and is not needed where every capacity is known.
    unknown = _one(database, _VCS_OF_UNKNOWN_CAPACITY)
    for table in ("usage", "usage_half_hours"):
        join = "SEMI JOIN quota USING (cluster, vc)" if unknown else ""
        database.execute(f"CREATE VIEW known_{table} AS FROM {table} {join}")
    last = _one(database, "SELECT max(submit_time) FROM jobs")
    facts = {
        "site_timezone": f"'{quoted(manifests.read(version)['timezone'])}'",
        "last_submit": f"'{last}'::TIMESTAMP" if last else "NULL::TIMESTAMP",
        "rolled_up": str(phase_us is not None),
        "phase_us": f"{phase_us or 0}::BIGINT",
    }
    definitions = [f"CREATE MACRO {name}() AS {value}" for name, value in facts.items()]
    for definition in definitions:
        database.execute(definition)
    return definitions


def _phase_us(database: duckdb.DuckDBPyConnection, version: Version) -> int | None:
    """Where the rollups' slots begin, up to half an hour before full ones; None where no rollup can be asked.

    That is so when a cluster lacks one, when one has other columns, or when clusters differ in their slots.
    """
    clusters = {path.name for path in _files(version, "jobs")}
    for table, columns in ROLLUPS.items():
        files = _files(version, table)
        if {path.name for path in files} != clusters or (files and _columns(database, files) != columns):
            return None
    phases = {
        -(-_one(database, _FIRST_SLOT.format(_source([path]))) % HALF_HOUR_US)
        for path in _files(version, "submissions")
    }
    return phases.pop() if len(phases) == 1 else None


def _one(database: duckdb.DuckDBPyConnection, statement: str) -> Any:
    row = database.execute(statement).fetchone()
    assert row is not None  # an aggregate always has a row
    return row[0]


def _columns(database: duckdb.DuckDBPyConnection, files: list[Path]) -> str:
    described = database.execute(f"DESCRIBE SELECT * FROM {_source(files)}").fetchall()
    return ", ".join(f"{name} {kind}" for name, kind, *_ in described)


def _files(version: Version, table: str) -> list[Path]:
    return sorted((version.folder / table).glob("*.parquet"))


def _priority(database: duckdb.DuckDBPyConnection, version: Version, table: str) -> str:
    """What gives jobs their column ``priority`` where no cluster's source has one."""
    files = _files(version, table)
    lacking = table == "jobs" and files and not _columns(database, files).endswith("priority DOUBLE")
    return ", NULL::DOUBLE AS priority" if lacking else ""


def _view(table: str, columns: str, files: list[Path], more: str = "") -> str:
    if files:
        return f"CREATE VIEW {table} AS SELECT *{more} FROM {_source(files)}"
    return f"CREATE TABLE {table} ({columns})"


def _source(files: list[Path]) -> str:
    listed = ", ".join(f"'{quoted(path)}'" for path in files)
    return f"read_parquet([{listed}], union_by_name = true)"  # some clusters have a column more


def quoted(text: object) -> str:
    """Text inside the quotes of an SQL string."""
    return str(text).replace("'", "''")
