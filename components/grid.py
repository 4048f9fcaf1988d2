"""Tables that people sort, filter and rearrange: AG Grid in our colors, its numbers written by our formats.

``assets/grid.js`` holds the formats that run in the browser. Colors are the CSS variables of the scheme in
force, so that a switch of it needs no other grid.
"""

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag

from components.tables import Column

THEME = {
    "function": "themeQuartz.withParams({"
    "backgroundColor: 'var(--surface)', foregroundColor: 'var(--ink)', borderColor: 'var(--line)', "
    "headerBackgroundColor: 'var(--surface)', headerTextColor: 'var(--muted)', accentColor: 'var(--accent)', "
    "chromeBackgroundColor: 'var(--surface)', menuBackgroundColor: 'var(--surface)', "
    "inputBackgroundColor: 'var(--surface)', inputTextColor: 'var(--ink)', "
    "inputBorder: '1px solid var(--line)', "
    "rowHoverColor: 'var(--background)', selectedRowBackgroundColor: 'var(--background)', "
    "wrapperBorder: false, wrapperBorderRadius: '0px', headerFontWeight: 500, columnBorder: false, "
    "fontFamily: 'inherit', headerFontFamily: 'inherit', cellFontFamily: 'inherit', "
    "fontSize: '12.5px', headerFontSize: '12px', rowHeight: '34px', headerHeight: '36px'})"
}
#: Column kind → the browser's function that writes it.
FORMATS = {"count", "percent", "duration", "gpu_time", "time"}

#: A column that holds a text which its field asks for.
TEXT_FILTER = {
    "filter": "agTextColumnFilter",
    "filterParams": {"filterOptions": ["contains"], "maxNumConditions": 1, "debounceMs": 400},
}


def grid_column(column: Column, **more: Any) -> dict[str, Any]:
    """An AG Grid column of the same name, title and format; numbers to the right, the larger first."""
    definition: dict[str, Any] = {"field": column.name, "headerName": column.title, **more}
    if column.kind in FORMATS:
        definition["valueFormatter"] = {"function": f"heliograph_{column.kind}(params.value)"}
        definition["sortingOrder"] = ["desc", "asc"]
    if column.kind in FORMATS - {"time"}:
        definition["type"] = "rightAligned"
    return definition


def grid(
    columns: Sequence[dict[str, Any]],
    *,
    height_px: int = 560,
    options: dict[str, Any] | None = None,
    **properties: Any,
) -> dag.AgGrid:
    """A grid of ``columns``; ``properties`` are AG Grid's for Dash (id, rowData, rowModelType)."""
    return dag.AgGrid(
        columnDefs=list(columns),
        defaultColDef={"resizable": True, "sortable": True, "suppressHeaderMenuButton": True, "minWidth": 90},
        dashGridOptions={"theme": THEME, "animateRows": False, "enableCellTextSelection": True}
        | (options or {}),
        style={"height": height_px, "width": "100%"},
        className="grid",
        **properties,
    )
