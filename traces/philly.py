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

from traces import clock, readings
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.derived_table import with_columns
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.ledger import Findings
from traces.report import Source
from traces.source_table import SourceTable

TIMEZONE = "America/Los_Angeles"
CLUSTER = "Philly"
LOG = "cluster_job_log"
MEMORY_LIMIT = "400MB"
LARGEST_JOB_BYTES = 64 << 20
_ATTEMPT = "STRUCT(start_time VARCHAR, end_time VARCHAR, detail STRUCT(ip VARCHAR, gpus VARCHAR[])[])"
_COLUMNS = {
    "status": "VARCHAR",
    "vc": "VARCHAR",
    "jobid": "VARCHAR",
    "submitted_time": "VARCHAR",
    "user": "VARCHAR",
    "attempts": f"{_ATTEMPT}[]",
}
_JOBS = """
SELECT status, vc, jobid, submitted_time, "user", len(attempts) AS attempts
FROM log
"""
_ATTEMPTS = """
SELECT
    job,
    attempt.start_time AS start_time,
    attempt.end_time AS end_time,
    list_sum(list_transform(attempt.detail, lambda machine: len(machine.gpus))) AS gpus,
    len(attempt.detail) AS machines
FROM (SELECT row_number() OVER () - 1 AS job, unnest(attempts) AS attempt FROM log)
"""


def read(
    path: Path, cluster: str | None = None, *, capacity: tuple[Source, Capacity] | None = None
) -> ClusterImport:
    """The jobs in the log at `path`, or in the folder that holds ``cluster_job_log``.

    The trace's machine list does not say which virtual cluster a machine belongs to, so capacity is known
    only from `capacity`. Raises TraceError for what is not such a log.
    """
    file = _log_at(Path(path))
    source = _source(file)
    jobs, attempts = _parsed(file)
    text = {name: jobs[name].fillna("").astype("str") for name in ("status", "vc", "jobid", "user")}
    cells = pa.table({**text, "submitted": jobs["submitted_time"].fillna("").astype("str")})
    row = np.arange(len(jobs), dtype=np.int64)
    table = SourceTable(source, cells, row, row + 1)
    whole = _whole_jobs(attempts, len(jobs))
    derived = {name: whole[name] for name in ("started", "ended", "gpus", "machines", "ran_s")}
    flagged = {
        "several_attempts": (jobs["attempts"].fillna(0) > 1).to_numpy(),
        "attempts_differ_in_gpus": whole["differs"].to_numpy(),
        "attempt_without_times": whole["untimed"].to_numpy(),
    }
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
        text["jobid"], flagged=flagged, notes=("The line of a row is its place in the list.",)
    )
    return job_import(
        cluster or CLUSTER,
        with_columns(table, derived),
        columns,
        Reading("philly", TIMEZONE),
        capacity,
        findings,
    )


def _log_at(path: Path) -> Path:
    file = path / LOG if path.is_dir() else path
    if not file.is_file():
        raise TraceError(f"{path} has no {LOG}: give that file, or the folder that holds it.")
    return file


def _source(file: Path) -> Source:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    return Source(file.name, file.stat().st_size, digest.hexdigest())


def _parsed(file: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The jobs in their order, and their attempts with the number of their job."""
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
        connection.execute("CREATE TEMP TABLE log AS SELECT * FROM parsed")
        jobs, attempts = connection.execute(_JOBS).df(), connection.execute(_ATTEMPTS).df()
    except duckdb.Error as error:
        reason = str(error).split("\n")[0]
        raise TraceError(f"{file.name} is not a Philly job log, a JSON list of jobs: {reason}") from error
    finally:
        connection.close()
    if jobs.empty or jobs["jobid"].isna().all():
        raise TraceError(f"{file.name} has no jobs of the Philly trace: no object of its list has a jobid.")
    return jobs, attempts


def _whole_jobs(attempts: pd.DataFrame, jobs: int) -> pd.DataFrame:
    """For each job: first start and last end (texts with offset), GPUs, machines, duration, and doubts."""
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
            "started": by_job["start"].min().map(_text),
            "ended": by_job["end"].max().map(_text),
            "gpus": most,
            "machines": by_job["machines"].max(),
            "ran_s": (by_job["gpu_s"].sum(min_count=1) / most).where(
                most > 0, by_job["ran_s"].sum(min_count=1)
            ),
            "differs": by_job["gpus"].nunique() > 1,
            "untimed": (frame["start"].isna() | open_end).groupby(frame["job"]).any(),
        }
    ).reindex(range(jobs))
    result[["differs", "untimed"]] = result[["differs", "untimed"]].fillna(False).astype(bool)
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


def _text(moment: pd.Timestamp) -> str:
    return "" if pd.isna(moment) else clock.iso(moment)
