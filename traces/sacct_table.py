"""Text of ``sacct --parsable2`` or ``--parsable`` as a table whose columns never shift.

``sacct`` quotes nothing: a job name may hold the delimiter, quotes, line breaks and bytes that are no UTF-8.
A file in which every line has the header's number of cells is read at once. In any other one, lines are put
together to records, and a record's cells are put into the columns whose shapes they fit
(`traces.sacct_fields`); a record that fits in no way, or in several, is malformed.
"""

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from traces import sacct_fields, source_table
from traces.cell_alignment import aligned
from traces.counted import counted, tell_lines
from traces.errors import TraceError
from traces.progress import PARSED, stretch
from traces.report import Rejection, Source
from traces.source_table import SourceTable

EXPORT = "sacct --parsable2 --allocations --format JobIDRaw,JobID,Partition,User,Submit,Start,End,…,JobName"
_FIRST_DELIMITER = re.compile(r'\s*"?[A-Za-z][A-Za-z0-9_]*"?([^A-Za-z0-9_"]+)')
LONGEST_RECORD_LINES = 100
"""Lines that one record may have; a longer run of lines that begin no record is rejected line by line."""


@dataclass(frozen=True)
class Layout:
    """How the rows of a file are laid out: `columns` as written, `fields` in lower case."""

    columns: tuple[str, ...]
    delimiter: str
    trailing: bool
    header: str

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(column.lower() for column in self.columns)

    def cells(self, text: str) -> list[str]:
        """The cells of a record, more or fewer than there are columns where it is damaged."""
        cells = text.split(self.delimiter)
        if self.trailing and len(cells) > len(self.columns) and not cells[-1].strip():
            cells.pop()
        return cells


@dataclass(frozen=True)
class SacctTable:
    """The rows, with columns named as in `sacct_fields.NAMES`; `repaired` marks those put together."""

    table: SourceTable
    repaired: npt.NDArray[np.bool_]


def layout_of(line: str) -> Layout | None:
    """The layout that a header line gives; None where the line is no header of ``sacct``."""
    text = line.strip("\r\n")
    found = _FIRST_DELIMITER.match(text)
    if found is None:
        return None
    delimiter = found[1]
    if delimiter.strip() == "" and "\t" not in delimiter:
        delimiter = " "
    trailing = text.endswith(delimiter)
    names = text.removesuffix(delimiter).split(delimiter) if delimiter != " " else text.split()
    columns = tuple(name.strip().strip('"') for name in names)
    return Layout(columns, delimiter, trailing, text) if sacct_fields.is_header(list(columns)) else None


def sacct_table_of(name: str, data: bytes, *, may_be_empty: bool = False) -> SacctTable:
    """The table in the bytes of a file called `name` (text or gzip).

    Raises TraceError for a file without a header of ``sacct``, with two different ones, or without rows
    unless it `may_be_empty`: on some days nobody submits.
    """
    source = Source(name, len(data), hashlib.sha256(data).hexdigest())
    content, notes = source_table.utf8(name, source_table.unzipped(name, data), mac=False)
    layout, body, line = _header(name, content)
    if layout.delimiter in ",;\t" and b'"' in body:
        return _quoted(name, data)
    with stretch(0, PARSED):
        read = _at_once(source, layout, body, line) or _record_by_record(source, layout, body, line)
    if read.table.rows_read == 0 and not may_be_empty:
        raise TraceError(f"{name} has a header and no rows: there is nothing to import.")
    _refuse_other_headers(read.table, layout)
    table = read.table
    return SacctTable(
        SourceTable(table.source, table.cells, table.row, table.line, table.malformed, notes), read.repaired
    )


def _header(name: str, content: bytes) -> tuple[Layout, bytes, int]:
    """The layout, what follows the header, and the 1-based line on which that begins."""
    stream = io.BytesIO(content)
    for number, line in enumerate(stream, start=1):
        text = line.decode("utf-8")
        if not text.strip():
            continue
        layout = layout_of(text)
        if layout is None:
            raise _no_header(name, text)
        if layout.delimiter == " ":
            raise TraceError(
                f"{name} is sacct output in aligned columns, which cut values off: export it with {EXPORT}."
            )
        if len(set(layout.fields)) < len(layout.fields):
            raise TraceError(f"{name}, line {number}: a field is there twice in {text.strip()[:200]!r}.")
        return layout, content[stream.tell() :], number + 1
    raise TraceError(f"{name} is empty: there is nothing to import.")


def _no_header(name: str, text: str) -> TraceError:
    if re.match(r"\s*\d+(_\S*)?\|", text):
        return TraceError(f"{name} has no header line: run sacct without --noheader.")
    if text.lstrip().startswith("{"):
        return TraceError(f"{name} is JSON: export it with {EXPORT}.")
    return TraceError(
        f"{name} is no sacct output: its first line names no JobID or JobIDRaw ({text.strip()[:80]!r}); "
        f"export it with {EXPORT}."
    )


def _at_once(source: Source, layout: Layout, body: bytes, first_line: int) -> SacctTable | None:
    """The table by Arrow's reader; None where not every line has the header's number of cells."""
    if len(layout.delimiter) != 1 or not layout.delimiter.isascii() or not body.strip():
        return None
    if body.count(b"\r") != body.count(b"\r\n") or len(layout.columns) < 2:
        return None
    lines, delimiters = _line_counts(body, layout.delimiter)
    if not (delimiters == len(layout.columns) - 1 + layout.trailing).all():
        return None
    names = [*layout.fields, "\0"] if layout.trailing else list(layout.fields)
    try:
        cells = _arrow_table(counted(body, source.name), layout.delimiter, names)
    except pa.ArrowInvalid:  # a line longer than a block
        return None
    if layout.trailing:
        if pc.any(pc.not_equal(pc.utf8_trim_whitespace(cells["\0"]), "")).as_py():
            return None
        cells = cells.drop_columns(["\0"])
    first = layout.fields[0]
    if first in sacct_fields.STRICT and not _all_fit(cells[first], layout):
        return None  # a line that begins no record is the rest of a job name
    table = SourceTable(source, cells, np.arange(len(lines)), lines + first_line)
    return SacctTable(table, np.zeros(len(lines), dtype=bool))


def _arrow_table(body: pa.NativeFile, delimiter: str, names: list[str]) -> pa.Table:
    return pa.csv.read_csv(
        body,
        read_options=pa.csv.ReadOptions(column_names=names, block_size=1 << 24),
        parse_options=pa.csv.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False),
        convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
    )


def _line_counts(body: bytes, delimiter: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """0-based numbers of the lines that are not empty, and how many delimiters each has."""
    characters = np.frombuffer(body, dtype=np.uint8)
    ends = np.append(np.flatnonzero(characters == ord("\n")), len(characters))
    starts = np.append(0, ends[:-1] + 1)
    last = characters[np.maximum(ends - 1, 0)]
    filled = np.flatnonzero(ends - starts - ((last == ord("\r")) & (ends > starts)) > 0)
    at = np.flatnonzero(characters == ord(delimiter))
    counts = np.searchsorted(at, ends[filled]) - np.searchsorted(at, starts[filled])
    return filled.astype(np.int64), counts.astype(np.int64)


def _all_fit(values: pa.ChunkedArray, layout: Layout) -> bool:
    field = layout.fields[0]
    trimmed = pc.utf8_trim_whitespace(values)
    fit = pc.match_substring_regex(trimmed, f"^(?:{sacct_fields.shape(field)})$")
    return bool(pc.all(pc.or_(fit, pc.equal(trimmed, layout.columns[0]))).as_py())


def _record_by_record(source: Source, layout: Layout, body: bytes, first_line: int) -> SacctTable:
    columns: list[list[str]] = [[] for _ in layout.columns]
    rows, lines, repaired, malformed = [], [], [], []
    text_lines = body.decode("utf-8").split("\n")
    for row, (offset, text, span) in enumerate(_records(text_lines, layout)):
        tell_lines(offset, text_lines, source.name)
        pieces = layout.cells(text)
        plain = len(pieces) == len(layout.columns) and span == 1
        cells = pieces if plain else aligned(pieces, layout.fields, layout.delimiter)
        if cells is None:
            reason = "wrong_number_of_columns" if len(pieces) < len(layout.columns) else "shifted_columns"
            malformed.append(Rejection(first_line + offset, reason, text[:200]))
            continue
        for column, cell in zip(columns, cells, strict=True):
            column.append(cell)
        rows.append(row)
        lines.append(first_line + offset)
        repaired.append(not plain)
    table = pa.Table.from_arrays([pa.array(each, pa.string()) for each in columns], names=list(layout.fields))
    numbers, at = np.array(rows, dtype=np.int64), np.array(lines, dtype=np.int64)
    return SacctTable(
        SourceTable(source, table, numbers, at, tuple(malformed)), np.array(repaired, dtype=bool)
    )


def _records(lines: list[str], layout: Layout) -> Iterator[tuple[int, str, int]]:
    """Each record as (offset of its first line, its text, number of its lines).

    Lines that begin no record belong to the one before when the whole can be a row; else each is a record
    of its own.
    """
    lines = [line.removesuffix("\r") for line in lines]
    begins = [_begins_record(line, layout) for line in lines]
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        span = _span(lines, begins, at, layout) if begins[at] else 1
        yield at, "\n".join(lines[at : at + span]), span
        at += span


def _span(lines: list[str], begins: list[bool], at: int, layout: Layout) -> int:
    """How many lines from `at` on make one record."""
    end = at + 1
    while end < len(lines) and not begins[end] and end - at < LONGEST_RECORD_LINES:
        end += 1
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    if end - at > 1 and aligned(layout.cells("\n".join(lines[at:end])), layout.fields, layout.delimiter):
        return end - at
    return 1


def _begins_record(line: str, layout: Layout) -> bool:
    if line.startswith(layout.columns[0]) and sacct_fields.is_header(line.split(layout.delimiter)):
        return True
    first = layout.fields[0]
    if first in sacct_fields.STRICT:
        return sacct_fields.fits(first, line.split(layout.delimiter, 1)[0]) and line.strip() != ""
    return line.count(layout.delimiter) >= len(layout.columns) - 1


def _refuse_other_headers(table: SourceTable, layout: Layout) -> None:
    """Extracts with different fields put one after the other would be read in the wrong columns."""
    first = pc.utf8_lower(pc.utf8_trim_whitespace(table.cells.column(0)))
    named = pc.is_in(first, value_set=pa.array(sorted(sacct_fields.NAMES)))
    for index in np.flatnonzero(named.to_numpy()):
        cells = [str(column[int(index)].as_py()) for column in table.cells.columns]
        _refuse_other_header(table, int(table.line[index]), cells, layout)
    for rejection in table.malformed:
        _refuse_other_header(table, rejection.line, layout.cells(rejection.text), layout)


def _refuse_other_header(table: SourceTable, line: int, cells: Sequence[str], layout: Layout) -> None:
    names = tuple(cell.strip().lower() for cell in cells)
    if names != layout.fields and sacct_fields.is_header(list(names)):
        raise TraceError(
            f"{table.source.name}, line {line}: another header with other fields begins here: import the "
            "two extracts as two files."
        )


def _quoted(name: str, data: bytes) -> SacctTable:
    """A sacct table that another program has written again as CSV, with quotes."""
    read = source_table.table_of(name, data)
    names = [column.lower() for column in read.columns]
    table = SourceTable(
        read.source, read.cells.rename_columns(names), read.row, read.line, read.malformed, read.notes
    )
    return SacctTable(table, np.zeros(table.cells.num_rows, dtype=bool))
