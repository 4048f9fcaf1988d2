"""Add imported jobs to those that a cluster has: the same table whatever the order and however often.

Each attempt of a job keeps the row that knows most about it (`traces.knowledge`); flags that depend on other
rows are set anew. The report of the whole is a sum over different files: a file that comes again counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from traces import clock, flag_lists, knowledge, schema
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport, Facts
from traces.coverage import coverage
from traces.effects import Effect, flag_effects, headline
from traces.errors import TraceError
from traces.report import EXAMPLES, Report, Source, combined

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Stored:
    """A cluster as it is published: its version folder and its entry in the manifest."""

    cluster: str
    folder: Path
    entry: dict[str, Any]

    def part(self, part: str) -> Path:
        """The file of one of the cluster's tables."""
        return self.folder / part / f"{self.cluster}.parquet"


@dataclass(frozen=True)
class Changes:
    """What an addition did with the kept rows of its files; the four add up to them.

    `unchanged` rows say what was known already, `older` ones less.
    """

    added: int
    updated: int
    unchanged: int
    older: int


@dataclass(frozen=True)
class Addition:
    """The cluster with everything it has now, and what the addition itself read and changed.

    `report` counts the added files only; its gaps are those of the whole.
    """

    whole: ClusterImport
    report: Report
    changes: Changes


def added(stored: Stored | None, items: Sequence[ClusterImport], timezone: str) -> Addition:
    """The jobs of `items`, imports of one cluster, added to what is `stored`.

    Raises TraceError when the cluster was imported in another way, so that the jobs cannot be told apart.
    """
    if stored is not None:
        for item in items:
            _require_same_kind(stored, item)
    jobs, changes = _merged(_known(stored), [_conformed(item) for item in items])
    quota, capacity, jobs = _with_quota(stored, items, jobs, timezone)
    sources = _sources(stored, items)
    whole = replace(
        items[-1],
        facts=_facts(stored, items),
        report=_report(jobs, sources, items, stored),
        sources=sources,
        jobs=jobs,
        quota=quota,
        capacity=capacity,
        nodes=next((item.nodes for item in reversed(items) if item.nodes is not None), None),
        rejects=_rejects(stored, items),
    )
    report = replace(combined(_reports(items)), coverage=whole.report.coverage)
    return Addition(whole, report, changes)


def _require_same_kind(stored: Stored, item: ClusterImport) -> None:
    entry, facts = stored.entry, item.facts
    where = f"Cluster {stored.cluster!r}"
    if not entry.get("adds"):
        raise TraceError(
            f"{where} was imported as a whole ({entry['format']}): import into another cluster or trace, or "
            "start it over with --replace."
        )
    if entry["format"] != facts.format:
        raise TraceError(
            f"{where} comes from {entry['format']}, not {facts.format}: start over with --replace."
        )
    if entry["vc_field"] != facts.vc_field:
        raise TraceError(
            f"{where} has {entry['vc_field']} as its virtual cluster, not {facts.vc_field}: say "
            f"--vc {entry['vc_field']}, or start over with --replace."
        )
    if entry["pseudonymized"] != facts.pseudonymized:
        said = "with" if entry["pseudonymized"] else "without"
        raise TraceError(f"{where} was imported {said} --pseudonymize: do it again so, or use --replace.")
    for old in entry["source"]:
        for new in item.sources:
            if old["sha256"] == new.sha256 and old.get("reading", "") != new.reading:
                raise TraceError(
                    f"{new.name} was imported before as {old.get('reading')!r}, now as {new.reading!r}: its "
                    "jobs would be there twice; start over with --replace."
                )


def _known(stored: Stored | None) -> pa.Table:
    if stored is None:
        return schema.JOBS.empty_table()
    return pq.read_table(stored.part("jobs"), partitioning=None)


def _conformed(item: ClusterImport) -> pa.Table:
    assert item.jobs is not None, "only jobs are added"
    return schema.conformed(item.jobs, schema.jobs_layout(item.jobs.columns), cluster=item.cluster)


def _frame(table: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = table.drop_columns(["flags"]).to_pandas()
    frame["flags"] = flag_lists.series(_one(table["flags"]))
    return frame


def _one(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined


def _merged(known: pa.Table, new: Sequence[pa.Table]) -> tuple[pd.DataFrame, Changes]:
    """All jobs, one row per attempt; only stored jobs that share an id with a new row are looked at."""
    fresh = _together(new)
    touched = pc.is_in(_base(known["job_id"]), value_set=_base(fresh["job_id"]).unique())
    old = known.filter(touched)
    pool = _frame(_together([fresh, old]))  # of equal rows the last, the stored one, stays
    stays = knowledge.newest(pool)
    is_new = np.arange(len(pool)) < fresh.num_rows
    changes = _changes(pool, stays, is_new)
    kept = pool[stays].reset_index(drop=True)
    kept["flags"] = flag_lists.marked(kept["flags"], "requeued", knowledge.requeued(kept))
    rest = _frame(known.filter(pc.invert(touched)))
    return pd.concat([rest, kept], ignore_index=True) if len(rest) else kept, changes


def _together(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of all tables; a column that only some of them have is null in the others."""
    return pa.concat_tables(tables, promote_options="default")


def _base(job_id: pa.ChunkedArray) -> pa.ChunkedArray:
    """The id of the array that a task belongs to; a job's own id where it is no task."""
    return pc.replace_substring_regex(job_id, r"_.*$", "")


def _changes(pool: pd.DataFrame, stays: Mask, is_new: Mask) -> Changes:
    """What became of the new rows; a new row that does not stay is `unchanged` when an equal one stays."""
    submission = pool.groupby(knowledge.IDENTITY, sort=False).ngroup().to_numpy()
    there_before = np.isin(submission, submission[~is_new])
    gone = is_new & ~stays
    cells = knowledge.fingerprints(pool)
    same = int(np.isin(cells[gone], cells[stays]).sum())
    return Changes(
        added=int((is_new & stays & ~there_before).sum()),
        updated=int((is_new & stays & there_before).sum()),
        unchanged=same,
        older=int(gone.sum()) - same,
    )


def _with_quota(
    stored: Stored | None, items: Sequence[ClusterImport], jobs: pd.DataFrame, timezone: str
) -> tuple[pd.DataFrame | None, Capacity | None, pd.DataFrame]:
    """The quota from the first local day of all jobs on, and the jobs with the flag `before_capacity`."""
    given = [item.capacity for item in items if item.capacity is not None]
    capacity = given[-1] if given else _stored_capacity(stored)
    if capacity is None or jobs.empty:
        return None, capacity, jobs
    days = clock.to_local(jobs["submit_time"], timezone).dt.date
    first_date = capacity.first_date
    early = np.zeros(len(jobs), bool) if first_date is None else (days < first_date).to_numpy(dtype=bool)
    flags = flag_lists.marked(jobs["flags"], "before_capacity", early)
    return capacity.quota(days.min()), capacity, jobs.assign(flags=flags)


def _stored_capacity(stored: Stored | None) -> Capacity | None:
    """The capacity from which the stored quota was made: without what was put before its first date."""
    if stored is None or not stored.part("quota").is_file():
        return None
    rows = pq.read_table(stored.part("quota"), partitioning=None).to_pandas()[["vc", "date", "gpus"]]
    begins = stored.entry.get("capacity_from")
    if begins is None:
        return Capacity(rows.assign(date=None))
    return Capacity(rows[rows["date"] >= date.fromisoformat(begins)].reset_index(drop=True))


def _sources(stored: Stored | None, items: Sequence[ClusterImport]) -> tuple[Source, ...]:
    """All files, each once; a file of jobs carries its counts."""
    sources = {each["sha256"]: Source.of(each) for each in stored.entry["source"]} if stored else {}
    for item in items:
        first, *others = item.sources
        sources[first.sha256] = first.counted(item.report)
        sources |= {other.sha256: other for other in others}
    return tuple(sources.values())


def _facts(stored: Stored | None, items: Sequence[ClusterImport]) -> Facts:
    """What the sources know together; the size of a node is the last one that was given with machines."""
    facts = items[-1].facts
    known = [vars(item.facts) for item in items] + ([stored.entry] if stored else [])
    together: dict[str, Any] = {
        name: any(each[name] for each in known) for name in vars(facts) if name.startswith("has_")
    }
    if stored is not None and not any(item.capacity for item in items):
        together["gpus_per_node"] = stored.entry["gpus_per_node"]
    return replace(facts, **together)


def _report(
    jobs: pd.DataFrame, sources: Sequence[Source], items: Sequence[ClusterImport], stored: Stored | None
) -> Report:
    read = sum(source.rows_read or 0 for source in sources)
    rejected: dict[str, int] = {}
    hours: dict[str, float] = {}
    for source in sources:
        for reason, rows in (source.rows_rejected or {}).items():
            if reason != "superseded":
                rejected[reason] = rejected.get(reason, 0) + rows
        for reason, lost in (source.rejected_gpu_hours or {}).items():
            hours[reason] = hours.get(reason, 0.0) + lost
    superseded = read - sum(rejected.values()) - len(jobs)
    rejected |= {"superseded": superseded} if superseded > 0 else {}
    hours.pop("superseded", None)
    notes = dict.fromkeys(note for item in items for note in item.report.notes)
    return Report(
        rows_read=len(jobs) + sum(rejected.values()),
        rows_kept=len(jobs),
        rows_flagged=flag_lists.counts(jobs["flags"]),
        rows_rejected=rejected,
        rejected_examples=combined(_reports(items)).rejected_examples[:EXAMPLES],
        first_submit=jobs["submit_time"].min() if len(jobs) else None,
        last_submit=jobs["submit_time"].max() if len(jobs) else None,
        notes=tuple(notes),
        timezone=items[-1].report.timezone,
        coverage=coverage(jobs["submit_time"]),
        headline=headline(jobs),
        effects=(
            *flag_effects(jobs),
            *(Effect("rejected", reason, rows, hours.get(reason)) for reason, rows in rejected.items()),
        ),
    )


def _reports(items: Sequence[ClusterImport]) -> list[Report]:
    """The reports; where there are several files, their rejected rows say of which they are."""
    if len(items) == 1:
        return [items[0].report]
    return [
        replace(
            item.report,
            rejected_examples=tuple(
                replace(each, source=item.sources[0].name) for each in item.report.rejected_examples
            ),
        )
        for item in items
    ]


def _rejects(stored: Stored | None, items: Sequence[ClusterImport]) -> pd.DataFrame:
    """The rejected rows of all files, each file's once."""
    known = {each["sha256"] for each in stored.entry["source"]} if stored else set()
    parts = [
        item.rejects.assign(source=item.sources[0].name)
        for item in items
        if item.rejects is not None and item.sources[0].sha256 not in known
    ]
    path = stored.folder / "rejects" / f"{stored.cluster}.csv" if stored else None
    if path is not None and path.is_file():
        parts.insert(0, pd.read_csv(path, dtype={"text": str, "source": str}, keep_default_na=False))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["line", "reason", "text"])
