"""Tables of the numbers that a chart draws, and CSV of exactly those."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import html
from dash.development.base_component import Component

from components import numbers
from components.drawn_table import Cell, drawn_table

#: Rows that a table shows; the CSV has all.
SHOWN_ROWS = 200


def _as_it_is(value: Any) -> str:
    return "—" if numbers.is_unknown(value) else str(value)


#: How a value is written: text stands left, every other kind right, ``written`` for what already is a text.
FORMATS: dict[str, Callable[[Any], str]] = {
    "text": _as_it_is,
    "written": _as_it_is,
    "count": numbers.count,
    "signed": numbers.signed_count,
    "change": numbers.signed_percent,
    "if_any": lambda value: "—" if numbers.is_unknown(value) else numbers.duration(value),
    "percent": numbers.percent,
    "share_if_any": lambda value: "—" if numbers.is_unknown(value) else numbers.percent(value, 0),
    "duration": numbers.duration,
    "longer": numbers.signed_duration,
    "times": numbers.times,
    "gpu_time": numbers.gpu_hours,
    "time": numbers.minute,
    "day": numbers.day,
}


@dataclass(frozen=True)
class Column:
    """A column of a frame as people read it: its name there, its title with unit, and one of ``FORMATS``."""

    name: str
    title: str
    kind: str = "text"


def data_table(frame: pd.DataFrame, columns: Sequence[Column], links: Sequence[str | None] = ()) -> html.Div:
    """The frame's first rows, humanized; says when there are more. First cells lead to ``links``."""
    shown, texts = frame.head(SHOWN_ROWS), [column.kind == "text" for column in columns]
    body = [
        [FORMATS[column.kind](value) for column, value in zip(columns, row, strict=True)]
        for row in shown[[column.name for column in columns]].itertuples(index=False, name=None)
    ]
    table = _table([column.title for column in columns], body, links, aligned(texts))
    rest = (
        f"The first {SHOWN_ROWS:,} of {len(frame):,} rows; the CSV has all."
        if len(frame) > SHOWN_ROWS
        else ""
    )
    return html.Div(
        [html.Div(table, className="table-scroll"), html.Div(rest, className="muted")], className="table"
    )


def aligned(texts: Sequence[bool]) -> str:
    """The class of a table whose columns hold text, which stands left, or numbers, which stand right."""
    return " ".join(["data-table", *(f"text-{place}" for place, text in enumerate(texts, 1) if text)])


def _table(head: list[str], body: list[list[str]], links: Sequence[str | None], class_name: str) -> Component:
    if not links:
        return dmc.Table(data={"head": head, "body": body}, className=class_name, stickyHeader=True)
    rows = [
        [Cell(cells[0], href=href) if href else cells[0], *cells[1:]]
        for cells, href in zip(body, links, strict=False)
    ]
    return drawn_table(head, rows, class_name)


def csv(frame: pd.DataFrame) -> str:
    """The frame as CSV: unrounded, times in UTC unless the column says local."""
    return frame.to_csv(index=False)
