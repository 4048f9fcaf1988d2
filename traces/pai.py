"""``import pai``: Alibaba's PAI trace of 2020: tables without a header line, in a folder or an archive.

Times are seconds from a hidden origin, shown from 1970-01-01 UTC on; 0 or nothing is missing. ``plan_gpu``
and ``plan_cpu`` are per cent of one GPU or core and per instance of a task. A job is submitted at its
start_time and begins to run with its first task.
"""

import csv
import io
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from traces import inputs
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.derived_table import ORIGIN_NOTE, number, since_origin, with_columns
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.ledger import Findings
from traces.report import Source
from traces.source_table import SourceTable, table_of, unzipped

CLUSTER = "PAI"
TABLES = {
    "job": ("job_name", "inst_id", "user", "status", "start_time", "end_time"),
    "task": (
        *("job_name", "task_name", "inst_num", "status", "start_time", "end_time"),
        *("plan_cpu", "plan_mem", "plan_gpu", "gpu_type"),
    ),
    "group_tag": ("inst_id", "user", "gpu_type_spec", "group", "workload"),
    "machine_spec": ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"),
}
"""The tables that are read and their columns, in the order of the published ``.header`` files."""

STATES = {"Terminated": "COMPLETED", "Waiting": "PENDING"}
"""Words of the trace that mean something else elsewhere."""


def read(
    path: Path, cluster: str | None = None, *, capacity: tuple[Source, Capacity] | None = None
) -> ClusterImport:
    """The jobs of the tables at `path`: job and task are needed, group_tag and machine_spec add to them.

    GPUs of a job are those of all its tasks; they are unknown where a task names a GPU type and no number.
    The name of a job is its group, which recurring jobs share. Raises TraceError where a table is missing.
    """
    tables = _tables(path)
    for name in ("job", "task"):
        if name not in tables:
            raise TraceError(f"{path} has no {name} table of the PAI trace (pai_{name}_table.csv).")
    jobs = tables["job"]
    requests, bad_lines = _requests(tables["task"])
    table, findings = _with_requests(jobs, requests, tables.get("group_tag"), bad_lines)
    machines = _machines(tables["machine_spec"]) if "machine_spec" in tables else None
    name = cluster or CLUSTER
    if capacity is None and machines is not None:
        whole = pd.DataFrame({"vc": [name], "date": [None], "gpus": [int(machines["gpus"].sum())]})
        capacity = (tables["machine_spec"].source, Capacity(whole, nodes=machines))
    columns = {
        "job_id": "job_name",
        "user": "user",
        "state": "state",
        "gpu_num": "gpus",
        "cpu_num": "cpus",
        "gpu_type": "gpu_types",
        "submit_time": "submitted",
        "start_time": "started",
        "end_time": "ended",
    }
    if "group" in table.columns:
        columns["job_name"] = "group"
    return job_import(name, table, columns, Reading("pai", "UTC"), capacity, findings)


def table_kind(name: str) -> str | None:
    """Which table a file of this name is, e.g. ``pai_job_table.csv``; None for one that is not read."""
    stem = PurePosixPath(name).name.partition(".")[0].removeprefix("pai_").removesuffix("_table")
    return stem if stem in TABLES else None


def _tables(path: Path) -> dict[str, SourceTable]:
    """The tables at `path` by name, with the published columns or those of a ``.header`` file beside them."""
    headers: dict[str, tuple[str, ...]] = {}
    found: dict[str, inputs.Content] = {}
    for each in inputs.contents(path):
        kind = table_kind(each.name)
        if kind is None:
            continue
        if ".header" in each.name:
            headers[kind] = _names(each)
        elif kind in found:
            raise TraceError(f"{path} holds two {kind} tables ({found[kind].name}, {each.name}): keep one.")
        else:
            found[kind] = each
    return {kind: _table(each, headers.get(kind, TABLES[kind]), kind) for kind, each in found.items()}


def _names(header: inputs.Content) -> tuple[str, ...]:
    text = header.data.decode("utf-8", errors="replace")
    return tuple(cell.strip() for cell in next(csv.reader(io.StringIO(text)), []))


def _table(content: inputs.Content, names: tuple[str, ...], kind: str) -> SourceTable:
    """The table of a file without a header line; its lines are those of the file."""
    absent = [name for name in TABLES[kind] if name not in names]
    if absent:
        raise TraceError(f"The header of the {kind} table lacks {absent[0]}: it has {', '.join(names)}.")
    body = unzipped(content.name, content.data)
    if body.startswith((",".join(names) + "\n").encode()):
        body = body.partition(b"\n")[2]
    table = table_of(content.name, (",".join(names) + "\n").encode() + body)
    return SourceTable(
        Source(content.name, len(content.data), table.source.sha256),
        table.cells,
        table.row,
        table.line - 1,
        table.malformed,
        table.notes,
    )


def _requests(tasks: SourceTable) -> tuple[pd.DataFrame, int]:
    """GPUs, CPUs, GPU types and first start of each job, from its tasks, and the number of tasks not read."""
    frame = pd.DataFrame({"job": tasks.text("job_name"), "gpu_type": tasks.text("gpu_type")})
    bad = np.zeros(len(frame), dtype=bool)
    for column in ("inst_num", "plan_gpu", "plan_cpu", "start_time"):
        frame[column], wrong = number(tasks, column)
        bad |= wrong
    no_gpu = frame["plan_gpu"].isna() & (frame["gpu_type"] == "")
    instances = frame["inst_num"].fillna(1)
    frame["gpus"] = frame["plan_gpu"].mask(no_gpu, 0) / 100 * instances
    frame["cpus"] = frame["plan_cpu"] / 100 * instances
    frame["start"] = frame["start_time"].where(frame["start_time"] > 0)
    frame = frame[~bad]
    by_job = frame.groupby("job", sort=False)
    result = pd.DataFrame(
        {
            "gpus": by_job["gpus"].sum(min_count=1).where(~frame["gpus"].isna().groupby(frame["job"]).any()),
            "cpus": by_job["cpus"].sum(min_count=1),
            "start": by_job["start"].min(),
        }
    )
    typed = frame[frame["gpu_type"] != ""].drop_duplicates(["job", "gpu_type"])
    result["gpu_type"] = typed.groupby("job")["gpu_type"].agg("+".join)
    return result, int(bad.sum()) + len(tasks.malformed)


def _with_requests(
    jobs: SourceTable, requests: pd.DataFrame, tags: SourceTable | None, bad_tasks: int
) -> tuple[SourceTable, Findings]:
    name = jobs.text("job_name")
    own = requests.reindex(name)
    submit_s, bad_submit = number(jobs, "start_time")
    end_s, bad_end = number(jobs, "end_time")
    derived = {
        "submitted": since_origin(np.where(submit_s > 0, submit_s, np.nan)),
        "started": since_origin(own["start"].to_numpy(float)),
        "ended": since_origin(np.where(end_s > 0, end_s, np.nan)),
        "gpus": own["gpus"].to_numpy(float),
        "cpus": np.ceil(own["cpus"].to_numpy(float)),
        "gpu_types": own["gpu_type"].to_numpy(object),
        "state": jobs.text("status").replace(STATES),
    }
    if tags is not None:
        group = pd.Series(tags.text("group").to_numpy(), index=tags.text("inst_id").to_numpy())
        derived["group"] = group[~group.index.duplicated()].reindex(jobs.text("inst_id")).to_numpy(object)
    wrong = {"unparsable_submit_time": bad_submit, "unparsable_end_time": bad_end}
    notes = [ORIGIN_NOTE, "CPU requests in parts of a core are rounded up."]
    if bad_tasks:
        notes.append(f"{bad_tasks:,} tasks could not be read and are in no job's request.")
    no_task = {"no_task": ~name.isin(requests.index).to_numpy()}
    return with_columns(jobs, derived), Findings(name, rejected=wrong, flagged=no_task, notes=tuple(notes))


def _machines(table: SourceTable) -> pd.DataFrame:
    """The machines that have GPUs: node, gpus, gpu_type."""
    gpus, _ = number(table, "cap_gpu")
    frame = pd.DataFrame({"node": table.text("machine"), "gpus": gpus, "gpu_type": table.text("gpu_type")})
    return frame[frame["gpus"] > 0].astype({"gpus": int}).reset_index(drop=True)
