"""An import from the first look to the published trace, the same for the command and for the pages.

`recognized` says which format a path is of, `preview` shows its first rows, `check` does everything but
publish, and `publish` publishes. All of them raise TraceError with one sentence for the operator.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from traces import (
    addition,
    clock,
    columns,
    first_rows,
    formats,
    inputs,
    manifest,
    pseudonyms,
    rejects,
    store,
)
from traces.catalog import Catalog
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.formats import FORMATS, Format, Wishes
from traces.names import checked_name
from traces.progress import READING, stretch


@dataclass(frozen=True)
class Recognition:
    """The format that a path was recognized as, and why."""

    format: str
    why: str


@dataclass(frozen=True)
class Preview:
    """The first rows of a source as texts, and what its columns would be taken for.

    `mapped` is {canonical: source}; `needs_map` names the canonical columns that still need one.
    """

    recognition: Recognition
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    mapped: dict[str, str]
    needs_map: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What is to be imported, and how. `trace` None is the format's usual name."""

    path: Path
    format: str
    wishes: Wishes = field(default_factory=Wishes)
    trace: str | None = None
    pseudonymize: bool = False
    start_over: bool = False


def recognized(path: Path) -> Recognition:
    """The format of what is at `path`; TraceError when it is of none that we know."""
    with inputs.reading(path):
        found = formats.sample(path)
    for each in FORMATS.values():
        why = each.recognize(found)
        if why is not None:
            return Recognition(each.name, why)
    known = ", ".join(f"{each.name} ({each.about})" for each in FORMATS.values())
    raise TraceError(f"{Path(path).name} is in no format that is known: {known}.")


def preview(path: Path) -> Preview:
    """The beginning of the source at `path`: its first rows, and what its columns are taken for."""
    recognition = recognized(path)
    with inputs.reading(path):
        shown = first_rows.first_rows(recognition.format, formats.sample(path))
    mapped: dict[str, str] = {}
    needed: tuple[str, ...] = ()
    if recognition.format == "csv":
        mapped = columns.own_names(shown.columns)
        needed = tuple(name for name in ("submit_time", "gpu_num") if name not in mapped)
    return Preview(recognition, shown.columns, shown.rows, mapped, needed)


@dataclass(frozen=True)
class Checked:
    """What a check has found: the `reports` that `publish` would give, and all rejected rows.

    `rejects` has the columns cluster, source, line, reason, text.
    """

    reports: list[dict[str, Any]]
    rejects: pd.DataFrame


def check(root: Path, plan: Plan) -> Checked:
    """The report of every cluster as `publish` would give it, with nothing published."""
    trace, timezone, imports = _prepared(root, plan)
    catalog = Catalog(root)
    before = catalog.manifest(trace) if trace in catalog.names() else None
    known = before["clusters"] if before else {}
    together: dict[str, list[ClusterImport]] = {}
    reports = []
    replaced: set[str] = set()
    rejected: list[tuple[str, pd.DataFrame]] = []
    for item in _while_reading(plan.path, imports):
        rejected.append((item.cluster, rejects.of_cluster(item)))
        if item.jobs is not None and (plan.start_over or not item.adds):
            replaced.add(item.cluster)
        if item.adds:
            together.setdefault(item.cluster, []).append(item)
        else:
            reports.append(_document(trace, item.cluster, item.report.document()))
    staying = sorted(set(known) - replaced)
    if before and before["timezone"] != timezone and staying:
        raise manifest.other_timezone(trace, before["timezone"], timezone, staying)
    for cluster, items in together.items():
        entry = None if plan.start_over else known.get(cluster)
        stored = None
        if entry is not None and entry["has_jobs"]:
            stored = addition.Stored(cluster, catalog.folder(trace), entry)
        done = addition.added(stored, items, timezone)
        reports.append(_document(trace, cluster, done.report.document(), vars(done.changes)))
    return Checked(reports, rejects.together(rejected))


def publish(root: Path, plan: Plan) -> list[dict[str, Any]]:
    """Publish what the plan says and give the report of every cluster that was imported."""
    trace, timezone, imports = _prepared(root, plan)
    brought: dict[str, bool] = {}

    def noted() -> Iterator[ClusterImport]:
        for item in _while_reading(plan.path, imports):
            brought[item.cluster] = item.jobs is not None
            yield item
            del item  # out of memory before the next one is read

    document = store.publish(root, trace, timezone, noted(), start_over=plan.start_over)
    return [_published(document, cluster, jobs) for cluster, jobs in brought.items()]


def _while_reading(path: Path, imports: Iterable[ClusterImport]) -> Iterator[ClusterImport]:
    """The imports; what is told while one is read is of the share that reading has of the whole."""
    remaining = iter(imports)
    while True:
        with stretch(0, READING), inputs.reading(path):
            item = next(remaining, None)
        if item is None:
            return
        yield item
        del item


def _prepared(root: Path, plan: Plan) -> tuple[str, str, Iterable[ClusterImport]]:
    """Name and time zone of the trace, and the clusters, read when they are asked for."""
    if plan.format not in FORMATS:
        raise TraceError(f"There is no format {plan.format!r}: known are {', '.join(FORMATS)}.")
    form, wishes = FORMATS[plan.format], plan.wishes
    trace = plan.trace or form.trace
    if trace is None:
        raise TraceError(f"Name the trace into which {plan.path.name} is imported (--trace).")
    checked_name(trace, "trace")
    catalog = Catalog(root)
    before = catalog.manifest(trace) if trace in catalog.names() else None
    timezone = form.timezone or wishes.timezone or (before["timezone"] if before else None) or "UTC"
    clock.zone(timezone)
    with inputs.reading(plan.path):
        imports = form.read(plan.path, _completed(form, wishes, before))
    if plan.pseudonymize:
        key = pseudonyms.salt(root)
        imports = (pseudonyms.pseudonymized(item, key) for item in imports)
    return trace, timezone, imports


def _completed(form: Format, wishes: Wishes, before: dict[str, Any] | None) -> Wishes:
    """The wishes with what the trace itself says: its zone for node series, and that GPUs are accounted."""
    if before is None:
        return wishes
    if form.name == "nodes" and wishes.timezone is None:
        return replace(wishes, timezone=before["timezone"])
    counted = [
        (entry["report"].get("headline") or {}).get("gpu_jobs") for entry in before["clusters"].values()
    ]
    return replace(wishes, needs_gpus=wishes.needs_gpus and not any(counted))


def _published(document: dict[str, Any], cluster: str, jobs: bool) -> dict[str, Any]:
    entry, trace = document["clusters"][cluster], document["trace"]
    if not jobs:
        return _document(trace, cluster, entry["series"]["report"])
    latest = entry.get("latest")
    if latest is None:
        return _document(trace, cluster, entry["report"])
    changes = {name: latest[name] for name in addition.Changes.__dataclass_fields__}
    return _document(trace, cluster, latest["report"], changes)


def _document(
    trace: str, cluster: str, report: dict[str, Any], changes: dict[str, int] | None = None
) -> dict[str, Any]:
    """A cluster's report as the command prints it; an addition also says what it changed."""
    return {"trace": trace, "cluster": cluster} | report | ({} if changes is None else {"changes": changes})
