"""Tables of the numbers that a chart draws, and CSV of exactly those."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import html

from components import numbers

#: Rows that a table shows; the CSV has all.
SHOWN_ROWS = 200

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": lambda value: "—" if numbers.is_unknown(value) else str(value),
    "count": numbers.count,
    "percent": numbers.percent,
    "duration": numbers.duration,
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


def data_table(frame: pd.DataFrame, columns: Sequence[Column]) -> html.Div:
    """The frame's first rows, humanized; says when there are more."""
    shown = frame.head(SHOWN_ROWS)
    body = [
        [FORMATS[column.kind](value) for column, value in zip(columns, row, strict=True)]
        for row in shown[[column.name for column in columns]].itertuples(index=False, name=None)
    ]
    table = dmc.Table(
        data={"head": [column.title for column in columns], "body": body},
        className=f"data-table numeric-after-{sum(column.kind == 'text' for column in columns)}",
        stickyHeader=True,
    )
    rest = (
        f"The first {SHOWN_ROWS:,} of {len(frame):,} rows; the CSV has all."
        if len(frame) > SHOWN_ROWS
        else ""
    )
    return html.Div(
        [html.Div(table, className="table-scroll"), html.Div(rest, className="muted")], className="table"
    )


def csv(frame: pd.DataFrame) -> str:
    """The frame as CSV: unrounded, times in UTC unless the column says local."""
    return frame.to_csv(index=False)


def bar(ratio: float | None, color: str) -> html.Div:
    """A ratio of 0–1 as a small horizontal bar; nothing where it is unknown."""
    if numbers.is_unknown(ratio):
        return html.Div()
    width = f"{100 * min(max(ratio, 0.0), 1.0):.1f}%"
    return html.Div(
        html.Div(className="bar-fill", style={"width": width, "background": color}), className="bar"
    )


def dot(color: str) -> html.Span:
    """A colored dot before a name."""
    return html.Span(className="dot", style={"background": color})
