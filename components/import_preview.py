"""The beginning of a file: which format it was recognized as and why, and its first rows."""

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import html

from components.numbers import plural


def import_preview(preview: Mapping[str, Any], file: str, about: Mapping[str, str]) -> html.Section:
    """The preview of ``runs.importing.looked_at``; ``about`` says what each format is."""
    columns, rows = preview["columns"], preview["rows"]
    form = preview["format"]
    if form is None:
        heading, badge = "The format of this file is not recognized", None
    else:
        heading, badge = f"{file} looks like {about[form]}", dmc.Badge(form, variant="light", size="sm")
    shown = f"{plural(len(columns), 'column')}, the first {plural(len(rows), 'row')}" if rows else ""
    why = str(preview["why"])
    return html.Section(
        [
            html.H2([heading, " ", badge]),
            html.P(f"{why[:1].upper()}{why[1:]}{'' if why.endswith('.') else '.'} {shown}", className="note"),
            html.Div(_table(preview), className="table-scroll preview") if rows else None,
        ],
        className="card",
        **{"aria-label": "Preview"},
    )


def _table(preview: Mapping[str, Any]) -> html.Table:
    taken = {source: name for name, source in {**preview["guessed"], **preview["mapped"]}.items()}
    head = [
        html.Th([column, html.Div(_meaning(column, taken, preview["guessed"]), className="taken-for")])
        for column in preview["columns"]
    ]
    body = [html.Tr([html.Td(cell[:300]) for cell in row]) for row in preview["rows"]]
    return html.Table([html.Thead(html.Tr(head)), html.Tbody(body)], className="plain-table preview-table")


def _meaning(column: str, taken: Mapping[str, str], guessed: Mapping[str, str]) -> str:
    name = taken.get(column)
    if name is None or name == column:
        return ""
    return f"→ {name}{' (guess)' if name in guessed else ''}"
