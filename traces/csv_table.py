"""``import csv``: any table of jobs (CSV, gzip or parquet) with a column map."""

from collections.abc import Mapping
from pathlib import Path

from traces import capacity_source, clock, columns, inputs, readings
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.source_table import table_of


def read(
    path: Path,
    cluster: str,
    timezone: str | None = None,
    *,
    mapped: Mapping[str, str] | None = None,
    capacity: Path | None = None,
    gpus_per_node: int = 8,
    ids_follow_submission: bool = False,
    time_unit: str = "s",
    adds: bool = False,
) -> ClusterImport:
    """The jobs in the file at `path` as cluster `cluster`; nothing is published.

    `mapped` is {canonical: source} (`columns.column_map`); other columns keep their name where it is
    canonical. `timezone` may be None only when every time has an offset or is a number of `time_unit` (s,
    ms, us, ns) since 1970-01-01 UTC. `capacity` is a capacity file. With `adds` the jobs are added to
    those of the cluster, and rows of one job_id and submit_time are one job. Raises TraceError for a file
    that cannot be right as a whole.
    """
    if timezone is not None:
        clock.zone(timezone)
    if time_unit not in readings.UNITS:
        raise TraceError(f"Unknown unit of time {time_unit!r}: use one of {', '.join(readings.UNITS)}.")
    if gpus_per_node < 1:
        raise TraceError(f"A node has at least 1 GPU, not {gpus_per_node} (--gpus-per-node).")
    content = inputs.single(path)
    table = table_of(content.name, content.data)
    known = columns.resolved(table, mapped or {})
    columns.require(table, known, ("submit_time", "gpu_num"))
    if adds:
        columns.require(table, known, ("job_id",))
    reading = Reading("csv", timezone, time_unit, gpus_per_node, ids_follow_submission, adds=adds)
    quota = None if capacity is None else capacity_source.read(capacity, gpus_per_node)
    return job_import(cluster, table, known, reading, quota)
