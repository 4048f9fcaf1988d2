"""``import acme``: the Acme trace (Seren, Kalos) of Shanghai AI Laboratory. Its times carry their offset."""

from pathlib import Path

from traces import columns, inputs
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.derived_table import needed
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.report import Source
from traces.source_table import table_of

TIMEZONE = "Asia/Shanghai"
NEEDED = ("job_id", "gpu_num", "state", "submit_time", "duration", "gpu_time")
"""Columns by which the trace is known; the others are read where they are there."""

CLUSTERS = ("Seren", "Kalos")


def read(
    path: Path,
    cluster: str | None = None,
    *,
    capacity: tuple[Source, Capacity] | None = None,
    gpus_per_node: int = 8,
) -> ClusterImport:
    """The jobs in the trace file at `path`; the cluster is `cluster`, else the one in the file's name.

    The trace has no virtual clusters. Its ids do not say the order of submission. Raises TraceError for
    another file, or where the cluster cannot be told.
    """
    content = inputs.single(path)
    table = table_of(content.name, content.data)
    needed(table, NEEDED, "an Acme trace")
    mapped = {"queueing_delay_s": "queue"} if "queue" in table.columns else {}
    reading = Reading("acme", None, gpus_per_node=gpus_per_node, site_timezone=TIMEZONE)
    name = cluster or _cluster_in(content.name)
    return job_import(name, table, columns.resolved(table, mapped), reading, capacity)


def _cluster_in(name: str) -> str:
    for cluster in CLUSTERS:
        if cluster.lower() in name.lower():
            return cluster
    raise TraceError(f"{name} does not say which cluster it is of: name it with --cluster, e.g. Seren.")
