"""Compute the rollups of a version that is about to be published."""

from collections.abc import Iterable
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq

import settings
from traces import clock

#: In the order in which they are written: a statement may read those before it.
NAMES = ("usage", "usage_half_hours", "user_cohorts", "cohorts", "submissions", "durations", "delays")
_COLUMNS = (
    'vc, "user", gpu_num, cpu_num, state, submit_time, start_time, end_time, duration_s, queueing_delay_s'
)
#: Rows that are read together: about a week of a cluster's slots.
_ROW_GROUP_ROWS = 122_880
_LONGEST_SLOT_S = 1800
_HALF_HOUR = pd.Timedelta(minutes=30)


def write(folder: Path, timezone: str) -> None:
    """Write the rollups of every cluster whose jobs are in the version folder `folder` and lack them.

    Days, months and the edges of slots are those of `timezone`.
    """
    for path in sorted((folder / "jobs").glob("*.parquet")):
        if not all((folder / name / path.name).is_file() for name in NAMES):
            write_cluster(folder, path.stem, timezone, settings.current().query_threads)


def write_cluster(folder: Path, cluster: str, timezone: str, threads: int) -> None:
    """Write the rollups of one cluster's jobs in the version folder `folder`."""
    jobs = folder / "jobs" / f"{cluster}.parquet"
    limits: dict[str, str | bool | int | float | list[str]] = {
        "threads": threads,
        "memory_limit": f"{settings.current().query_memory_mb}MB",
    }
    with duckdb.connect(":memory:", config=limits) as database:
        _prepare(database, jobs, timezone)
        for name in NAMES:
            _copy(database, name, folder / name / jobs.name)


def _prepare(database: duckdb.DuckDBPyConnection, jobs: Path, timezone: str) -> None:
    """The jobs in memory and what the statements call: `local_time(t)`, `phase_us()`, `cluster_name()`."""
    source, cluster = _quoted(jobs), _quoted(jobs.stem)
    database.execute("SET TimeZone = 'UTC'")
    database.execute(f"CREATE TABLE jobs AS SELECT {_COLUMNS} FROM read_parquet('{source}')")
    offsets = _offsets(timezone, *_submissions(jobs))
    phase_us = -int(offsets[0][1] % _LONGEST_SLOT_S) * 1_000_000
    database.execute(f"CREATE MACRO cluster_name() AS '{cluster}'")
    database.execute(f"CREATE MACRO phase_us() AS {phase_us}::BIGINT")
    database.execute(f"CREATE MACRO local_time(t) AS t + to_seconds({_offset_of(offsets)})")


def _copy(database: duckdb.DuckDBPyConnection, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    statement = Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8")
    database.execute(
        f"COPY ({statement}) TO '{_quoted(target)}' "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP_ROWS})"
    )
    database.execute(f"CREATE VIEW {name} AS FROM read_parquet('{_quoted(target)}')")


def _submissions(jobs: Path) -> tuple[pd.Timestamp, pd.Timestamp]:
    """First and last submission, from the file's own statistics; some instant where there is no job."""
    metadata = pq.read_metadata(jobs)
    column = metadata.schema.names.index("submit_time")
    groups = [metadata.row_group(place).column(column).statistics for place in range(metadata.num_row_groups)]
    known = [group for group in groups if group is not None and group.has_min_max]
    if not known:
        return pd.Timestamp(0), pd.Timestamp(0)
    return pd.Timestamp(min(group.min for group in known)), pd.Timestamp(max(group.max for group in known))


def _offsets(timezone: str, first: pd.Timestamp, last: pd.Timestamp) -> list[tuple[pd.Timestamp, float]]:
    """The offsets of local time from UTC, in s, from `first` to `last`, each with its first instant.

    Clocks change at half hours of UTC. A conversion per job would take longer than everything else here.
    """
    times = pd.date_range(first.floor("30min"), last.ceil("30min") + _HALF_HOUR, freq="30min")
    local = times.tz_localize("UTC").tz_convert(clock.zone(timezone)).tz_localize(None)
    offsets = pd.Series((local - times).total_seconds(), index=times)
    begin = offsets[offsets != offsets.shift()]
    return list(zip(begin.index, begin.tolist(), strict=True))


def _offset_of(offsets: Iterable[tuple[pd.Timestamp, float]]) -> str:
    """SQL that gives the offset at `t`: the last one that has begun."""
    latest_first = sorted(offsets, reverse=True)
    cases = " ".join(f"WHEN t >= TIMESTAMP '{start}' THEN {offset:.0f}" for start, offset in latest_first)
    return f"CASE {cases} ELSE {latest_first[-1][1]:.0f} END"


def _quoted(text: object) -> str:
    return str(text).replace("'", "''")
