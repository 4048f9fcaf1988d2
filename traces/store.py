"""Publish imported clusters as a new version of a trace: all of it, or nothing.

A version is written to a hidden folder beside the others, fsynced and renamed, and then the link `current`
is replaced. A kill at any moment leaves `current` at a complete version. The version before stays for its
readers.
"""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from traces import addition, clock, folders, manifest, rejects, rollups, schema
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.names import checked_name
from traces.progress import READING, tell
from traces.trace_order import in_attempt_order, trace_order

PARTS = {"jobs": schema.JOBS, "quota": schema.QUOTA, "nodes": schema.NODES, "series": schema.SERIES}
ROW_GROUP_ROWS = 100_000
ENCODINGS = {
    "job_id": "DELTA_BYTE_ARRAY",
    "row": "DELTA_BINARY_PACKED",
    **dict.fromkeys(schema.TIME_COLUMNS, "DELTA_BINARY_PACKED"),
}
"""Columns in which a value is close to the one before. Beside dictionaries for the others, jobs take half the
space, and half the time to write, of dictionaries for all."""
_VERSION = re.compile(r"v(\d{6,})")


def publish(
    root: Path,
    trace: str,
    timezone: str,
    imports: Iterable[ClusterImport],
    generated: bool = False,
    start_over: bool = False,
) -> dict[str, Any]:
    """Publish `imports` as a new version of `trace` under the data folder `root` and give its manifest.

    Clusters of the trace that are not imported stay as they are. An import with jobs replaces the cluster's
    jobs, quota and nodes, or adds to them where it `adds` and nothing says to `start_over`; a series replaces
    only the series. `imports` may be a generator: it is read before anyone has to wait, one cluster at a time
    where imports replace. Publishers then take turns. Raises TraceError, with nothing changed, for a bad
    name, a cluster that comes twice, a time zone other than that of the jobs that stay, or no cluster at all.
    """
    checked_name(trace, "trace")
    clock.zone(timezone)
    with folders.staging(root) as work:
        staged = _staged(work, trace, timezone, imports)
        tell(READING, "Publishing")
        with folders.locked(root):
            home = folders.trace_folder(root, trace)
            before = _current(home)
            last = home / "current" if before else None
            staged += _additions(work, trace, timezone, staged, last, before, start_over)
            entries = _entries(staged, before)
            document = manifest.manifest(trace, timezone, entries, before, generated)
            _link_the_rest(work, staged, last)
            rollups.write(work, timezone)
            _publish_folder(home, work, document)
    return document


def copy_renamed(root: Path, version: Path, new: str) -> None:
    """Publish the version folder `version` as the first version of trace `new`; the caller holds the lock."""
    document = json.loads((version / "trace.json").read_text(encoding="utf-8"))
    document |= {"trace": new, "version": 1}
    with folders.staging_locked(root) as work:
        for source in version.glob("*/*"):
            target = work / source.parent.name / source.name
            if source.parent.name == "jobs":
                jobs = pq.read_table(source, partitioning=None)
                _write([_with_trace(jobs, new)], schema.jobs_layout(jobs.column_names), target)
            else:
                folders.link(source, target)
        _publish_folder(folders.trace_folder(root, new), work, document)


def _current(home: Path) -> dict[str, Any] | None:
    path = home / "current" / "trace.json"
    if not path.is_file():
        return None
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


ROLLED_UP_AT_ONCE = 2
"""Clusters whose rollups are written at the same time, each by one thread."""


@dataclass(frozen=True)
class _Staged:
    """A cluster on its way: its tables are in the staging folder, unless it `waits` for its jobs to be added.

    `item` has no tables any more where they are written; `parts` are those it had. With `replaces` the
    cluster's other tables go, but for the series. `latest` is what an addition has read and changed.
    """

    item: ClusterImport
    parts: frozenset[str]
    replaces: bool
    waits: bool = False
    latest: dict[str, Any] | None = None


def _staged(work: Path, trace: str, timezone: str, imports: Iterable[ClusterImport]) -> list[_Staged]:
    """Write the tables of clusters that are replaced; keep those of jobs that are added, for they need the
    lock. A cluster is written while the next one is read, so at most two are in memory; its rollups follow
    meanwhile from what was written."""
    staged: list[_Staged | Future[_Staged]] = []
    seen: set[tuple[str, bool]] = set()
    writing: list[Future[Any]] = []
    rolling: list[Future[Any]] = []
    with (
        ThreadPoolExecutor(1, thread_name_prefix="writer") as writer,
        ThreadPoolExecutor(ROLLED_UP_AT_ONCE, thread_name_prefix="rollups") as roller,
    ):
        for item in imports:
            pa.default_memory_pool().release_unused()  # what was only needed to read
            checked_name(item.cluster, "cluster")
            key = (item.cluster, item.jobs is None)
            if key in seen and not item.adds:
                raise TraceError(
                    f"Cluster {item.cluster!r} is there twice in what is imported: keep one of them."
                )
            seen.add(key)
            if item.adds:
                staged.append(_Staged(item, frozenset(), replaces=False, waits=True))
                continue
            _wait(writing)
            has_jobs = item.jobs is not None
            written = writer.submit(_written, work, trace, item, replaces=has_jobs)
            del item
            staged.append(written)
            writing = [written]
            if has_jobs:
                rolling.append(roller.submit(_rolled_up, written, work, timezone))
        _wait([*writing, *rolling])
    if not staged:
        raise TraceError(f"There is nothing to publish as trace {trace!r}: no cluster was imported.")
    return [each.result() if isinstance(each, Future) else each for each in staged]


def _rolled_up(written: "Future[_Staged]", work: Path, timezone: str) -> None:
    """The rollups of a cluster once its tables are written and out of memory."""
    rollups.write_cluster(work, written.result().item.cluster, timezone, threads=1)


def _wait(writing: Iterable[Future[Any]]) -> None:
    """Wait for the writer, and give back what the tables took that it is done with."""
    for each in writing:
        each.result()
        pa.default_memory_pool().release_unused()


def _written(
    work: Path, trace: str, item: ClusterImport, *, replaces: bool, latest: dict[str, Any] | None = None
) -> _Staged:
    """The item with its tables written to the staging folder and out of memory."""
    present = frozenset(part for part in PARTS if getattr(item, part) is not None)
    for part in present:
        frame = getattr(item, part)
        layout = schema.jobs_layout(frame.columns) if part == "jobs" else PARTS[part]
        tables = _tables(part, frame, layout, trace, item)
        _write(tables, layout, work / part / f"{item.cluster}.parquet")
    if item.jobs is not None and item.rejects is not None and len(item.rejects):
        present |= {"rejects"}
        _write_rejects(item, work / "rejects" / f"{item.cluster}.csv")
    empty = replace(item, jobs=None, quota=None, nodes=None, series=None, rejects=None)
    return _Staged(empty, present, replaces, latest=latest)


def _additions(
    work: Path,
    trace: str,
    timezone: str,
    staged: list[_Staged],
    last: Path | None,
    before: dict[str, Any] | None,
    start_over: bool,
) -> list[_Staged]:
    """Add the jobs that wait to those of their clusters and write the results."""
    waiting: dict[str, list[ClusterImport]] = {}
    for each in staged:
        if each.waits:
            waiting.setdefault(each.item.cluster, []).append(each.item)
    result = []
    for cluster, items in waiting.items():
        stored = None
        if last is not None and before is not None and not start_over:
            entry = before["clusters"].get(cluster)
            stored = addition.Stored(cluster, last, entry) if entry and entry["has_jobs"] else None
        if stored is not None and before is not None and before["timezone"] != timezone:
            raise manifest.other_timezone(trace, before["timezone"], timezone, [cluster])
        done = addition.added(stored, items, timezone)
        latest = {
            "imported": manifest.now(),
            "source": [source.document() for item in items for source in item.sources],
            "report": done.report.document(),
            **vars(done.changes),
        }
        result.append(_written(work, trace, done.whole, replaces=start_over, latest=latest))
    return result


def _link_the_rest(work: Path, staged: list[_Staged], last: Path | None) -> None:
    """Hard links to the files of the version before that no import replaces."""
    if last is None:
        return
    gone: set[Path] = set()
    for each in staged:
        parts = set(each.parts)
        if each.replaces:
            parts |= {"quota", "nodes", "rejects"}
        if "jobs" in parts:
            parts |= set(rollups.NAMES)
        gone |= {_path(part, each.item.cluster) for part in parts}
    for path in {found.relative_to(last) for found in last.glob("*/*")} - gone:
        folders.link(last / path, work / path)


def _path(part: str, cluster: str) -> Path:
    return Path(part) / (f"{cluster}.csv" if part == "rejects" else f"{cluster}.parquet")


def _entries(staged: list[_Staged], before: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    """The manifest's entry of each cluster: what was there, updated by what was imported."""
    entries: dict[str, dict[str, Any]] = dict(before["clusters"]) if before else {}
    for each in staged:
        if not each.waits:
            name = each.item.cluster
            entries[name] = manifest.entry(each.item, each.parts, entries.get(name), each.latest)
    return entries


def _tables(
    part: str, frame: pd.DataFrame, layout: pa.Schema, trace: str, item: ClusterImport
) -> Iterator[pa.Table]:
    """The rows of a part as they are stored, jobs by row groups, so that no second copy of all is made."""
    constants = {"cluster": item.cluster} | ({"trace": trace} if part == "jobs" else {})
    if part != "jobs" or item.adds:
        table = schema.conformed(frame, layout, **constants)
        yield in_attempt_order(table) if part == "jobs" else table
        return
    order = trace_order(frame, item.facts.ids_follow_submission)
    for start in range(0, max(len(frame), 1), ROW_GROUP_ROWS):
        group = slice(start, start + ROW_GROUP_ROWS)
        yield schema.conformed(frame.iloc[group if order is None else order[group]], layout, **constants)


def _write_rejects(item: ClusterImport, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rejects.of_cluster(item).to_csv(path, index=False)


def _write(tables: Iterable[pa.Table], layout: pa.Schema, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    encodings = {name: encoding for name, encoding in ENCODINGS.items() if name in layout.names}
    dictionaries = [_leaf(field) for field in layout if field.name not in encodings]
    with pq.ParquetWriter(
        path, layout, compression="zstd", column_encoding=encodings, use_dictionary=dictionaries
    ) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=ROW_GROUP_ROWS)


def _leaf(field: pa.Field) -> str:
    """A column's name as a parquet file has it."""
    return f"{field.name}.list.element" if pa.types.is_list(field.type) else str(field.name)


def _with_trace(jobs: pa.Table, trace: str) -> pa.Table:
    column = pa.repeat(pa.scalar(trace, pa.string()), len(jobs))
    return jobs.set_column(jobs.schema.get_field_index("trace"), schema.JOBS.field("trace"), column)


def _publish_folder(home: Path, work: Path, document: dict[str, Any]) -> None:
    """Make the finished folder `work` the current version, then drop versions that no reader can hold."""
    name = f"v{document['version']:06d}"
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    (work / "trace.json").write_text(text + "\n", encoding="utf-8")
    folders.release(work)
    folders.fsync_tree(work)
    home.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(home / name, ignore_errors=True)  # a publisher killed before the switch left it
    work.rename(home / name)
    folders.fsync(home)
    folders.point(home / "current", name)
    folders.fsync(home.parent)
    for folder in home.iterdir():
        match = _VERSION.fullmatch(folder.name)
        if match and int(match[1]) < document["version"] - 1:
            shutil.rmtree(folder, ignore_errors=True)
