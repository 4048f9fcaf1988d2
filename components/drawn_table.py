"""A table that the browser draws from its texts: one component, however many rows and links it has.

Of Dash's components each cell and link would be one, and all components of a page look for changes whenever
anything changes (docs/decisions/0012-quick-pages.md).
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from dash import html


@dataclass(frozen=True)
class Cell:
    """A cell's text, and what stands around it.

    ``href`` makes the text a link; ``dot`` is the color of a dot before it; ``after`` muted text behind it;
    ``share`` (0–1) a small horizontal bar in the color ``dot`` instead of any text.
    """

    text: str = ""
    href: str | None = None
    dot: str | None = None
    after: str | None = None
    share: float | None = None


def drawn_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str | Cell]],
    class_name: str = "",
    classes: Sequence[str] = (),
) -> html.Div:
    """A table of ``rows`` under ``head``; ``classes`` are the columns' own (assets/tables.js draws it)."""
    columns = [*classes, *[""] * (len(head) - len(classes))]
    drawn = {
        "head": list(head),
        "classes": columns,
        "rows": [[cell if isinstance(cell, str) else _stated(cell) for cell in row] for row in rows],
    }
    text = json.dumps(drawn, ensure_ascii=False, separators=(",", ":"))
    return html.Div(className=f"drawn-table {class_name}".strip(), **{"data-table": text})


def _stated(cell: Cell) -> dict[str, object]:
    return {name: value for name, value in asdict(cell).items() if value is not None and value != ""}
