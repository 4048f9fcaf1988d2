"""Columns that a format computes from its own, beside them in one table, so that rows keep their lines."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from traces import readings
from traces.errors import TraceError
from traces.ledger import Mask
from traces.source_table import SourceTable

ORIGIN_NOTE = "Times count from an origin that is not published; they are shown from 1970-01-01 UTC on."


def with_columns(table: SourceTable, columns: Mapping[str, Any]) -> SourceTable:
    """`table` with these columns as well, in place of its own of the same name.

    Values are texts or numbers, one per row of `table.cells`; a missing one is null.
    """
    cells = table.cells.drop_columns([name for name in columns if name in table.columns])
    for name, values in columns.items():
        cells = cells.append_column(name, pa.array(values, from_pandas=True))
    return replace(table, cells=cells)


def number(table: SourceTable, column: str) -> tuple[np.ndarray[Any, np.dtype[np.float64]], Mask]:
    """A column as numbers, NaN where missing, and a mask of the rows where it is no number."""
    read = readings.numbers(table.text(column))
    return read.values, read.unparsable


def needed(table: SourceTable, names: tuple[str, ...], what: str) -> None:
    """TraceError unless the table has all these columns; `what` says which file it should be."""
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise TraceError(
            f"{table.source.name} is not {what}: it has no column {absent[0]} "
            f"(columns found: {table.found()})."
        )


def since_origin(seconds: "np.ndarray[Any, np.dtype[np.float64]]") -> pd.Series:
    """Seconds from a trace's hidden origin as texts that count from 1970-01-01 UTC; "" where missing."""
    texts = pd.Series(seconds).map("{:.6f}".format)
    return texts.mask(np.isnan(seconds), "")
