"""A table of jobs, and its capacity if there is one, as the import of one cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from traces import clock
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport, Facts
from traces.coverage import coverage
from traces.effects import Effect, flag_effects, gpu_hours, headline, known_sum
from traces.errors import TraceError
from traces.job_rows import JobRows, job_rows
from traces.ledger import Findings, Ledger
from traces.names import checked_name
from traces.progress import PARSED, stretch
from traces.report import Report, Source
from traces.source_table import SourceTable


@dataclass(frozen=True)
class Reading:
    """How a format is to be read.

    `timezone` is the zone of its local times (None: its times must have offsets), `time_unit` the unit of
    numeric times, `site_timezone` the zone of the trace where that is another. With `adds` rows of one job id
    and submit time are one attempt, and the jobs are added to those that the cluster has. The others are
    facts of the cluster.
    """

    format: str
    timezone: str | None
    time_unit: str = "s"
    gpus_per_node: int = 8
    ids_follow_submission: bool = False
    vc_field: str | None = None
    adds: bool = False
    site_timezone: str | None = None


def job_import(
    cluster: str,
    table: SourceTable,
    columns: Mapping[str, str],
    reading: Reading,
    capacity: tuple[Source, Capacity] | None = None,
    findings: Findings | None = None,
    may_be_empty: bool = False,
) -> ClusterImport:
    """The jobs of `table`, whose columns are `columns` ({canonical: source}), as cluster `cluster`.

    `findings` are what the format knows about rows before they are read. Raises TraceError when not one row
    can be kept, unless it `may_be_empty`, and where the file as a whole cannot be right.
    """
    checked_name(cluster, "cluster")
    with stretch(PARSED, 1):
        rows = job_rows(
            table, columns, reading.timezone, reading.time_unit, by_attempt=reading.adds, findings=findings
        )
    if not rows.ledger.kept.any() and not may_be_empty:
        raise _nothing_kept(table, rows.ledger)
    quota, notes, flags = _quota(rows, capacity[1], reading) if capacity else (None, (), {})
    jobs = rows.kept()
    return ClusterImport(
        cluster=cluster,
        facts=_facts(columns, rows, reading),
        report=_report(rows, jobs, reading, (*(findings.notes if findings else ()), *notes), flags),
        sources=(_source(table, columns, reading), *([capacity[0]] if capacity else [])),
        jobs=jobs,
        quota=quota,
        nodes=capacity[1].nodes if capacity else None,
        rejects=rows.ledger.rejections(),
        capacity=capacity[1] if capacity else None,
        adds=reading.adds,
    )


def _source(table: SourceTable, columns: Mapping[str, str], reading: Reading) -> Source:
    """The file, and how it was read where more may be added to it."""
    if not reading.adds:
        return table.source
    renamed = [f", {name}={column}" for name, column in sorted(columns.items()) if name != column]
    said = f"times in {reading.timezone or 'their own offsets'}" + "".join(renamed)
    return replace(table.source, reading=said)


def _facts(columns: Mapping[str, str], rows: JobRows, reading: Reading) -> Facts:
    return Facts(
        format=reading.format,
        gpus_per_node=reading.gpus_per_node,
        has_start="start_time" in columns,
        has_end="end_time" in rows.frame,
        has_state="state" in columns,
        has_user="user" in columns,
        has_vc="vc" in columns,
        has_job_name="job_name" in columns,
        ids_follow_submission=reading.ids_follow_submission,
        vc_field=reading.vc_field,
    )


def _report(
    rows: JobRows, jobs: pd.DataFrame, reading: Reading, notes: tuple[str, ...], flags: dict[str, int]
) -> Report:
    ledger = rows.ledger
    return Report(
        rows_read=ledger.table.rows_read,
        rows_kept=len(jobs),
        rows_flagged=ledger.flagged() | flags,
        rows_rejected=ledger.rejected(),
        rejected_examples=ledger.examples(),
        first_submit=jobs["submit_time"].min() if len(jobs) else None,
        last_submit=jobs["submit_time"].max() if len(jobs) else None,
        notes=(*ledger.table.notes, *rows.notes, *notes),
        timezone=reading.timezone,
        coverage=coverage(jobs["submit_time"]),
        headline=headline(jobs),
        effects=(*flag_effects(jobs), *_reject_effects(rows)),
    )


def _reject_effects(rows: JobRows) -> tuple[Effect, ...]:
    if not rows.ledger.rejected():
        return ()
    hours = gpu_hours(rows.frame)
    return tuple(
        Effect("rejected", reason, count, known_sum(hours[rows.ledger.rejected_at(reason)]))
        for reason, count in rows.ledger.rejected().items()
    )


def _quota(
    rows: JobRows, capacity: Capacity, reading: Reading
) -> tuple[pd.DataFrame | None, tuple[str, ...], dict[str, int]]:
    """The quota table, sentences about the capacity, and its flags."""
    kept = rows.ledger.kept
    notes = list(capacity.notes)
    flags: dict[str, int] = {}
    if not kept.any():
        return None, tuple(notes), flags
    zone = reading.site_timezone or reading.timezone or "UTC"
    local = clock.to_local(rows.frame["submit_time"], zone)
    first_day, first_date = local[kept].min().date(), capacity.first_date
    if first_date is not None and first_day < first_date:
        rows.ledger.flag(local < pd.Timestamp(first_date), "before_capacity")
        notes.append(f"The capacity begins on {first_date}: its first row is used from {first_day} on.")
    if wrong := capacity.mismatched_totals:
        flags["capacity_total_mismatch"] = len(wrong)
        notes.append(
            f"In {len(wrong)} rows of the capacity the total is not the sum of the VCs, first on {wrong[0]}."
        )
    if without := _without_capacity(rows, capacity):
        notes.append(f"VCs with jobs and without capacity (unknown): {', '.join(without)}.")
    return capacity.quota(first_day), tuple(notes), flags


def _without_capacity(rows: JobRows, capacity: Capacity) -> list[str]:
    if "vc" not in rows.frame:
        return []
    named = rows.frame["vc"][rows.ledger.kept].dropna().unique()
    return sorted(set(named) - set(capacity.rows["vc"]))


def _nothing_kept(table: SourceTable, ledger: Ledger) -> TraceError:
    first = ledger.examples()[0]
    reasons = ", ".join(f"{reason} {rows}" for reason, rows in ledger.rejected().items())
    return TraceError(
        f"{table.source.name}: not one of its {table.rows_read} rows can be read ({reasons}); "
        f"line {first.line} says {first.text!r}."
    )
