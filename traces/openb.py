"""``import openb``: Alibaba's GPU-sharing trace of 2023, a list of pods and, beside it, a list of nodes.

Times are seconds from the trace's start, which is not published: they are shown from 1970-01-01 UTC on. A pod
may ask for a part of a GPU; GPUs = num_gpu × gpu_milli ÷ 1000.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from traces import inputs
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.derived_table import ORIGIN_NOTE, needed, number, since_origin, with_columns
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.ledger import Findings
from traces.report import Source
from traces.source_table import SourceTable, table_of

PODS = ("name", "cpu_milli", "num_gpu", "gpu_milli", "pod_phase", "creation_time", "deletion_time")
NODES = ("sn", "cpu_milli", "gpu", "model")
CLUSTER = "openb"
JOB_COLUMNS = {
    "job_id": "name",
    "state": "pod_phase",
    "gpu_type": "gpu_spec",
    "gpu_num": "gpus",
    "cpu_num": "cpus",
    "submit_time": "created",
    "start_time": "scheduled",
    "end_time": "deleted",
}


def read(
    path: Path, cluster: str | None = None, *, capacity: tuple[Source, Capacity] | None = None
) -> ClusterImport:
    """The pods at `path` (the file, or a folder or archive with the node list beside it) as jobs.

    The trace has no virtual clusters: the whole cluster is one, whose capacity is that of the node list.
    Raises TraceError where there is not exactly one list of pods.
    """
    pods, nodes = _lists(path)
    name = cluster or CLUSTER
    machines = None if nodes is None else _machines(nodes)
    if capacity is None and nodes is not None and machines is not None:
        capacity = (nodes.source, _whole(machines, name))
    per_node = 8 if machines is None or machines.empty else max(int(machines["gpus"].max()), 1)
    reading = Reading("openb", "UTC", gpus_per_node=per_node)
    table, findings = _jobs(pods)
    known = {canonical: source for canonical, source in JOB_COLUMNS.items() if source in table.columns}
    return job_import(name, table, known, reading, capacity, findings)


def _lists(path: Path) -> tuple[SourceTable, SourceTable | None]:
    """The list of pods and the list of nodes, told apart by their columns."""
    tables = [table_of(each.name, each.data) for each in inputs.contents(path)]
    pods = [table for table in tables if set(PODS) <= set(table.columns)]
    nodes = [table for table in tables if set(NODES) <= set(table.columns)]
    if not pods:
        needed(tables[0], PODS, "an openb list of pods")
    if len(pods) > 1 or len(nodes) > 1:
        names = ", ".join(table.source.name for table in (pods if len(pods) > 1 else nodes))
        raise TraceError(f"{path} holds several lists of the same kind ({names}): import one of them.")
    return pods[0], nodes[0] if nodes else None


def _jobs(pods: SourceTable) -> tuple[SourceTable, Findings]:
    count, bad_count = number(pods, "num_gpu")
    milli, bad_milli = number(pods, "gpu_milli")
    cpu_milli, bad_cpu = number(pods, "cpu_milli")
    gpus = np.where(count == 0, 0.0, count * milli / 1000)
    derived: dict[str, Any] = {"gpus": gpus, "cpus": np.ceil(cpu_milli / 1000)}
    wrong = {"unparsable_gpu_num": bad_count | bad_milli, "unparsable_cpu_num": bad_cpu}
    for name, source in (
        *(("created", "creation_time"), ("scheduled", "scheduled_time"), ("deleted", "deletion_time")),
    ):
        if source in pods.columns:
            seconds, bad = number(pods, source)
            derived[name] = since_origin(seconds)
            wrong[f"unparsable_{source}"] = bad
    notes = (ORIGIN_NOTE, "CPU requests in parts of a core are rounded up.")
    texts = pods.text("name")
    return with_columns(pods, derived), Findings(texts, rejected=wrong, notes=notes)


def _machines(nodes: SourceTable) -> pd.DataFrame:
    """The nodes that have GPUs: node, gpus, gpu_type."""
    gpus, bad = number(nodes, "gpu")
    if bad.any() or np.isnan(gpus).any():
        line = int(nodes.line[int((bad | np.isnan(gpus)).argmax())])
        raise TraceError(f"{nodes.source.name}, line {line}: the number of GPUs cannot be read.")
    frame = pd.DataFrame(
        {"node": nodes.text("sn"), "gpus": gpus.astype(int), "gpu_type": nodes.text("model")}
    )
    return frame[frame["gpus"] > 0].reset_index(drop=True)


def _whole(machines: pd.DataFrame, cluster: str) -> Capacity:
    """All GPUs as the capacity of one virtual cluster with the cluster's name."""
    rows = pd.DataFrame({"vc": [cluster], "date": [None], "gpus": [int(machines["gpus"].sum())]})
    return Capacity(rows, nodes=machines)
