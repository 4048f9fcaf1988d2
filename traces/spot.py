"""``import spot``: Alibaba's spot GPU trace of 2026: jobs with arrival and duration, and a list of nodes.

Jobs of one GPU model share that model's nodes, so the model is the virtual cluster. Columns are read by name.
"""

from pathlib import Path

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

JOBS = ("job_name", "organization", "gpu_model", "gpu_request", "worker_num", "submit_time", "duration")
NODES = ("gpu_model", "gpu_capacity_num", "node_name")
CLUSTER = "spot"
JOB_COLUMNS = {
    "job_id": "job_name",
    "user": "organization",
    "vc": "gpu_model",
    "gpu_type": "gpu_model",
    "gpu_num": "gpus",
    "cpu_num": "cpus",
    "submit_time": "submitted",
    "duration_s": "duration",
}


def read(
    path: Path, cluster: str | None = None, *, capacity: tuple[Source, Capacity] | None = None
) -> ClusterImport:
    """The jobs at `path` (the file, or a folder or archive with the node list beside it).

    GPUs and CPUs of a job are its request per worker × workers. Raises TraceError where there is not exactly
    one list of jobs.
    """
    jobs, nodes = _lists(path)
    machines = None if nodes is None else _machines(nodes)
    if capacity is None and nodes is not None and machines is not None:
        capacity = (nodes.source, _by_model(machines))
    per_node = 8 if machines is None or machines.empty else max(int(machines["gpus"].max()), 1)
    table, findings = _jobs(jobs)
    known = {canonical: source for canonical, source in JOB_COLUMNS.items() if source in table.columns}
    return job_import(
        cluster or CLUSTER, table, known, Reading("spot", "UTC", gpus_per_node=per_node), capacity, findings
    )


def _lists(path: Path) -> tuple[SourceTable, SourceTable | None]:
    """The list of jobs and the list of nodes, told apart by their columns."""
    tables = [table_of(each.name, each.data) for each in inputs.contents(path)]
    jobs = [table for table in tables if set(JOBS) <= set(table.columns)]
    nodes = [table for table in tables if set(NODES) <= set(table.columns)]
    if not jobs:
        needed(tables[0], JOBS, "a spot list of jobs")
    if len(jobs) > 1 or len(nodes) > 1:
        names = ", ".join(table.source.name for table in (jobs if len(jobs) > 1 else nodes))
        raise TraceError(f"{path} holds several lists of the same kind ({names}): import one of them.")
    return jobs[0], nodes[0] if nodes else None


def _jobs(jobs: SourceTable) -> tuple[SourceTable, Findings]:
    gpus, bad_gpus = number(jobs, "gpu_request")
    workers, bad_workers = number(jobs, "worker_num")
    submit_s, bad_submit = number(jobs, "submit_time")
    derived = {"gpus": gpus * workers, "submitted": since_origin(submit_s)}
    wrong = {"unparsable_gpu_num": bad_gpus | bad_workers, "unparsable_submit_time": bad_submit}
    if "cpu_request" in jobs.columns:
        cpus, bad_cpus = number(jobs, "cpu_request")
        derived["cpus"] = np.ceil(cpus * workers)
        wrong["unparsable_cpu_num"] = bad_cpus
    notes = (ORIGIN_NOTE, "The trace has arrivals and durations only; each GPU model is a virtual cluster.")
    return with_columns(jobs, derived), Findings(jobs.text("job_name"), rejected=wrong, notes=notes)


def _machines(nodes: SourceTable) -> pd.DataFrame:
    """The nodes that have GPUs: node, gpus, gpu_type."""
    gpus, bad = number(nodes, "gpu_capacity_num")
    if bad.any() or np.isnan(gpus).any():
        line = int(nodes.line[int((bad | np.isnan(gpus)).argmax())])
        raise TraceError(f"{nodes.source.name}, line {line}: the number of GPUs cannot be read.")
    model = nodes.text("gpu_model")
    frame = pd.DataFrame({"node": nodes.text("node_name"), "gpus": gpus.astype(int), "gpu_type": model})
    return frame[frame["gpus"] > 0].reset_index(drop=True)


def _by_model(machines: pd.DataFrame) -> Capacity:
    """GPUs of each model as the capacity of the virtual cluster of that name."""
    gpus = machines.groupby("gpu_type")["gpus"].sum()
    return Capacity(pd.DataFrame({"vc": gpus.index, "date": None, "gpus": gpus.to_numpy()}), nodes=machines)
