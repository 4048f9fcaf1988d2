"""Fields of ``sacct`` as canonical columns: which field says what, and what each row is."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from traces import gpu_counts, hostlists, readings, sacct_fields
from traces.errors import TraceError
from traces.ledger import Findings
from traces.sacct_table import SacctTable
from traces.source_table import SourceTable

GPU_FIELDS = ("alloctres", "reqtres", "allocgres", "reqgres")
"""Where GPUs are counted, the first that names some deciding."""

REQUESTED = ("reqtres", "reqgres")
VC_FIELD = "Partition"
_PASSED_ON = {
    "user": ("user", "uid"),
    "job_name": ("jobname",),
    "state": ("state",),
    "submit_time": ("submit",),
    "start_time": ("start",),
    "end_time": ("end",),
}
_ELAPSED = re.compile(
    r"(?:(?P<days>\d+)-)?(?:(?P<first>\d+):)?(?P<second>\d+):(?P<third>\d+(?:\.\d+)?)", re.ASCII
)
_DAYS_HOURS = re.compile(r"(\d+)-(\d+)(?::(\d+))?", re.ASCII)
_NO_ELAPSED = ("", "invalid", "unlimited", "partition_limit", "unknown", "none", "n/a")


@dataclass(frozen=True)
class SacctJobs:
    """Jobs with canonical columns of texts, the cluster of each row, and what is known about rows so far.

    `cluster` has an empty text where the file does not say; `names_gpus` tells whether any row names a GPU.
    """

    table: SourceTable
    cluster: pd.Series
    findings: Findings
    names_gpus: bool


def sacct_jobs(read: SacctTable, vc_field: str = VC_FIELD) -> SacctJobs:
    """The rows of `read` as jobs. TraceError, with the remedy, where a needed field is missing.

    Needed are JobIDRaw or JobID, Submit, and one of AllocTRES, ReqTRES, AllocGRES, ReqGRES.
    """
    table = read.table
    _require(table, vc_field)
    text = {name: table.text(name) for name in table.columns}
    gpus = gpu_counts.gpu_columns([text[name] for name in GPU_FIELDS if name in text])
    columns = {"job_id": text["jobid"] if "jobid" in text else text["jobidraw"]}
    for canonical, fields in _PASSED_ON.items():
        field = next((field for field in fields if field in text), None)
        if field is not None:
            columns[canonical] = text[field]
    if vc_field.lower() in text:
        columns["vc"] = text[vc_field.lower()]
    columns |= {"gpu_num": gpus["gpu_num"], "gpu_type": gpus["gpu_type"]}
    columns |= _sizes(text) | _durations(text) | _priority(text)
    cells = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    findings = Findings(columns["job_id"], _rejected(columns), _flagged(read, columns, gpus, text))
    cluster = text["cluster"] if "cluster" in text else pd.Series("", index=gpus.index, dtype="str")
    jobs = SourceTable(table.source, cells, table.row, table.line, table.malformed, table.notes)
    return SacctJobs(jobs, cluster, findings, bool((gpus["source"] >= 0).any()))


def elapsed_s(text: str) -> str:
    """Seconds of ``3-00:00:00``, ``00:00:52``, ``00:36.857`` or ``1-02`` as a number's text.

    Empty where there is no such time (``UNLIMITED``, ``INVALID``), and the text itself where it is no time.
    """
    if text.strip().lower() in _NO_ELAPSED:
        return ""
    found = _DAYS_HOURS.fullmatch(text.strip())
    if found:
        return str(int(found[1]) * 86400 + int(found[2]) * 3600 + int(found[3] or 0) * 60)
    found = _ELAPSED.fullmatch(text.strip())
    if found:
        days, hours = int(found["days"] or 0), int(found["first"] or 0)
        return f"{days * 86400 + hours * 3600 + int(found['second']) * 60 + float(found['third']):.10g}"
    return text


def _require(table: SourceTable, vc_field: str) -> None:
    has = set(table.columns)
    lacks = None
    if not has & {"jobid", "jobidraw"}:
        lacks = "no column JobIDRaw or JobID"
    elif "submit" not in has:
        lacks = "no column Submit"
    elif not has & set(GPU_FIELDS):
        lacks = "no GPU accounting: no column AllocTRES or ReqTRES"
    elif vc_field != VC_FIELD and vc_field.lower() not in has:
        lacks = f"no column {vc_field} that could be the VC"
    if lacks:
        raise TraceError(
            f"{table.source.name} has {lacks}; add it to sacct --format (columns found: {table.found()})."
        )


def _sizes(text: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """CPUs and nodes: their own fields, else what the resources say, else the length of the node list."""
    empty = pd.Series("", index=next(iter(text.values())).index, dtype="str")
    cpus = _first_known([text[name] for name in ("alloccpus", "ncpus", "reqcpus") if name in text], empty)
    nodes = _first_known([text[name] for name in ("nnodes", "allocnodes", "reqnodes") if name in text], empty)
    for field in ("alloctres", "reqtres"):
        if field in text:
            cpus = _filled(cpus, text[field], lambda value: gpu_counts.amount(value, "cpu"))
            nodes = _filled(nodes, text[field], lambda value: gpu_counts.amount(value, "node"))
    if "nodelist" in text:
        nodes = _filled(nodes, text["nodelist"], _hosts)
    return {"cpu_num": _each(cpus, _whole), "node_num": _each(nodes, _whole)}


def _durations(text: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Elapsed seconds; none for a job that never started, which ``sacct`` gives as 0."""
    if "elapsedraw" in text:
        elapsed = _each(text["elapsedraw"], lambda value: "" if value.lower() in _NO_ELAPSED else value)
    elif "elapsed" in text:
        elapsed = _each(text["elapsed"], elapsed_s)
    else:
        return {}
    if "start" in text:
        elapsed = elapsed.mask(readings.missing_mask(text["start"]), "")
    return {"duration_s": elapsed}


def _priority(text: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """The priority with its sign turned: in Slurm the largest goes first, here the smallest."""
    if "priority" not in text:
        return {}
    return {"priority": text["priority"].str.replace(r"^(\d)", r"-\1", regex=True)}


def _rejected(columns: dict[str, pd.Series]) -> dict[str, np.ndarray]:
    """Rows that are no jobs: headers in the middle, steps, and rows whose cells are in the wrong columns."""
    ids = columns["job_id"]
    header = ids.str.lower().isin(["jobid", "jobidraw"]).to_numpy(dtype=bool)
    step = ids.str.fullmatch(sacct_fields.ID + r"\.\S+").to_numpy(dtype=bool)
    other = ~ids.str.fullmatch(sacct_fields.ID).to_numpy(dtype=bool) & (ids != "").to_numpy()
    rejected = {"repeated_header": header, "job_step": step, "unparsable_job_id": other}
    if "state" in columns:
        fits = columns["state"].str.fullmatch(str(sacct_fields.shape("state"))).to_numpy(dtype=bool)
        rejected["shifted_columns"] = ~fits
    return rejected


def _flagged(
    read: SacctTable, columns: dict[str, pd.Series], gpus: pd.DataFrame, text: dict[str, pd.Series]
) -> dict[str, np.ndarray]:
    used = [name for name in GPU_FIELDS if name in text]
    requested = gpus["source"].isin([used.index(name) for name in REQUESTED if name in used]).to_numpy()
    flags = {
        "repaired_columns": read.repaired,
        "pending_array_tasks": columns["job_id"].str.contains("_[", regex=False).to_numpy(dtype=bool),
    }
    if "start_time" in columns:
        started = ~readings.missing_mask(columns["start_time"])
        flags["gpu_num_from_request"] = requested & started
        if "end_time" in columns:
            flags["still_running"] = started & readings.missing_mask(columns["end_time"])
    return flags


def _first_known(columns: Iterable[pd.Series], empty: pd.Series) -> pd.Series:
    """Each row's first cell that says something; a count of 0 says nothing about a job's size."""
    result = empty
    for column in columns:
        result = result.mask(result.isin(["", "0"]) & (column != ""), column)
    return result


def _filled(values: pd.Series, source: pd.Series, read: Callable[[str], str]) -> pd.Series:
    return values.mask(values.isin(["", "0"]), _each(source, read)) if len(values) else values


def _each(texts: pd.Series, read: Callable[[str], str]) -> pd.Series:
    """`read` of every text, called once for each distinct one."""
    codes, distinct = pd.factorize(texts)
    values = np.array([read(str(text)) for text in distinct], dtype=object)
    return pd.Series(values[codes] if len(codes) else [], index=texts.index, dtype="str")


def _whole(text: str) -> str:
    """A count in full where ``sacct`` has shortened it (``2K``); other texts as they are."""
    if text.isdigit():
        return text
    try:
        return f"{gpu_counts.count(text):g}"
    except ValueError:
        return text


def _hosts(text: str) -> str:
    try:
        return str(hostlists.size(text) or "")
    except ValueError:
        return ""
