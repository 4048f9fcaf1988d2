"""A table of jobs, and its capacity if there is one, as the import of one cluster."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from traces import clock
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport, Facts
from traces.errors import TraceError
from traces.job_rows import JobRows, job_rows
from traces.ledger import Ledger
from traces.names import checked_name
from traces.report import Report, Source
from traces.source_table import SourceTable


@dataclass(frozen=True)
class Reading:
    """How a format is to be read.

    `timezone` is the zone of its local times (None: its times must have offsets), `time_unit` the unit of
    numeric times; the others are facts of the cluster.
    """

    format: str
    timezone: str | None
    time_unit: str = "s"
    gpus_per_node: int = 8
    ids_follow_submission: bool = False


def job_import(
    cluster: str,
    table: SourceTable,
    columns: Mapping[str, str],
    reading: Reading,
    capacity: tuple[Source, Capacity] | None = None,
) -> ClusterImport:
    """The jobs of `table`, whose columns are `columns` ({canonical: source}), as cluster `cluster`.

    Raises TraceError when not one row can be kept, and where the file as a whole cannot be right.
    """
    checked_name(cluster, "cluster")
    rows = job_rows(table, columns, reading.timezone, reading.time_unit)
    if not rows.ledger.kept.any():
        raise _nothing_kept(table, rows.ledger)
    quota, notes, flags = _quota(rows, capacity[1], reading.timezone or "UTC") if capacity else (None, (), {})
    return ClusterImport(
        cluster=cluster,
        facts=_facts(columns, rows, reading),
        report=_report(table, rows, notes, flags),
        sources=(table.source, *([capacity[0]] if capacity else [])),
        jobs=rows.kept(),
        quota=quota,
    )


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
    )


def _report(table: SourceTable, rows: JobRows, notes: tuple[str, ...], flags: dict[str, int]) -> Report:
    submitted = rows.frame.loc[rows.ledger.kept, "submit_time"]
    return Report(
        rows_read=table.rows_read,
        rows_kept=len(submitted),
        rows_flagged=rows.ledger.flagged() | flags,
        rows_rejected=rows.ledger.rejected(),
        rejected_examples=rows.ledger.examples(),
        first_submit=submitted.min(),
        last_submit=submitted.max(),
        notes=(*table.notes, *rows.notes, *notes),
    )


def _quota(
    rows: JobRows, capacity: Capacity, timezone: str
) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, int]]:
    """The quota table, sentences about the capacity, and its flags."""
    kept = rows.ledger.kept
    days = clock.to_local(rows.frame["submit_time"], timezone).dt.date
    first_day, first_date = days[kept].min(), capacity.first_date
    notes = []
    flags = {}
    if first_date is not None and first_day < first_date:
        rows.ledger.flag(days < first_date, "before_capacity")
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
    return sorted(set(rows.frame.loc[rows.ledger.kept, "vc"].dropna()) - set(capacity.rows["vc"]))


def _nothing_kept(table: SourceTable, ledger: Ledger) -> TraceError:
    first = ledger.examples()[0]
    reasons = ", ".join(f"{reason} {rows}" for reason, rows in ledger.rejected().items())
    return TraceError(
        f"{table.source.name}: not one of its {table.rows_read} rows can be read ({reasons}); "
        f"line {first.line} says {first.text!r}."
    )
