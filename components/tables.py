"""Tables of the numbers that a chart draws, and CSV of exactly those."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import dcc, html

from components import numbers

#: Rows that a table shows; the CSV has all.
SHOWN_ROWS = 200

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": lambda value: "—" if numbers.is_unknown(value) else str(value),
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
    shown, texts = frame.head(SHOWN_ROWS), sum(column.kind == "text" for column in columns)
    body = [
        [FORMATS[column.kind](value) for column, value in zip(columns, row, strict=True)]
        for row in shown[[column.name for column in columns]].itertuples(index=False, name=None)
    ]
    table = _table([column.title for column in columns], body, links, f"data-table numeric-after-{texts}")
    rest = (
        f"The first {SHOWN_ROWS:,} of {len(frame):,} rows; the CSV has all."
        if len(frame) > SHOWN_ROWS
        else ""
    )
    return html.Div(
        [html.Div(table, className="table-scroll"), html.Div(rest, className="muted")], className="table"
    )


def _table(head: list[str], body: list[list[str]], links: Sequence[str | None], class_name: str) -> dmc.Table:
    if not links:
        return dmc.Table(data={"head": head, "body": body}, className=class_name, stickyHeader=True)
    rows = [
        dmc.TableTr([dmc.TableTd(_linked(cells[0], href)), *(dmc.TableTd(cell) for cell in cells[1:])])
        for cells, href in zip(body, links, strict=False)
    ]
    heading = dmc.TableThead(dmc.TableTr([dmc.TableTh(title) for title in head]))
    return dmc.Table([heading, dmc.TableTbody(rows)], className=class_name, stickyHeader=True)


def _linked(text: str, href: str | None) -> str | dcc.Link:
    return dcc.Link(text, href=href, className="vc-link") if href else text


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
