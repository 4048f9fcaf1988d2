"""``import swf``: the Standard Workload Format 2.2: 18 numbers per job, and a header of ``;`` lines.

The format has no GPUs. Processors are CPUs, or GPUs where the operator says so. −1 is unknown.
https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

import hashlib
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from traces import clock, inputs
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.derived_table import number, since_origin, with_columns
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.ledger import Findings
from traces.report import Rejection, Source
from traces.source_table import SourceTable, unzipped, utf8

FIELDS = (
    *("job", "submit", "wait", "run", "processors", "average_cpu_s", "memory", "requested_processors"),
    *("requested_s", "requested_memory", "status", "user", "group", "executable", "queue", "partition"),
    *("preceding", "think_s"),
)
STATES = {"0": "FAILED", "1": "COMPLETED", "5": "CANCELLED"}
"""Status 2 to 4 are parts of a checkpointed job; they and other numbers are kept as they are, thus OTHER."""

_HEADER = re.compile(r";\s*(?P<key>[A-Za-z]+)\s*:\s*(?P<value>.*\S)\s*$")


def read(
    path: Path,
    cluster: str,
    timezone: str | None = None,
    *,
    processors_are_gpus: bool = False,
    gpus_per_node: int = 8,
    capacity: tuple[Source, Capacity] | None = None,
) -> ClusterImport:
    """The jobs in the file at `path`.

    Where processors are GPUs and no `capacity` is given, the header's MaxProcs is the capacity of a file
    without partitions. `timezone` is the site's; the header's TimeZoneString is used where none is given.
    Raises TraceError for another format.
    """
    content = inputs.single(path)
    text, notes = utf8(content.name, unzipped(content.name, content.data))
    lines = text.decode("utf-8").split("\n")
    header = _header(lines)
    table = _table(content.name, content.data, lines, notes)
    origin_s, known_origin = _origin_s(header, content.name)
    table, findings = _jobs(table, origin_s, processors_are_gpus, known_origin)
    columns = {
        "job_id": "job",
        "user": "who",
        "job_name": "what",
        "state": "ended",
        "gpu_num": "gpus",
        "cpu_num": "cpus",
        "submit_time": "submitted",
        "start_time": "started",
        "duration_s": "ran_s",
    }
    columns |= _virtual_clusters(table)
    if capacity is None and processors_are_gpus and "vc" not in columns:
        capacity = _max_procs(header, cluster, table.source)
    zone = timezone or _zone_in(header)
    reading = Reading("swf", zone, gpus_per_node=gpus_per_node, ids_follow_submission=True)
    return job_import(cluster, table, columns, reading, capacity, findings)


def _header(lines: list[str]) -> dict[str, str]:
    """The header's ``; Key: value`` lines."""
    found = (_HEADER.match(line.strip()) for line in lines)
    return {str(each["key"]): str(each["value"]) for each in found if each}


def _table(name: str, data: bytes, lines: list[str], notes: tuple[str, ...]) -> SourceTable:
    """Rows of 18 fields; other lines that are no comment are malformed."""
    rows: list[list[str]] = []
    places: list[tuple[int, int]] = []
    malformed: list[Rejection] = []
    seen = 0
    for at, line in enumerate(lines, start=1):
        cells = line.split()
        if not cells or cells[0].startswith(";"):
            continue
        if len(cells) == len(FIELDS):
            rows.append(cells)
            places.append((seen, at))
        else:
            malformed.append(Rejection(at, "wrong_number_of_columns", line[:200]))
        seen += 1
    if not rows:
        raise TraceError(
            f"{name} is not in the Standard Workload Format: it has no line of {len(FIELDS)} numbers."
        )
    cells_by_field = zip(*rows, strict=True)
    table = pa.table(dict(zip(FIELDS, (pa.array(each) for each in cells_by_field), strict=True)))
    source = Source(name, len(data), hashlib.sha256(data).hexdigest())
    row, line_numbers = np.array(places, dtype=np.int64).T
    return SourceTable(source, table, row, line_numbers, tuple(malformed), notes)


def _jobs(
    table: SourceTable, origin_s: float, processors_are_gpus: bool, known_origin: bool
) -> tuple[SourceTable, Findings]:
    wrong = {}
    values = {}
    for field in ("submit", "wait", "run", "processors", "requested_processors"):
        read, bad = number(table, field)
        wrong[f"unparsable_{field}"] = bad
        values[field] = np.where(read == -1, np.nan, read)
    processors = np.where(
        np.isnan(values["processors"]), values["requested_processors"], values["processors"]
    )
    submit_s = values["submit"] + origin_s
    none = np.zeros(len(processors))
    derived = {
        "submitted": since_origin(submit_s),
        "started": since_origin(submit_s + values["wait"]),
        "ran_s": values["run"],
        "gpus": processors if processors_are_gpus else none,
        "cpus": np.full(len(processors), np.nan) if processors_are_gpus else processors,
        "who": _named(table, "user"),
        "what": _named(table, "executable"),
        "ended": table.text("status").map(lambda word: STATES.get(word, "" if word == "-1" else word)),
    }
    kind = "GPUs, as asked" if processors_are_gpus else "CPUs: the format has no GPUs"
    notes = [f"Processors are taken as {kind}."]
    if not known_origin:
        notes.append("The header has no UnixStartTime: times are shown from 1970-01-01 UTC on.")
    return with_columns(table, derived), Findings(table.text("job"), rejected=wrong, notes=tuple(notes))


def _named(table: SourceTable, field: str) -> "pd.Series[str]":
    """A field of numbers that are names; unknown ones are empty."""
    return table.text(field).replace("-1", "")


def _virtual_clusters(table: SourceTable) -> dict[str, str]:
    """The field that is the virtual cluster: the partition where there are several, else the queue."""
    for field in ("partition", "queue"):
        if table.text(field).nunique() > 1:
            return {"vc": field}
    return {}


def _origin_s(header: dict[str, str], name: str) -> tuple[float, bool]:
    said = header.get("UnixStartTime", "")
    if said in ("", "-1"):
        return 0.0, False
    if not re.fullmatch(r"\d{1,11}", said):
        raise TraceError(f"{name}: the header's UnixStartTime is {said!r}; it must be whole seconds.")
    return float(said), True


def _zone_in(header: dict[str, str]) -> str | None:
    said = header.get("TimeZoneString", "")
    try:
        clock.zone(said)
    except TraceError:
        return None
    return said


def _max_procs(header: dict[str, str], cluster: str, source: Source) -> tuple[Source, Capacity] | None:
    said = header.get("MaxProcs", "")
    if not re.fullmatch(r"[1-9]\d{0,8}", said):
        return None
    return source, Capacity(pd.DataFrame({"vc": [cluster], "date": [None], "gpus": [int(said)]}))
