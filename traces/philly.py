"""``import philly``: Microsoft's Philly trace of 2017, a JSON list of jobs with their attempts.

The list is read as a stream by DuckDB, so its size does not matter. Times are local to the site (Pacific,
with daylight saving). GPU time is the sum over a job's attempts: gpu_num is the most GPUs that an attempt
had, and duration_s the GPU time ÷ gpu_num.
"""

import hashlib
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from traces import clock, readings
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.ledger import Findings
from traces.progress import PARSED, stretch, tell
from traces.report import Source
from traces.source_table import SourceTable

TIMEZONE = "America/Los_Angeles"
CLUSTER = "Philly"
LOG = "cluster_job_log"
MEMORY_LIMIT = "400MB"
LARGEST_JOB_BYTES = 64 << 20
PART_BYTES = 1 << 20
_ATTEMPT = "STRUCT(start_time VARCHAR, end_time VARCHAR, detail STRUCT(ip VARCHAR, gpus VARCHAR[])[])"
NO_SUBMISSION = ("missing_submit_time", "unparsable_submit_time")
DOUBTS = (
    "several_attempts",
    "attempts_differ_in_gpus",
    "attempt_without_times",
    "ambiguous_time",
    "nonexistent_time",
)
"""Flags that are known when an attempt or a submission is read."""

_COLUMNS = {
    "status": "VARCHAR",
    "vc": "VARCHAR",
    "jobid": "VARCHAR",
    "submitted_time": "VARCHAR",
    "user": "VARCHAR",
    "attempts": f"{_ATTEMPT}[]",
}
_LOG = """
SELECT
    status, vc, jobid, submitted_time, "user",
    list_transform(attempts, lambda attempt: struct_pack(
        start_time := attempt.start_time,
        end_time := attempt.end_time,
        gpus := list_sum(list_transform(attempt.detail, lambda machine: len(machine.gpus)))::DOUBLE,
        machines := len(attempt.detail)::DOUBLE
    )) AS attempts
FROM parsed
"""
BATCH_JOBS = 100_000
"""Jobs that are worked on together; of those before only what becomes of them is in memory."""


def read(
    path: Path, cluster: str | None = None, *, capacity: tuple[Source, Capacity] | None = None
) -> ClusterImport:
    """The jobs in the log at `path`, or in the folder that holds ``cluster_job_log``.

    The trace's machine list does not say which virtual cluster a machine belongs to, so capacity is known
    only from `capacity`. Raises TraceError for what is not such a log.
    """
    file = _log_at(Path(path))
    with stretch(0, PARSED):
        table = _table(file)
    columns = {
        "job_id": "jobid",
        "user": "user",
        "vc": "vc",
        "state": "status",
        "gpu_num": "gpus",
        "node_num": "machines",
        "submit_time": "submitted",
        "start_time": "started",
        "end_time": "ended",
        "duration_s": "ran_s",
    }
    findings = Findings(
        table.words("said"),
        rejected={name: table.cells[name].to_numpy() for name in NO_SUBMISSION},
        flagged={name: table.cells[name].to_numpy() for name in DOUBTS},
        notes=("The line of a row is its place in the list.",),
    )
    return job_import(cluster or CLUSTER, table, columns, Reading("philly", TIMEZONE), capacity, findings)


def _log_at(path: Path) -> Path:
    file = path / LOG if path.is_dir() else path
    if not file.is_file():
        raise TraceError(f"{path} has no {LOG}: give that file, or the folder that holds it.")
    return file


def _source(file: Path) -> tuple[Source, int]:
    """The file, and about how many jobs it holds; 0 where it is compressed."""
    digest, jobs, size = hashlib.sha256(), 0, max(file.stat().st_size, 1)
    with file.open("rb") as stream:
        while part := stream.read(PART_BYTES):
            digest.update(part)
            jobs += part.count(b'"jobid"')
            tell(0, f"Looking at {file.name}: {stream.tell() / size:.0%}")
    return Source(file.name, file.stat().st_size, digest.hexdigest()), jobs


def _table(file: Path) -> SourceTable:
    source, jobs = _source(file)
    cells = _cells(file, jobs)
    row = np.arange(cells.num_rows, dtype=np.int64)
    return SourceTable(source, cells, row, row + 1)


def _cells(file: Path, jobs: int) -> pa.Table:
    """The jobs in their order, with what their attempts come to; the log is read as a stream.

    There are about `jobs` of them.
    """
    batches: list[pa.Table] = []
    connection = duckdb.connect(config={"memory_limit": MEMORY_LIMIT, "threads": 1, "temp_directory": ""})
    try:
        log = connection.read_json(
            str(file),
            columns=_COLUMNS,
            format="array",
            maximum_object_size=LARGEST_JOB_BYTES,
            compression="auto_detect",
        )
        connection.register("parsed", log)
        for each in connection.sql(_LOG).to_arrow_reader(BATCH_JOBS):
            batches.append(_batch(each))
            read = sum(batch.num_rows for batch in batches)
            tell(read / max(jobs, read), f"Read {read:,} of {jobs:,} jobs" if jobs else f"Read {read:,} jobs")
    except (duckdb.Error, pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: of a message
        reason = str(error).split("\n")[0]
        raise TraceError(f"{file.name} is not a Philly job log, a JSON list of jobs: {reason}") from error
    finally:
        connection.close()
    pa.default_memory_pool().release_unused()  # that of DuckDB's batches
    cells = pa.concat_tables(batches) if batches else None
    if cells is None or pc.all(pc.equal(cells["jobid"], "")).as_py():
        raise TraceError(f"{file.name} has no jobs of the Philly trace: no object of its list has a jobid.")
    return cells


def _batch(jobs: pa.RecordBatch) -> pa.Table:
    """A stretch of the log: the texts of its jobs, their submission, and the columns of `_whole_jobs`."""
    lists = jobs["attempts"]
    attempts = pa.Table.from_struct_array(pc.list_flatten(lists)).to_pandas()
    attempts["job"] = pc.list_parent_indices(lists).to_numpy()
    whole = _whole_jobs(attempts, jobs.num_rows)
    whole["several_attempts"] = pc.fill_null(pc.greater(pc.list_value_length(lists), 1), False).to_numpy(
        zero_copy_only=False
    )
    words = {name: pc.fill_null(jobs[name], "").dictionary_encode() for name in ("status", "vc", "user")}
    texts = {"jobid": pc.fill_null(jobs["jobid"], "")}
    computed = {name: pa.array(whole[name], from_pandas=True) for name in whole}
    together = words | texts | _submissions(jobs["submitted_time"]) | computed
    return pa.table({name: _copied(cells) for name, cells in together.items()})


def _copied(cells: pa.Array) -> pa.Array:
    """The cells in memory of their own: one buffer of DuckDB's keeps all of its batch."""
    return pa.concat_arrays([cells, cells[:0]])


def _submissions(cells: pa.Array) -> dict[str, pa.Array]:
    """When jobs were submitted, what is odd about it, and as `said` the texts that say no time."""
    texts = pd.Series(pc.fill_null(cells, "").to_pandas(), dtype="str").str.strip()
    read = readings.times(texts, TIMEZONE, "the job log")
    wrong = read.missing | read.unparsable
    said = texts.where(wrong, "")
    return {
        "submitted": pa.array(read.utc.dt.tz_localize("UTC"), from_pandas=True),
        "said": pa.array(said, pa.string()).dictionary_encode(),
        "missing_submit_time": pa.array(read.missing),
        "unparsable_submit_time": pa.array(read.unparsable),
        "ambiguous_time": pa.array(read.ambiguous),
        "nonexistent_time": pa.array(read.nonexistent),
    }


def _whole_jobs(attempts: pd.DataFrame, jobs: int) -> pd.DataFrame:
    """For each job: first start and last end, GPUs, machines, duration, and doubts."""
    start, end = (_instants(attempts[name]) for name in ("start_time", "end_time"))
    end = _after_repeated_hour(start, end, attempts["end_time"])
    ran_s = (end - start).dt.total_seconds()
    frame = pd.DataFrame(
        {"job": attempts["job"], "start": start, "end": end, "ran_s": ran_s.where(ran_s >= 0)}
    )
    frame["gpus"] = attempts["gpus"].astype(float)
    frame["machines"] = attempts["machines"].astype(float)
    frame["gpu_s"] = frame["gpus"] * frame["ran_s"]
    by_job = frame.groupby("job")
    most = by_job["gpus"].max()
    open_end = frame["end"].isna() & frame["start"].notna()
    result = pd.DataFrame(
        {
            "started": by_job["start"].min().dt.tz_localize("UTC"),
            "ended": by_job["end"].max().dt.tz_localize("UTC"),
            "gpus": most,
            "machines": by_job["machines"].max(),
            "ran_s": (by_job["gpu_s"].sum(min_count=1) / most).where(
                most > 0, by_job["ran_s"].sum(min_count=1)
            ),
            "attempts_differ_in_gpus": by_job["gpus"].nunique() > 1,
            "attempt_without_times": (frame["start"].isna() | open_end).groupby(frame["job"]).any(),
        }
    ).reindex(range(jobs))
    doubts = ["attempts_differ_in_gpus", "attempt_without_times"]
    result[doubts] = result[doubts].fillna(False).astype(bool)
    return result


def _instants(texts: pd.Series) -> pd.Series:
    """Local times as naive UTC, the earlier instant where a local time is there twice; NaT where none."""
    read = readings.times(texts.fillna("").astype("str").str.strip(), TIMEZONE, "the job log")
    return read.utc


def _after_repeated_hour(start: pd.Series, end: pd.Series, end_text: pd.Series) -> pd.Series:
    """An end in the hour that is there twice is the later instant where the earlier precedes its start."""
    local = pd.to_datetime(end_text.where(end.notna()), errors="coerce").astype("datetime64[us]")
    _, ambiguous, _ = clock.to_utc(local, TIMEZONE)
    return end.mask(ambiguous & (end < start), end + pd.Timedelta(hours=1))
