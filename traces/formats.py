"""The formats that can be imported: how each is recognized and read. A new format is one more entry here."""

import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from traces import (
    acme,
    capacity_source,
    csv_table,
    helios,
    inputs,
    node_series,
    openb,
    pai,
    philly,
    sacct_table,
    slurm,
    slurm_nodes,
    source_table,
    spot,
    swf,
)
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.report import Source
from traces.sacct_jobs import VC_FIELD

HEAD_BYTES = 1 << 16
"""How much of a file is looked at to recognize it."""


@dataclass(frozen=True)
class Wishes:
    """What an operator says about an import; None where nothing is said. Not every format uses all of it.

    `timezone` is the site's, `file_timezone` that of the times in the file where it is another. `mapped` is
    {canonical: source}. With `adds` the jobs of a table are added to those of the cluster. `needs_gpus` is
    False where GPU accounting is known to be there though a file may have none. `processors_are_gpus`
    says what the processors of a format without GPUs are.
    """

    cluster: str | None = None
    timezone: str | None = None
    file_timezone: str | None = None
    mapped: Mapping[str, str] = field(default_factory=dict)
    capacity: Path | None = None
    gpus_per_node: int | None = None
    ids_follow_submission: bool = False
    vc_field: str = VC_FIELD
    adds: bool = False
    needs_gpus: bool = True
    processors_are_gpus: bool = False


@dataclass(frozen=True)
class Sample:
    """What is looked at: the path, the names of the files there, and the beginning of the first as text."""

    path: Path
    names: tuple[str, ...]
    head: str

    @property
    def first_line(self) -> str:
        """The first line that is not empty."""
        return next((line for line in self.head.splitlines() if line.strip()), "")

    @property
    def columns(self) -> tuple[str, ...]:
        """The first line as column names."""
        delimiter = max(source_table.DELIMITERS, key=self.first_line.count)
        return tuple(cell.strip().strip('"') for cell in self.first_line.split(delimiter))


@dataclass(frozen=True)
class Format:
    """One format: `recognize` gives a reason when a sample is of it, `read` gives its clusters.

    `timezone` and `trace` are those of the public data where the format is one data set.
    """

    name: str
    about: str
    recognize: Callable[[Sample], str | None]
    read: Callable[[Path, Wishes], Iterable[ClusterImport]]
    timezone: str | None = None
    trace: str | None = None


def sample(path: Path) -> Sample:
    """A look at `path`; TraceError when nothing is there."""
    path = Path(path)
    if not path.exists():
        raise TraceError(f"{path} is not there.")
    if not (path.is_dir() or path.is_file()):
        raise TraceError(f"{path} is neither a file nor a folder: there is nothing to import.")
    if path.is_dir():
        names = tuple(sorted(str(each.relative_to(path)) for each in path.glob("*") if each.name[0] != "."))
        names += tuple(sorted(str(each.relative_to(path)) for each in path.glob("*/*") if each.is_file()))
        files = [path / name for name in names if (path / name).is_file()]
        logs = (file for file in files if file.name in (helios.LOG, philly.LOG))
        first = next(logs, files[0] if files else None)
        return Sample(path, names, "" if first is None else _text(first.name, _beginning(first)))
    if zipfile.is_zipfile(path):
        first_member = next(inputs.contents(path))
        with zipfile.ZipFile(path) as archive:
            names = tuple(archive.namelist())
        return Sample(path, names, _text(first_member.name, first_member.data))
    return Sample(path, (path.name,), _text(path.name, _beginning(path)))


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            start = file.read(4)
            return start + (file.read() if start[:2] == b"\x1f\x8b" else file.read(HEAD_BYTES))
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}.") from error


def _text(name: str, data: bytes) -> str:
    content = source_table.unzipped(name, data)[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf")
    return content.decode("utf-8", errors="replace")


def _is_helios(found: Sample) -> str | None:
    logs = [name for name in found.names if name.rpartition("/")[2] == helios.LOG]
    return f"it has {logs[0]}" if logs else None


def _is_slurm(found: Sample) -> str | None:
    layout = sacct_table.layout_of(found.first_line)
    if layout is None:
        return None
    return (
        f"its first line names {len(layout.columns)} fields of sacct, {', '.join(layout.columns[:3])} first"
    )


def _is_node_series(found: Sample) -> str | None:
    has = {"time", "total"} <= set(found.columns)
    return "its columns are of a series: time and total" if has else None


def _is_philly(found: Sample) -> str | None:
    named = philly.LOG in {name.rpartition("/")[2] for name in found.names}
    listed = found.head.lstrip().startswith("[") and '"attempts"' in found.head
    return "it is a JSON list of jobs with their attempts" if named or listed else None


def _is_pai(found: Sample) -> str | None:
    kinds = {pai.table_kind(name) for name in found.names}
    return "it has a job table and a task table" if {"job", "task"} <= kinds else None


def _is_openb(found: Sample) -> str | None:
    lists = (openb.PODS, openb.NODES)
    return (
        "its columns are those of an openb list"
        if any(set(each) <= set(found.columns) for each in lists)
        else None
    )


def _is_spot(found: Sample) -> str | None:
    lists = (spot.JOBS, spot.NODES)
    return (
        "its columns are those of the spot trace"
        if any(set(each) <= set(found.columns) for each in lists)
        else None
    )


def _is_acme(found: Sample) -> str | None:
    known = set(acme.NEEDED) <= set(found.columns) and "vc" not in found.columns
    return "it has the columns of the Acme trace, gpu_time among them" if known else None


def _is_swf(found: Sample) -> str | None:
    rows = (line.split() for line in found.head.splitlines() if line.strip() and not line.startswith(";"))
    first = next(rows, [])
    numbers = len(first) == len(swf.FIELDS) and all(
        cell.lstrip("-").replace(".", "").isdigit() for cell in first
    )
    return f"its lines are {len(swf.FIELDS)} numbers" if numbers else None


def _is_table(found: Sample) -> str | None:
    if found.head.startswith("PAR1"):
        return "it is a parquet file"
    if slurm_nodes.is_node_list(found.head) or {"vc", "nodes"} == set(found.columns):
        raise TraceError(f"{found.path.name} is a capacity file: give it with --capacity beside the jobs.")
    return (
        f"it is a table with the columns {', '.join(found.columns[:6])}" if len(found.columns) > 1 else None
    )


def _own_capacity(wishes: Wishes) -> tuple[Source, Capacity] | None:
    """The capacity file that the operator gave."""
    if wishes.capacity is None:
        return None
    return capacity_source.read(wishes.capacity, wishes.gpus_per_node or slurm.GPUS_PER_NODE)


def _read_philly(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    yield philly.read(path, wishes.cluster, capacity=_own_capacity(wishes))


def _read_pai(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    yield pai.read(path, wishes.cluster, capacity=_own_capacity(wishes))


def _read_openb(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    yield openb.read(path, wishes.cluster, capacity=_own_capacity(wishes))


def _read_spot(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    yield spot.read(path, wishes.cluster, capacity=_own_capacity(wishes))


def _read_acme(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    per_node = wishes.gpus_per_node or slurm.GPUS_PER_NODE
    yield acme.read(path, wishes.cluster, capacity=_own_capacity(wishes), gpus_per_node=per_node)


def _read_swf(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    yield swf.read(
        path,
        _cluster(path, wishes),
        wishes.timezone,
        processors_are_gpus=wishes.processors_are_gpus,
        gpus_per_node=wishes.gpus_per_node or slurm.GPUS_PER_NODE,
        capacity=_own_capacity(wishes),
    )


def _read_helios(path: Path, _: Wishes) -> Iterable[ClusterImport]:
    return helios.read(path.parent if path.name == helios.LOG else path)


def _read_slurm(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    options = slurm.SlurmOptions(
        cluster=wishes.cluster,
        timezone=wishes.timezone,
        file_timezone=wishes.file_timezone,
        vc_field=wishes.vc_field,
        capacity=wishes.capacity,
        gpus_per_node=wishes.gpus_per_node,
        needs_gpus=wishes.needs_gpus,
    )
    yield from slurm.read(path, options)


def _read_table(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    yield csv_table.read(
        path,
        _cluster(path, wishes),
        wishes.file_timezone or wishes.timezone,
        mapped=wishes.mapped,
        capacity=wishes.capacity,
        gpus_per_node=slurm.GPUS_PER_NODE if wishes.gpus_per_node is None else wishes.gpus_per_node,
        ids_follow_submission=wishes.ids_follow_submission,
        adds=wishes.adds,
    )


def _read_node_series(path: Path, wishes: Wishes) -> Iterable[ClusterImport]:
    zone = wishes.file_timezone or wishes.timezone or "UTC"
    yield node_series.read(path, _cluster(path, wishes), zone, mapped=wishes.mapped)


def _cluster(path: Path, wishes: Wishes) -> str:
    if wishes.cluster is None:
        raise TraceError(f"{path.name} does not say which cluster it is of: name it with --cluster.")
    return wishes.cluster


FORMATS = {
    each.name: each
    for each in (
        Format("helios", "the public Helios release", _is_helios, _read_helios, helios.TIMEZONE, "helios"),
        Format("slurm", "accounting of Slurm (sacct)", _is_slurm, _read_slurm, trace="slurm"),
        Format("philly", "Microsoft's Philly trace", _is_philly, _read_philly, philly.TIMEZONE, "philly"),
        Format("pai", "Alibaba's PAI trace of 2020", _is_pai, _read_pai, "UTC", "pai"),
        Format("openb", "Alibaba's openb trace of 2023", _is_openb, _read_openb, "UTC", "openb"),
        Format("spot", "Alibaba's spot trace of 2026", _is_spot, _read_spot, "UTC", "spot"),
        Format("acme", "the Acme trace", _is_acme, _read_acme, acme.TIMEZONE, "acme"),
        Format("swf", "the Standard Workload Format", _is_swf, _read_swf),
        Format("nodes", "a series of node counts", _is_node_series, _read_node_series),
        Format("csv", "a table of jobs", _is_table, _read_table),
    )
}
"""Formats by name, in the order in which they are tried."""
