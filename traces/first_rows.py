"""The first rows of a source for people to look at, as far as its beginning (a `Sample`) goes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from traces import source_table, swf
from traces.errors import TraceError
from traces.formats import HEAD_BYTES, Sample

ROWS = 20
SPARE_LINES = 50
"""Lines beyond the rows, for blank ones and for cells of several lines."""
LONGEST_LINE = 300
PHILLY = ("jobid", "status", "vc", "user", "submitted_time", "attempts")


@dataclass(frozen=True)
class FirstRows:
    """Column names in the file's order, several times where it has them so, and the cells of the rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def first_rows(form: str, found: Sample) -> FirstRows:
    """The first rows of a sample of the format `form`; TraceError for a table of which none can be read."""
    if form == "philly":
        return FirstRows(PHILLY, tuple(_philly_row(job) for job in _jobs(found.head)))
    if form == "swf":
        numbers = (line.split() for line in _lines(found.head) if not line.startswith(";"))
        return FirstRows(swf.FIELDS, tuple(tuple(cells) for cells in numbers if cells)[:ROWS])
    if form == "pai":
        return FirstRows(
            ("its first lines",), tuple((line[:LONGEST_LINE],) for line in _lines(found.head)[:ROWS])
        )
    table = _parquet(found.path) if found.head.startswith("PAR1") else _table(found)
    cells = [[_text(cell) for cell in column] for column in table.columns]
    return FirstRows(tuple(table.column_names), tuple(zip(*cells, strict=True)))


def _text(cell: pa.Scalar) -> str:
    """A cell as people read it; a time that no calendar has is shown by its number."""
    try:
        value = cell.as_py()
    except (OverflowError, ValueError):
        value = cell.value
    return "" if value is None else str(value)[:LONGEST_LINE]


def _table(found: Sample) -> pa.Table:
    text = "\n".join(_lines(found.head)[: ROWS + SPARE_LINES])
    return source_table.table_of(found.path.name, text.encode()).cells.slice(0, ROWS)


def _parquet(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            batch = next(file.iter_batches(ROWS), None)
            table = file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches([batch])
            table.validate(full=True)
            return table.rename_columns(table.column_names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TraceError(f"{path.name} is a damaged parquet file: write it again ({error}).") from error


def _lines(head: str) -> list[str]:
    """The lines of the beginning of a file without the last one, which may be cut off."""
    lines = head.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if len(head) < HEAD_BYTES else lines[:-1]


def _jobs(head: str) -> Iterator[dict[str, Any]]:
    """The whole objects of a JSON list whose end is cut off."""
    decoder, at = json.JSONDecoder(), head.find("[") + 1
    for _ in range(ROWS):
        at += len(head[at:]) - len(head[at:].lstrip(" \t\r\n,"))
        try:
            job, at = decoder.raw_decode(head, at)
        except (json.JSONDecodeError, RecursionError):
            return
        if isinstance(job, dict):
            yield job


def _philly_row(job: dict[str, Any]) -> tuple[str, ...]:
    cells = (job.get(name) for name in PHILLY)
    return tuple(cell if isinstance(cell, str) else _json(cell) for cell in cells)


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value)[:LONGEST_LINE]
