"""The card around every chart: title, method, one muted line, the chart; its table, CSV and picture.

``graph`` is the only place of Heliograph that makes a ``dcc.Graph``: its configuration keeps the button that
uploads a chart to a public cloud away, and a test holds that.
"""

from typing import Any

import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import MATCH, ClientsideFunction, Input, Output, State, clientside_callback, dcc, html

from components.figures.template import HEIGHT_PX, templates, write_dates
from components.labels import info_mark

TEMPLATES, COLOR_SCHEME = "figure-templates", "color-scheme"


def part(kind: str, name: Any) -> dict[str, Any]:
    """The id of a part of the card ``name``: figure, table, sentence, note, csv, png, download, body."""
    return {"type": kind, "name": name}


def graph(name: str, height: int = HEIGHT_PX) -> dcc.Graph:
    """An empty chart; it draws the figure in ``part("figure", name)`` in the colors of the scheme."""
    return dcc.Graph(
        id=part("chart", name),
        config={
            "showSendToCloud": False,
            "displaylogo": False,
            "displayModeBar": "hover",
            "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
            "responsive": True,
            "toImageButtonOptions": {"filename": f"heliograph-{name}", "scale": 2},
        },
        style={"height": height},
    )


def chart_card(
    name: str, title: str, note: str = "", *, method: str = "", height: int = HEIGHT_PX, span: str = ""
) -> html.Section:
    """A card whose chart, note and table callbacks fill; ``method`` stands behind an info mark.

    ``span`` is a class of the page's grid: ``third``, ``wide`` or ``full``.
    """
    return html.Section(
        [
            _heading(name, title, method, of_chart=True),
            html.P(note, id=part("note", name), className="note"),
            html.Div(
                [
                    html.Div(
                        graph(name, height),
                        id=part("chart-place", name),
                        className="chart-hidden",
                        role="img",
                        **{"aria-label": f"Chart: {title} “Table” above shows its numbers."},
                    ),
                    html.Div(id=part("sentence", name), className="sentence"),
                    html.Div(id=part("table", name), className="table-place"),
                ],
                className="chart-body",
                style={"minHeight": height},
            ),
            dcc.Store(id=part("figure", name)),
            dcc.Download(id=part("download", name)),
        ],
        className=f"card chart-card {span}",
        **{"aria-label": title},
    )


def table_card(
    name: str, title: str, note: str = "", *, method: str = "", span: str = "", body: Any = None
) -> html.Section:
    """A card whose body is a table that a callback fills, or ``body``."""
    return html.Section(
        [
            _heading(name, title, method, of_chart=False),
            html.P(note, id=part("note", name), className="note"),
            html.Div(body, id=part("body", name), className="card-body"),
            dcc.Download(id=part("download", name)),
        ],
        className=f"card {span}",
        **{"aria-label": title},
    )


def figure_json(figure: go.Figure) -> dict[str, Any]:
    """A figure as the browser gets it, without a template: the browser adds the scheme's."""
    write_dates(figure)
    plain = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain


def template_store() -> dcc.Store:
    """The two templates, once per page load."""
    return dcc.Store(id=TEMPLATES, data=templates())


def register() -> None:
    """The callback, in the browser, that draws a card's figure in the scheme in force."""
    clientside_callback(
        ClientsideFunction("heliograph", "showFigure"),
        Output(part("chart", MATCH), "figure"),
        Output(part("chart-place", MATCH), "className"),
        Input(part("figure", MATCH), "data"),
        Input(part("table-shown", MATCH), "checked"),
        Input(COLOR_SCHEME, "data"),
        State(TEMPLATES, "data"),
    )

    clientside_callback(
        ClientsideFunction("heliograph", "savePicture"),
        Output(part("png", MATCH), "n_clicks"),
        Input(part("png", MATCH), "n_clicks"),
        State(part("png", MATCH), "id"),
        State(COLOR_SCHEME, "data"),
        prevent_initial_call=True,
    )


def _heading(name: str, title: str, method: str, *, of_chart: bool) -> html.Div:
    table = dmc.Chip("Table", id=part("table-shown", name), checked=False, size="xs", variant="outline")
    csv, png = (
        html.Button(kind.upper(), id=part(kind, name), type="button", className="card-action")
        for kind in ("csv", "png")
    )
    mark = [info_mark(method)] if method else []
    return html.Div(
        [
            html.Div([html.H2(title), *mark], className="card-title"),
            html.Div([table, csv, png] if of_chart else [csv], className="card-actions"),
        ],
        className="card-heading",
    )
