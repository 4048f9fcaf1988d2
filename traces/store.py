"""Publish imported clusters as a new version of a trace: all of it, or nothing.

A version is written to a hidden folder beside the others, fsynced and renamed, and then the link `current`
is replaced. A kill at any moment leaves `current` at a complete version. The version before stays for its
readers.
"""

import json
import re
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from traces import clock, folders, schema
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.names import checked_name

PARTS = {"jobs": schema.JOBS, "quota": schema.QUOTA, "nodes": schema.NODES, "series": schema.SERIES}
ROW_GROUP_ROWS = 100_000
_VERSION = re.compile(r"v(\d{6,})")


def publish(
    root: Path, trace: str, timezone: str, imports: Iterable[ClusterImport], generated: bool = False
) -> dict[str, Any]:
    """Publish `imports` as a new version of `trace` under the data folder `root` and give its manifest.

    Clusters of the trace that are not imported stay as they are. An import with jobs replaces the cluster's
    jobs, quota and nodes; a series replaces only the series. `imports` may be a generator: one cluster is
    held at a time. Publishers wait for each other. Raises TraceError, with nothing changed, for a bad name,
    a time zone other than the one of the clusters that stay, or no cluster at all.
    """
    checked_name(trace, "trace")
    clock.zone(timezone)
    with folders.locked(root):
        home = folders.trace_folder(root, trace)
        before = _current(home)
        work = _fresh_folder(home)
        try:
            entries = _write_clusters(work, trace, imports, home / "current" if before else None, before)
            manifest = _manifest(trace, timezone, entries, before, generated)
            _publish_folder(home, work, manifest)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            _remove_if_empty(home)
            raise
    return manifest


def copy_renamed(root: Path, version: Path, new: str) -> None:
    """Publish the version folder `version` as the first version of trace `new`; the caller holds the lock."""
    manifest = json.loads((version / "trace.json").read_text(encoding="utf-8"))
    manifest |= {"trace": new, "version": 1}
    home = folders.trace_folder(root, new)
    work = _fresh_folder(home)
    for source in version.glob("*/*.parquet"):
        target = work / source.parent.name / source.name
        if source.parent.name == "jobs":
            _write(_with_trace(pq.read_table(source, partitioning=None), new), target)
        else:
            folders.link(source, target)
    _publish_folder(home, work, manifest)


def in_trace_order(jobs: pa.Table, ids_follow_submission: bool) -> pa.Table:
    """Jobs by submit time, then numeric job_id where ids follow submission (others last), then row."""
    keys = [("submit_time", "ascending"), ("row", "ascending")]
    keyed = jobs
    if ids_follow_submission:
        ids = jobs["job_id"]
        numeric = pc.match_substring_regex(ids, "^[0-9]{1,18}$")
        number = pc.cast(pc.if_else(numeric, ids, pa.scalar(None, pa.string())), pa.int64())
        keyed = jobs.append_column("number", number)
        keys.insert(1, ("number", "ascending"))
    return jobs.take(pc.sort_indices(keyed, sort_keys=keys))


def _current(home: Path) -> dict[str, Any] | None:
    path = home / "current" / "trace.json"
    if not path.is_file():
        return None
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _fresh_folder(home: Path) -> Path:
    """An empty hidden folder in the trace's folder; what a killed publisher left there is removed."""
    home.mkdir(parents=True, exist_ok=True)
    work = home / ".new"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    return work


def _write_clusters(
    work: Path,
    trace: str,
    imports: Iterable[ClusterImport],
    last: Path | None,
    before: dict[str, Any] | None,
) -> dict[str, dict[str, Any]]:
    """Write the imported clusters, link the others, and give the manifest's entry of each cluster."""
    entries: dict[str, dict[str, Any]] = dict(before["clusters"]) if before else {}
    written: set[Path] = set()
    dropped: set[Path] = set()
    for item in imports:
        checked_name(item.cluster, "cluster")
        for part in PARTS:
            path = Path(part) / f"{item.cluster}.parquet"
            frame = getattr(item, part)
            if frame is not None:
                _write(_table(part, frame, trace, item), work / path)
                written.add(path)
            elif item.jobs is not None and part != "series":
                dropped.add(path)
        entries[item.cluster] = _entry(item, entries.get(item.cluster))
    if not written:
        raise TraceError(f"There is nothing to publish as trace {trace!r}: no cluster was imported.")
    for path in _files(last) - written - dropped:
        folders.link(last / path if last else path, work / path)
    return entries


def _files(last: Path | None) -> set[Path]:
    return {path.relative_to(last) for path in last.glob("*/*.parquet")} if last else set()


def _table(part: str, frame: Any, trace: str, item: ClusterImport) -> pa.Table:
    constants = {"cluster": item.cluster} | ({"trace": trace} if part == "jobs" else {})
    table = schema.conformed(frame, PARTS[part], **constants)
    return in_trace_order(table, item.facts.ids_follow_submission) if part == "jobs" else table


def _write(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", row_group_size=ROW_GROUP_ROWS)


def _with_trace(jobs: pa.Table, trace: str) -> pa.Table:
    column = pa.repeat(pa.scalar(trace, pa.string()), len(jobs))
    return jobs.set_column(jobs.schema.get_field_index("trace"), schema.JOBS.field("trace"), column)


def _entry(item: ClusterImport, before: dict[str, Any] | None) -> dict[str, Any]:
    """The cluster's entry in the manifest: what was there before, updated by what the import brings."""
    origin = {
        "format": item.facts.format,
        "source": [vars(source) for source in item.sources],
        "imported": _now(),
        "report": item.report.document(),
    }
    series = origin if item.series is not None else (before or {}).get("series")
    if item.jobs is None and before is not None and before["has_jobs"]:
        return before | {"has_series": series is not None, "series": series}
    facts = {name: value for name, value in vars(item.facts).items() if name != "format"}
    return (
        origin
        | facts
        | {
            "has_jobs": item.jobs is not None,
            "has_capacity": item.quota is not None,
            "has_series": series is not None,
            "series": series,
        }
    )


def _manifest(
    trace: str,
    timezone: str,
    entries: dict[str, dict[str, Any]],
    before: dict[str, Any] | None,
    generated: bool,
) -> dict[str, Any]:
    old = before["clusters"] if before else {}
    # an entry that was not replaced holds the very same report
    staying = [name for name in old if old[name]["report"] is entries[name]["report"]]
    if before and before["timezone"] != timezone and staying:
        raise TraceError(
            f"Trace {trace!r} has the time zone {before['timezone']}, not {timezone}: import with it "
            f"or under another trace name (clusters already there: {', '.join(staying)})."
        )
    return {
        "trace": trace,
        "timezone": timezone,
        "generated": generated or bool(before and staying and before["generated"]),
        "created": before["created"] if before else _now(),
        "version": before["version"] + 1 if before else 1,
        "clusters": dict(sorted(entries.items())),
    }


def _publish_folder(home: Path, work: Path, manifest: dict[str, Any]) -> None:
    """Make the finished folder `work` the current version, then drop versions that no reader can hold."""
    name = f"v{manifest['version']:06d}"
    text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False)
    (work / "trace.json").write_text(text + "\n", encoding="utf-8")
    folders.fsync_tree(work)
    shutil.rmtree(home / name, ignore_errors=True)  # a publisher killed before the switch left it
    work.rename(home / name)
    folders.fsync(home)
    folders.point(home / "current", name)
    folders.fsync(home.parent)
    for folder in home.iterdir():
        match = _VERSION.fullmatch(folder.name)
        if match and int(match[1]) < manifest["version"] - 1:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_if_empty(home: Path) -> None:
    """A refused first import leaves no empty trace folder behind."""
    if home.is_dir() and not any(home.iterdir()):
        home.rmdir()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
