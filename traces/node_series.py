"""``import nodes``: a series of used and present nodes, kept as it is stored, duplicates and gaps too."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from traces import clock, columns, readings
from traces.cluster_import import ClusterImport, Facts
from traces.errors import TraceError
from traces.ledger import Ledger
from traces.names import checked_name
from traces.report import Report
from traces.source_table import SourceTable, read_table


def read(
    path: Path,
    cluster: str,
    timezone: str | None = "UTC",
    *,
    mapped: Mapping[str, str] | None = None,
    time_unit: str = "s",
) -> ClusterImport:
    """The series in the file at `path` (columns time, used, total, or `mapped` {canonical: source}).

    Rows without a readable time or with an unreadable number are rejected; a missing or negative count is
    unknown. The order is the file's. Raises TraceError for a file that cannot be right as a whole.
    """
    checked_name(cluster, "cluster")
    if timezone is not None:
        clock.zone(timezone)
    table = read_table(path)
    known = columns.resolved(table, mapped or {}, columns.SERIES_COLUMNS)
    columns.require(table, known, columns.SERIES_COLUMNS)
    ledger = Ledger(table)
    frame = _frame(table, known, ledger, timezone, time_unit)
    series = frame[ledger.kept].reset_index(drop=True)
    if series.empty:
        first = ledger.examples()[0]
        raise TraceError(
            f"{table.source.name}: not one of its {table.rows_read} rows can be read; line {first.line} says "
            f"{first.text!r} ({first.reason})."
        )
    report = _report(table, ledger, series)
    facts, rejects = Facts("nodes"), ledger.rejections()
    return ClusterImport(cluster, facts, report, (table.source,), series=series, rejects=rejects)


def _frame(
    table: SourceTable, known: Mapping[str, str], ledger: Ledger, timezone: str | None, unit: str
) -> pd.DataFrame:
    text = table.text(known["time"])
    read = readings.times(text, timezone, f"{table.source.name}, column {known['time']},", unit)
    ledger.reject(read.missing, "missing_time", text)
    ledger.reject(read.unparsable, "unparsable_time", text)
    ledger.flag(read.ambiguous, "ambiguous_time")
    ledger.flag(read.nonexistent, "nonexistent_time")
    frame = pd.DataFrame({"time": read.utc})
    for column in ("used", "total"):
        frame[column] = _counts(table.text(known[column]), column, ledger)
    ledger.flag(frame["used"] > frame["total"], "used_above_total")
    kept = frame["time"].where(pd.Series(ledger.kept))
    ledger.flag(kept.duplicated() & kept.notna(), "duplicate_time")
    return frame


def _counts(text: pd.Series, column: str, ledger: Ledger) -> np.ndarray:
    read = readings.numbers(text)
    ledger.reject(read.unparsable, f"unparsable_{column}", text)
    ledger.flag(np.isnan(read.values) & ~read.unparsable, f"missing_{column}")
    ledger.flag(read.values < 0, f"negative_{column}")
    return np.where(read.values < 0, np.nan, read.values)


def _report(table: SourceTable, ledger: Ledger, series: pd.DataFrame) -> Report:
    return Report(
        rows_read=table.rows_read,
        rows_kept=len(series),
        rows_flagged=ledger.flagged(),
        rows_rejected=ledger.rejected(),
        rejected_examples=ledger.examples(),
        first_submit=series["time"].min(),
        last_submit=series["time"].max(),
        notes=(*table.notes, *_gap_notes(series["time"])),
    )


def _gap_notes(times: pd.Series) -> tuple[str, ...]:
    """A sentence about the holes: steps of more than twice the usual one."""
    ordered = times.sort_values().drop_duplicates().reset_index(drop=True)
    steps_s = ordered.diff().dt.total_seconds()
    if len(ordered) < 3:
        return ()
    usual_s = steps_s.median()
    gaps = steps_s[steps_s > 2 * usual_s]
    if gaps.empty:
        return ()
    begin = ordered[int(gaps.idxmax()) - 1]
    return (
        f"The series has {len(gaps)} gaps (its usual step is {usual_s:g} s); the longest lasts "
        f"{gaps.max():g} s from {clock.iso(begin)}. What is in a gap is missing, not zero.",
    )
