"""A view is one chart card and what fills it: rows of a query, a figure or a table of them, a note."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pandas as pd
import plotly.graph_objects as go
from dash import Input, Output, State, callback, html, no_update
from dash.development.base_component import Component

from components.chart_card import chart_card, figure_json, part, table_card
from components.figures.template import HEIGHT_PX
from components.notices import empty
from components.tables import Column, csv, data_table
from pages import remembered

S = TypeVar("S")
#: Behind the method of a chart whose parts can be clicked.
CLICK = " A click on a line or bar, or on its name in the legend, opens that part of the data."


@dataclass(frozen=True)
class View(Generic[S]):
    """One card of a page about a subject ``S`` (a scope, a run).

    ``rows`` are what is drawn, what the table shows and what the CSV holds. Exactly one of ``figure`` and
    ``table`` draws them. ``note`` is the muted line: definition, unit, what was left out; ``method`` how they
    are made, behind an info mark. ``absent`` says why the subject cannot have this view at all (None when it
    can), ``nothing`` what an empty frame means.
    """

    name: str
    title: str
    rows: Callable[[S], pd.DataFrame]
    columns: tuple[Column, ...]
    note: Callable[[pd.DataFrame, S], str]
    method: str
    figure: Callable[[pd.DataFrame, S], go.Figure] | None = None
    table: Callable[[pd.DataFrame, S], Component] | None = None
    absent: Callable[[S], str | None] = lambda _: None
    nothing: str = "No job of this choice can be drawn here; choose more days, clusters or virtual clusters."
    height: int = HEIGHT_PX
    span: str = ""
    opens: Callable[[S], Mapping[str, str]] | None = None

    def card(self) -> html.Section:
        """The empty card."""
        if self.figure:
            method = self.method + (CLICK if self.opens else "")
            return chart_card(self.name, self.title, method=method, height=self.height, span=self.span)
        return table_card(self.name, self.title, method=self.method, span=self.span)

    def drawn(self, rows: pd.DataFrame, subject: S) -> go.Figure:
        """The figure of these rows, as high as its card, with what a click on its parts opens."""
        figure = self.figure(rows, subject).update_layout(height=self.height)
        places = self.opens(subject) if self.opens else {}
        for line in figure.data:
            if line.name in places:
                line.meta = places[line.name]
        return figure

    def answer(self, subject: S) -> tuple[pd.DataFrame, str]:
        """The rows about ``subject`` and, where there are none, the sentence that says why."""
        sentence = self.absent(subject)
        rows = self.rows(subject) if sentence is None else pd.DataFrame()
        return rows, sentence or ("" if len(rows) else self.nothing)


def wire(
    view: View[S], source: Input, subject: Callable[[Any], S], *, of_stored_traces: bool = False
) -> None:
    """Register the callbacks that fill a view's card when ``source`` changes; ``subject`` reads its value.

    A card that shows nothing but stored traces is kept as it was drawn until an import changes them.
    """
    state = State(source.component_id, source.component_property)

    def shown(value: Any) -> Any:
        def draw() -> Any:
            return _shown(view, subject(value))

        return remembered.card(view.name, value, draw) if of_stored_traces and value else draw()

    if view.figure:
        _wire_chart(view, source, shown, subject)
    else:
        _wire_table(view, source, shown)

    @callback(
        Output(part("download", view.name), "data"),
        Input(part("csv", view.name), "n_clicks"),
        state,
        prevent_initial_call=True,
    )
    def save(_clicks: int, value: Any) -> Mapping[str, Any]:
        rows, _ = view.answer(subject(value))
        return {"content": csv(rows), "filename": f"heliograph-{view.name}.csv", "type": "text/csv"}


def _shown(view: View[S], about: S) -> Any:
    """The outputs of a view's card: figure, sentence and note, or body and note."""
    rows, sentence = view.answer(about)
    if view.figure:
        if sentence:
            return None, empty(sentence), ""
        return figure_json(view.drawn(rows, about)), None, view.note(rows, about)
    if sentence:
        return empty(sentence), ""
    return view.table(rows, about), view.note(rows, about) if view.note else no_update


def _wire_chart(
    view: View[S], source: Input, shown: Callable[[Any], Any], subject: Callable[[Any], S]
) -> None:
    """The table is asked for only while it is shown: half of what a page would ask says nothing."""
    table = part("table", view.name)

    def rows_as_table(value: Any) -> html.Div | None:
        rows, sentence = view.answer(subject(value))
        return None if sentence else data_table(rows, view.columns)

    @callback(
        Output(part("figure", view.name), "data"),
        Output(part("sentence", view.name), "children"),
        Output(part("note", view.name), "children"),
        Output(table, "children"),
        source,
        State(part("table-shown", view.name), "checked"),
    )
    def show_chart(value: Any, table_shown: bool) -> Any:
        return *shown(value), rows_as_table(value) if table_shown else no_update

    @callback(
        Output(table, "children", allow_duplicate=True),
        Input(part("table-shown", view.name), "checked"),
        State(source.component_id, source.component_property),
        prevent_initial_call=True,
    )
    def show_table(table_shown: bool, value: Any) -> Any:
        return rows_as_table(value) if table_shown else None


def _wire_table(view: View[S], source: Input, shown: Callable[[Any], Any]) -> None:
    @callback(
        Output(part("body", view.name), "children"), Output(part("note", view.name), "children"), source
    )
    def show_table(value: Any) -> Any:
        return shown(value)
