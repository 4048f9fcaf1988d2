"""Texts of a job table as canonical jobs, with one outcome per row (docs/reference/traces.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from traces import knowledge, readings, schema, states
from traces.distinct import are_distinct
from traces.errors import TraceError
from traces.ledger import Findings, Ledger, Mask
from traces.progress import tell
from traces.source_table import SourceTable

YEAR_S = 365.25 * 86400
LARGEST = {
    "gpu_num": 1e6,
    "cpu_num": 1e8,
    "node_num": 1e7,
    "duration_s": 100 * YEAR_S,
    "queueing_delay_s": 100 * YEAR_S,
}
"""Larger and negative values are misread columns or damage: they are flagged and become unknown."""

WHOLE = ("cpu_num", "node_num")
TOLERANCE_S = 1.0
"""A duration or a wait may differ from the times by this much: sources round to whole seconds."""


@dataclass(frozen=True)
class JobRows:
    """Jobs of a table and the outcome of each.

    `frame` has one row per source row, kept or not, with the canonical columns that the source knows;
    `ledger` says which rows are kept and their flags.
    """

    frame: pd.DataFrame
    ledger: Ledger
    notes: tuple[str, ...]

    def kept(self) -> pd.DataFrame:
        """The kept rows with their flags, as the store takes them."""
        kept = self.ledger.kept
        jobs = self.frame if kept.all() else self.frame[kept].reset_index(drop=True)
        return jobs.assign(flags=self.ledger.flag_lists())


class _Columns(Mapping[str, pd.Series]):
    """The texts of canonical columns, made when they are asked for; `cells` gives a column as it is.

    What has been `read` is not there any more, for the canonical table takes its place in memory.
    """

    def __init__(self, table: SourceTable, columns: Mapping[str, str]) -> None:
        self._table, self._columns, self._all = table, dict(columns), len(columns)

    def __getitem__(self, column: str) -> pd.Series:
        return self._table.text(self._columns[column])

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def words(self, column: str) -> pd.Series:
        """The texts of a canonical column that says the same over and over, as categories where it can."""
        return self._table.words(self._columns[column])

    def cells(self, column: str) -> pa.ChunkedArray:
        """The cells of a canonical column in the type that the table has them in."""
        return self._table.values(self._columns[column])

    def read(self, column: str) -> None:
        """Let go of a canonical column's cells, unless another one is made of them too."""
        source = self._columns.pop(column, None)
        if source is not None and source not in self._columns.values():
            self._table.forget(source)
        done, rows = self._all - len(self._columns), len(self._table.row)
        tell(done / self._all, f"Read {done} of {self._all} columns of {rows:,} rows")


def job_rows(
    table: SourceTable,
    columns: Mapping[str, str],
    timezone: str | None,
    time_unit: str = "s",
    *,
    by_attempt: bool = False,
    findings: Findings | None = None,
) -> JobRows:
    """Read every canonical column that `columns` ({canonical: source}) names.

    Local times are of `timezone`; numeric times count `time_unit` since 1970-01-01 UTC. With `by_attempt` the
    source's ids name jobs: each attempt keeps the row that knows most about it (`traces.knowledge`); else
    rows with an id that was there before are flagged. Afterwards these columns are no more in `table`. Raises
    TraceError where the whole file cannot be right.
    """
    ledger = Ledger(table, findings)
    frame = pd.DataFrame({"row": pd.Series(table.row, copy=False)}, copy=False)
    text = _Columns(table, columns)
    _add_times(frame, text, ledger, timezone, time_unit)
    _add_numbers(frame, text, ledger)
    notes = _add_texts(frame, text, ledger, by_attempt)
    _flag_contradictions(frame, ledger)
    _derive_times(frame)
    if by_attempt:
        _keep_attempts(frame, ledger)
    return JobRows(frame, ledger, (*notes, *_gpu_notes(table, frame, ledger)))


def _add_times(frame: pd.DataFrame, text: _Columns, ledger: Ledger, timezone: str | None, unit: str) -> None:
    name = ledger.table.source.name
    for column in schema.TIME_COLUMNS:
        if column not in text:
            continue
        what = f"{name}, column {column},"
        read = readings.typed_times(text.cells(column), timezone, what)
        read = read or readings.times(text[column], timezone, what, unit)
        if column == "submit_time":
            _reject(ledger, read.missing, "missing_submit_time", text, column)
        _reject(ledger, read.unparsable, f"unparsable_{column}", text, column)
        ledger.flag(read.ambiguous, "ambiguous_time")
        ledger.flag(read.nonexistent, "nonexistent_time")
        frame[column] = read.utc
        text.read(column)


def _reject(ledger: Ledger, wrong: Mask, reason: str, text: _Columns, column: str) -> None:
    """Reject rows for a cell of a column, whose texts are made only where there is such a row."""
    if (wrong & ledger.kept).any():
        ledger.reject(wrong, reason, text[column])


def _add_numbers(frame: pd.DataFrame, text: _Columns, ledger: Ledger) -> None:
    for column in schema.NUMBER_COLUMNS:
        if column not in text:
            continue
        read = readings.typed_numbers(text.cells(column)) or readings.numbers(text[column])
        values, doubts = read.values, {}
        if column in LARGEST:
            _reject(ledger, read.unparsable, f"unparsable_{column}", text, column)
            doubts = {"negative": values < 0, "implausible": values > LARGEST[column]}
        else:  # a priority, without which a job is still a job
            ledger.flag(read.unparsable, f"unparsable_{column}")
        if column in WHOLE:
            doubts["fractional"] = values != np.floor(values)
            doubts["fractional"] &= ~np.isnan(values)
        for doubt, mask in doubts.items():
            ledger.flag(mask, f"{doubt}_{column}")
            values = np.where(mask, np.nan, values) if mask.any() else values
        frame[column] = pd.Series(values, copy=False)
        text.read(column)


def _add_texts(frame: pd.DataFrame, text: _Columns, ledger: Ledger, by_attempt: bool) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    for column in ("user", "vc", "job_name", "gpu_type"):
        if column in text:
            said = text.words(column)
            frame[column] = said.mask(said == "") if (said == "").any() else said
            text.read(column)
    if "state" in text:
        frame["state"], notes = states.normalized(text.words("state"))
        text.read("state")
    else:
        frame["state"] = "UNKNOWN"
    if by_attempt:
        ids = text["job_id"]
        ledger.reject(ids == "", "missing_job_id", ids)
        frame["job_id"] = ids
    else:
        _add_job_ids(frame, text, ledger)
    text.read("job_id")
    return notes


def _keep_attempts(frame: pd.DataFrame, ledger: Ledger) -> None:
    """Reject the rows that another one overrules, and flag the attempts after which a job was run again."""
    kept = np.flatnonzero(ledger.kept)
    overruled = np.zeros(len(frame), dtype=bool)
    overruled[kept] = ~knowledge.newest(frame.iloc[kept].reset_index(drop=True))
    ledger.reject(overruled, "superseded", frame["job_id"])
    kept = np.flatnonzero(ledger.kept)
    again = np.zeros(len(frame), dtype=bool)
    again[kept] = knowledge.requeued(frame.iloc[kept].reset_index(drop=True))
    ledger.flag(again, "requeued")


def _add_job_ids(frame: pd.DataFrame, text: _Columns, ledger: Ledger) -> None:
    """Ids as the source writes them; the row number where it has none. Repeated ids are flagged and kept."""
    if "job_id" not in text:
        frame["job_id"] = frame["row"].astype("str")
        return
    ids = text["job_id"]
    missing = ids == ""
    ledger.flag(missing, "missing_job_id")
    frame["job_id"] = ids.mask(missing, frame["row"].astype("str")) if missing.any() else ids
    if not are_distinct(pa.array(frame["job_id"])):
        kept = frame["job_id"].where(pd.Series(ledger.kept))
        ledger.flag(kept.duplicated() & kept.notna() & ~missing, "duplicate_job_id")


def _flag_contradictions(frame: pd.DataFrame, ledger: Ledger) -> None:
    """Flag what cannot all be true; the source's values stay and no negative time is computed."""
    submit, start, end = (_times(frame, column) for column in schema.TIME_COLUMNS)
    ledger.flag(start < submit, "start_before_submit")
    ledger.flag(end < start, "end_before_start")
    ledger.flag((end < submit) & start.isna(), "end_before_submit")
    for column, since, until, doubt in (
        ("duration_s", start, end, "duration_disagrees"),
        ("queueing_delay_s", submit, start, "queueing_delay_disagrees"),
    ):
        if column in frame:
            off_s = _elapsed_s(since, until) - frame[column]
            ledger.flag(off_s.abs() > TOLERANCE_S, doubt)


def _derive_times(frame: pd.DataFrame) -> None:
    """Fill durations (end − start), waits (start − submit) and, where the source has no ends, ends."""
    submit, start = _times(frame, "submit_time"), _times(frame, "start_time")
    if "start_time" in frame and "end_time" not in frame and "duration_s" in frame:
        finished = ~frame["state"].isin(["RUNNING", "PENDING", "SUSPENDED"])
        length = pd.to_timedelta(frame["duration_s"].where(finished), unit="s").astype("timedelta64[us]")
        frame["end_time"] = start + length
    run_s = _elapsed_s(start, _times(frame, "end_time"))
    frame["duration_s"] = frame["duration_s"].fillna(run_s) if "duration_s" in frame else run_s
    waited_s = _elapsed_s(submit, start)
    if "queueing_delay_s" in frame:
        waited_s = waited_s.where(start.notna(), frame["queueing_delay_s"])
    frame["queueing_delay_s"] = waited_s


def _elapsed_s(since: pd.Series, until: pd.Series) -> pd.Series:
    """Seconds between two times; NaN where one of them is not known or the later one comes first."""
    elapsed_s = (until.to_numpy() - since.to_numpy()) / np.timedelta64(1, "s")
    return pd.Series(np.where(elapsed_s < 0, np.nan, elapsed_s), index=since.index)


def _times(frame: pd.DataFrame, column: str) -> pd.Series:
    if column in frame:
        return frame[column]
    return pd.Series(pd.NaT, index=frame.index, dtype="datetime64[us]")


def _gpu_notes(table: SourceTable, frame: pd.DataFrame, ledger: Ledger) -> tuple[str, ...]:
    gpus = frame.loc[ledger.kept, "gpu_num"]
    unknown = int(gpus.isna().sum())
    if len(gpus) and unknown == len(gpus):
        raise TraceError(
            f"{table.source.name} has no GPU accounting: column gpu_num is empty in every row that can be "
            "read; map the column that holds the number of GPUs with --map gpu_num=COLUMN."
        )
    return (f"{unknown} jobs have no GPU count: it is unknown, not 0.",) if unknown else ()
