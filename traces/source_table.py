"""A source file as a table of texts: plain, gzip or parquet, whatever its line ends, quotes and damage.

A fast reader is trusted only with a clean file. Anything doubtful (a line too short or too long, a quote that
never closes) is read again record by record, so that one damaged line costs one row and columns never shift.
"""

import csv
import hashlib
import io
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from traces import typed_cells
from traces.counted import counted, tell_lines
from traces.errors import TraceError, printable
from traces.limits import gunzipped
from traces.progress import PARSED, stretch
from traces.report import Rejection, Source

Integers = npt.NDArray[np.int64]

DELIMITERS = (",", "\t", ";", "|")
LISTED_COLUMNS = 30
"""Columns that an error message lists."""


@dataclass
class SourceTable:
    """The rows of one file; its cells go as they are read (`forget`), for a file may fill the memory.

    `row` is each row's 0-based number among the file's data rows (blank lines are none), `line` its
    1-based line; `malformed` are the data rows that are not in `cells` at all. Cells are texts, but for those
    of parquet files and for the columns whose types the reader was told and all of whose cells fit.
    """

    source: Source
    cells: pa.Table
    row: Integers
    line: Integers
    malformed: tuple[Rejection, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """Column names in the file's order."""
        return list(self.cells.column_names)

    @property
    def rows_read(self) -> int:
        """Data rows of the file, malformed ones included."""
        return len(self.row) + len(self.malformed)

    def values(self, column: str) -> pa.ChunkedArray:
        """A column as it is; TraceError when the name is there more than once."""
        if self.columns.count(column) > 1:
            raise TraceError(f"{self.source.name} has several columns {column!r}: give each its own name.")
        return self.cells[column]

    def text(self, column: str) -> pd.Series:
        """A column as text without blanks around it; an empty string where the file has nothing.

        Raises TraceError when the name is there more than once or the column holds no plain values.
        """
        values = self.values(column)
        try:
            texts = pc.cast(values, pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TraceError(
                f"{self.source.name}: column {column!r} holds {values.type}, not text, numbers or times."
            ) from error
        return pd.Series(_plain_texts(texts).to_pandas(), dtype="str")

    def words(self, column: str) -> pd.Series:
        """The same as `text`, in the categories that the reader has found where the column has some."""
        values = self.values(column)
        if not pa.types.is_dictionary(values.type) or values.null_count:
            return self.text(column)
        unified = values.unify_dictionaries()
        known = unified.chunk(0).dictionary if unified.num_chunks else pa.array([], pa.string())
        if not pa.types.is_string(known.type) or not _trimmed(known).equals(known):
            return self.text(column)
        return pd.Series(unified.to_pandas())

    def forget(self, column: str) -> None:
        """Let go of a column that nobody will ask for again."""
        if column in self.columns:
            self.cells = self.cells.drop_columns([column])

    def found(self) -> str:
        """The columns found, as the end of an error message."""
        names = [name for name in self.columns if name]
        rest = len(names) - LISTED_COLUMNS
        return ", ".join(names[:LISTED_COLUMNS]) + (f" and {rest} more" if rest > 0 else "")


def _plain_texts(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts without blanks around them; those that have none stay where they are in memory."""
    return pa.chunked_array([_plain(chunk) for chunk in texts.chunks], pa.string())


def _plain(texts: pa.Array) -> pa.Array:
    trimmed = _trimmed(texts)
    return texts if trimmed.equals(texts) else trimmed


def _trimmed(texts: pa.Array) -> pa.Array:
    return pc.fill_null(pc.utf8_trim_whitespace(texts), "")


def read_table(path: Path) -> SourceTable:
    """The table in the file at `path` (text, gzip or parquet); TraceError when there is none."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}.") from error
    return table_of(path.name, data)


def table_of(name: str, data: bytes, types: Mapping[str, pa.DataType] | None = None) -> SourceTable:
    """The table in the bytes of a file called `name`; TraceError when there is none.

    `types` ({column: type of `traces.typed_cells`}) spares a clean file the way over texts.
    """
    with ThreadPoolExecutor(1) as beside:  # hashing and parsing leave the interpreter to each other
        digest = beside.submit(lambda: hashlib.sha256(data).hexdigest())
        with stretch(0, PARSED):
            table = _table_of(Source(name, len(data), ""), data, types or {})
        return replace(table, source=replace(table.source, sha256=digest.result()))


def _table_of(source: Source, data: bytes, types: Mapping[str, pa.DataType]) -> SourceTable:
    if data[:4] == b"PAR1":
        return _parquet(source, data)
    content, notes = utf8(source.name, unzipped(source.name, data))
    header, body_start, line = _header(source.name, content)
    body = content[body_start:]
    table = _fast(source, header, body, line, types) or _careful(source, header, body, line)
    if table.rows_read == 0:
        raise TraceError(f"{source.name} has a header and no rows: there is nothing to import.")
    return replace(table, notes=notes)


@dataclass(frozen=True)
class _Header:
    names: tuple[str, ...]
    delimiter: str


def unzipped(name: str, data: bytes) -> bytes:
    """`data`, decompressed where it is gzip; TraceError where that is damaged."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gunzipped(name, data)
    except (OSError, EOFError, zlib.error) as error:
        raise TraceError(f"{name} is a damaged or cut-off gzip file ({error}): copy it again.") from error


def utf8(name: str, data: bytes, *, mac: bool = True) -> tuple[bytes, tuple[str, ...]]:
    """`data` as UTF-8 with \\n or \\r\\n line ends and no byte-order mark, and notes about repairs.

    With `mac`, a \\r alone ends a line too. Raises TraceError for what is empty or no text.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data or data.isspace():
        raise TraceError(f"{name} is empty: there is nothing to import.")
    if b"\0" in data:
        raise TraceError(
            f"{name} is not a text file: give a CSV file in UTF-8, plain or gzip, or a parquet file."
        )
    if mac and b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data.isascii():
        return data, ()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        note = f"{printable(name)} is not all UTF-8: characters that could not be read are shown as �."
        return data.decode("utf-8", errors="replace").encode("utf-8"), (note,)
    return data, ()


def _header(name: str, content: bytes) -> tuple[_Header, int, int]:
    """The header, where the data begins (byte offset), and the 1-based line on which it begins."""
    start, line = 0, 1
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        text = content[start:end].decode("utf-8").rstrip("\r")
        if text.strip():
            break
        start, line = end + 1, line + 1
    else:
        raise TraceError(f"{name} is empty: there is nothing to import.")
    delimiter = max(DELIMITERS, key=text.count)
    try:
        names = next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise TraceError(f"{name}, line {line}: the header cannot be read ({error}).") from error
    return _Header(tuple(each.strip() for each in names), delimiter), end + 1, line + 1


def _fast(
    source: Source, header: _Header, body: bytes, first_line: int, types: Mapping[str, pa.DataType]
) -> SourceTable | None:
    """The table by Arrow's reader, or None when the file is not clean enough to trust it."""
    if not body or body.isspace() or len(header.names) < 2:
        return None
    quoted = b'"' in body
    if quoted and not _well_quoted(body, header.delimiter):
        return None
    cells = _cells(source.name, header, body, quoted, types)
    if cells is None:
        return None
    plain = not quoted and b"\r" not in body
    if plain and body.count(b"\n") + (not body.endswith(b"\n")) == cells.num_rows:
        line = np.arange(first_line, first_line + cells.num_rows)  # a row on every line
    else:
        line = _record_lines(body, first_line)
    if len(line) != cells.num_rows:
        return None
    return SourceTable(source, cells, np.arange(len(line)), line)


def _cells(
    name: str, header: _Header, body: bytes, quoted: bool, types: Mapping[str, pa.DataType]
) -> pa.Table | None:
    """The cells in their types, else as texts; None where a row is not as wide as the header."""
    for wanted in ({name: types[name] for name in header.names if name in types}, {}):
        try:
            cells = typed_cells.read_csv(
                counted(body, name), header.names, header.delimiter, quoted=quoted, types=wanted
            )
        except pa.ArrowInvalid:
            continue
        if not wanted or typed_cells.is_faithful(cells):
            return cells
    return None


def _well_quoted(body: bytes, delimiter: str) -> bool:
    """Whether quotes open only where a cell begins and close only where it ends, doubled ones aside."""
    framed = np.frombuffer(b"\n" + body + b"\n", dtype=np.uint8)
    quotes = np.flatnonzero(framed == ord('"'))
    edges = np.frombuffer(f'{delimiter}\r\n"'.encode(), dtype=np.uint8)
    before, after = framed[quotes[0::2] - 1], framed[quotes[1::2] + 1]
    return len(quotes) % 2 == 0 and bool(np.isin(before, edges).all() and np.isin(after, edges).all())


def _record_lines(body: bytes, first_line: int) -> Integers:
    """The line on which each record begins: lines that are not empty and not inside quotes."""
    characters = np.frombuffer(body, dtype=np.uint8)
    ends = np.append(np.flatnonzero(characters == ord("\n")), len(characters))
    starts = np.append(0, ends[:-1] + 1)
    last = characters[np.maximum(ends - 1, 0)]
    length = ends - starts - ((last == ord("\r")) & (ends > starts))
    quotes = np.flatnonzero(characters == ord('"'))
    outside = np.searchsorted(quotes, starts) % 2 == 0
    return np.flatnonzero((length > 0) & outside).astype(np.int64) + first_line


def _careful(source: Source, header: _Header, body: bytes, first_line: int) -> SourceTable:
    """The table record by record; a line that cannot be a row is malformed and costs nothing but itself."""
    width = len(header.names)
    columns: list[list[str]] = [[] for _ in range(width)]
    rows, lines, malformed = [], [], []
    text_lines = body.decode("utf-8").split("\n")
    for row, (offset, cells, text) in enumerate(_records(text_lines, header)):
        tell_lines(offset, text_lines, source.name)
        if len(cells) == width:
            for column, cell in zip(columns, cells, strict=True):
                column.append(cell)
            rows.append(row)
            lines.append(first_line + offset)
        else:
            malformed.append(Rejection(first_line + offset, "wrong_number_of_columns", text[:200]))
    table = pa.Table.from_arrays([pa.array(column, pa.string()) for column in columns], names=header.names)
    return SourceTable(
        source, table, np.array(rows, dtype=np.int64), np.array(lines, dtype=np.int64), tuple(malformed)
    )


def _records(lines: list[str], header: _Header) -> Iterator[tuple[int, list[str], str]]:
    """Each record as (offset of its first line, cells, text of that line); no cells where it has no sense.

    A record that spans lines is believed only when it has the header's number of cells; else its first line
    alone is lost, so a quote that never closes does not swallow what follows. One delimiter too many at the
    end of a line is forgiven.
    """
    width = len(header.names)
    at = 0
    while at < len(lines):
        text = lines[at].rstrip("\r")
        if not text.strip():
            at += 1
            continue
        cells, span = _record(lines, at, header.delimiter)
        if len(cells) == width + 1 and not cells[-1].strip():
            cells = cells[:-1]
        if len(cells) != width and span > 1:
            cells, span = [], 1
        yield at, cells, text
        at += span


def _record(lines: list[str], at: int, delimiter: str) -> tuple[list[str], int]:
    """The cells of the record that begins at line `at` and the number of lines it spans."""
    if '"' not in lines[at]:
        return lines[at].rstrip("\r").split(delimiter), 1
    reader = csv.reader(
        (lines[index] + "\n" for index in range(at, len(lines))), delimiter=delimiter, strict=True
    )
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return [], 1


def _parquet(source: Source, data: bytes) -> SourceTable:
    try:
        cells = pq.read_table(io.BytesIO(data))
        cells.validate(full=True)
        names = cells.column_names
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TraceError(f"{source.name} is a damaged parquet file: write it again ({error}).") from error
    if cells.num_rows == 0:
        raise TraceError(f"{source.name} has columns and no rows: there is nothing to import.")
    row = np.arange(cells.num_rows)
    return SourceTable(source, cells.rename_columns(names), row, row + 1)
