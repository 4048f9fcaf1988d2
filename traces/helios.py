"""``import helios``: the public Helios release, a cluster folder, the data folder, or data.zip as it is."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from traces import columns
from traces.capacity import capacity_of
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.limits import check_archive
from traces.names import checked_name
from traces.progress import stretch, tell
from traces.source_table import SourceTable, table_of
from traces.typed_cells import NUMBER, TIME, WORD

TIMEZONE = "Asia/Shanghai"
"""Helios writes local times of UTC+8 without daylight saving; this zone has had none since 1991."""

GPUS_PER_NODE = 8
LOG, CAPACITY = "cluster_log.csv", "cluster_gpu_number.csv"
NEEDED = ("job_id", "user", "vc", "gpu_num", "state", "submit_time", "duration_s")
TYPES = {
    **dict.fromkeys(("submit_time", "start_time", "end_time"), TIME),
    **dict.fromkeys(("gpu_num", "cpu_num", "node_num", "duration", "queue"), NUMBER),
    **dict.fromkeys(("user", "vc", "state"), WORD),
}


@dataclass(frozen=True)
class _Folder:
    """A cluster's folder: its files by name, each with a function that reads it, and the size of its log."""

    cluster: str
    files: dict[str, Callable[[], bytes]]
    log_bytes: int


def read(path: Path) -> Iterator[ClusterImport]:
    """The clusters at `path` one after the other, sorted by name, each read when it is asked for.

    Raises TraceError at once when there is no cluster log at `path`, and later for a log that cannot be
    right.
    """
    folders = _zipped(Path(path)) if Path(path).is_file() else _plain(Path(path))
    if not folders:
        raise TraceError(
            f"{path} has no {LOG}: give a cluster folder, the data folder with the clusters, or data.zip."
        )
    names = [folder.cluster for folder in folders]
    for name in sorted(set(names)):
        if names.count(name) > 1:
            raise TraceError(
                f"{path} has several folders of a cluster {name!r}: give one of them, or rename one."
            )
    return _clusters(sorted(folders, key=lambda folder: folder.cluster))


def _clusters(folders: list[_Folder]) -> Iterator[ClusterImport]:
    behind, total = 0, max(sum(folder.log_bytes for folder in folders), 1)
    for folder in folders:
        before, behind = behind, behind + folder.log_bytes
        with stretch(before / total, behind / total):
            tell(0, f"Reading {folder.cluster}")
            item = _cluster(folder)
        yield item
        del item


def _cluster(folder: _Folder) -> ClusterImport:
    checked_name(folder.cluster, "cluster")
    table = _log(f"{folder.cluster}/{LOG}", folder.files[LOG]())
    mapped = {"queueing_delay_s": "queue"} if "queue" in table.columns else {}
    known = columns.resolved(table, mapped)
    columns.require(table, known, NEEDED)
    quota = None
    if CAPACITY in folder.files:
        quotas = table_of(f"{folder.cluster}/{CAPACITY}", folder.files[CAPACITY]())
        quota = (quotas.source, capacity_of(quotas, GPUS_PER_NODE))
    reading = Reading("helios", TIMEZONE, gpus_per_node=GPUS_PER_NODE, ids_follow_submission=True)
    return job_import(folder.cluster, table, known, reading, quota)


def _log(name: str, data: bytes) -> SourceTable:
    """The log, in the types of the release where all of its cells have them and every job its submit time."""
    table = table_of(name, data, TYPES)
    column = table.cells["submit_time"] if table.columns.count("submit_time") == 1 else None
    return table_of(name, data) if column is not None and column.null_count else table


def _plain(path: Path) -> list[_Folder]:
    if not path.is_dir():
        raise TraceError(f"{path} is not there: give a cluster folder, the data folder, or data.zip.")
    logs = [path / LOG] if (path / LOG).is_file() else sorted(path.glob(f"*/{LOG}"))
    logs = logs or sorted(path.glob(f"data/*/{LOG}"))
    return [_plain_folder(log.parent.resolve()) for log in logs]


def _plain_folder(folder: Path) -> _Folder:
    files = {name: (folder / name).read_bytes for name in (LOG, CAPACITY) if (folder / name).is_file()}
    return _Folder(folder.name, files, (folder / LOG).stat().st_size)


def _zipped(path: Path) -> list[_Folder]:
    """Folders of the archive, at whatever depth; its entries are read into memory, never unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_archive(archive, path)
            entries = {PurePosixPath(each.filename): each for each in archive.infolist()}
    except (zipfile.BadZipFile, OSError) as error:
        raise TraceError(
            f"{path} is not a zip archive that can be read ({error}): give data.zip or a folder."
        ) from error
    logs = [entry for entry in entries if entry.name == LOG and "__MACOSX" not in entry.parts]
    return [_zipped_folder(path, log, entries) for log in logs]


def _zipped_folder(path: Path, log: PurePosixPath, entries: dict[PurePosixPath, zipfile.ZipInfo]) -> _Folder:
    def reader(entry: PurePosixPath) -> Callable[[], bytes]:
        return lambda: _member(path, entries[entry].filename)

    wanted = [log.parent / name for name in (LOG, CAPACITY)]
    cluster = log.parent.name or path.stem
    files = {entry.name: reader(entry) for entry in wanted if entry in entries}
    return _Folder(cluster, files, entries[log].file_size)


def _member(path: Path, name: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError) as error:
        raise TraceError(
            f"{path}: entry {name} cannot be read ({error}): download the archive again."
        ) from error
