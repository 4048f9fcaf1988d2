"""A view is one chart card and what fills it: rows of a query, a figure or a table of them, a note."""

from collections.abc import Callable, Mapping, Sequence
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
#: And behind the one of a chart over time whose points narrow the window (``Scope.day_address``).
CLICK_DAY = " A click on a point shows its local day alone."
#: And in the method of one whose bars do (``Scope.period_address``).
CLICK_PERIOD = " A click on a bar shows its period alone."


@dataclass(frozen=True)
class View(Generic[S]):
    """One card of a page about a subject ``S`` (a scope, a run).

    ``rows`` are what is drawn, what the table shows and what the CSV holds. Exactly one of ``figure`` and
    ``table`` draws them. ``note`` is the muted line: definition, unit, what was left out; ``method`` how they
    are made, behind an info mark. ``absent`` says why the subject cannot have this view at all (None when it
    can), ``nothing`` what an empty frame means. ``opens`` are the addresses that a click on a line opens, by
    its name, or one for all; they may leave places that the point fills (``filled`` in
    ``assets/heliograph.js``). ``click`` says so behind the method.
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
    opens: Callable[[S], Mapping[str, str] | str] | None = None
    click: str = CLICK

    def card(self) -> html.Section:
        """The empty card."""
        if self.figure:
            method = self.method + (self.click if self.opens else "")
            return chart_card(self.name, self.title, method=method, height=self.height, span=self.span)
        return table_card(self.name, self.title, method=self.method, span=self.span)

    def drawn(self, rows: pd.DataFrame, subject: S) -> go.Figure:
        """The figure of these rows, as high as its card, with what a click on its parts opens."""
        figure = self.figure(rows, subject).update_layout(height=self.height)
        places = self.opens(subject) if self.opens else {}
        for line in figure.data:
            place = places if isinstance(places, str) else places.get(line.name)
            if place:
                line.meta = place
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
    wire_together([view], source, subject, of_stored_traces=of_stored_traces)


def wire_together(
    views: Sequence[View[S]],
    source: Input,
    subject: Callable[[Any], S],
    *,
    of_stored_traces: bool = False,
) -> None:
    """As :func:`wire`, for cards that are filled by one question, which two web workers would both answer."""

    def shown(view: View[S], value: Any) -> tuple[Any, ...]:
        def draw() -> tuple[Any, ...]:
            return _shown(view, subject(value))

        return remembered.card(view.name, value, draw) if of_stored_traces and value else draw()

    charts = [view.name for view in views if view.figure]
    outputs = [output for view in views for output in _outputs(view)]

    @callback(*outputs, source, *(State(part("table-shown", name), "checked") for name in charts))
    def fill(value: Any, *tables_shown: bool) -> tuple[Any, ...]:
        opened = dict(zip(charts, tables_shown, strict=True))
        filled: list[Any] = []
        for view in views:
            filled += shown(view, value)
            if view.figure:
                filled.append(_as_table(view, subject(value)) if opened[view.name] else no_update)
        return tuple(filled)

    for view in views:
        if view.figure:
            _wire_its_table(view, source, subject)
        _wire_csv(view, source, subject)


def _outputs(view: View[S]) -> list[Output]:
    """What a card is filled by. A chart's table is among it for when it is open, and asked for only then."""
    if not view.figure:
        return [Output(part("body", view.name), "children"), Output(part("note", view.name), "children")]
    return [
        Output(part("figure", view.name), "data"),
        Output(part("sentence", view.name), "children"),
        Output(part("note", view.name), "children"),
        Output(part("table", view.name), "children"),
    ]


def _shown(view: View[S], about: S) -> tuple[Any, ...]:
    """A card's figure, sentence and note, or its body and note."""
    rows, sentence = view.answer(about)
    if view.figure:
        if sentence:
            return None, empty(sentence), ""
        return figure_json(view.drawn(rows, about)), None, view.note(rows, about)
    if sentence:
        return empty(sentence), ""
    return view.table(rows, about), view.note(rows, about) if view.note else no_update


def _as_table(view: View[S], about: S) -> html.Div | None:
    rows, sentence = view.answer(about)
    return None if sentence else data_table(rows, view.columns)


def _wire_its_table(view: View[S], source: Input, subject: Callable[[Any], S]) -> None:
    @callback(
        Output(part("table", view.name), "children", allow_duplicate=True),
        Input(part("table-shown", view.name), "checked"),
        _state(source),
        prevent_initial_call=True,
    )
    def show_table(table_shown: bool, value: Any) -> Any:
        return _as_table(view, subject(value)) if table_shown else None


def _wire_csv(view: View[S], source: Input, subject: Callable[[Any], S]) -> None:
    @callback(
        Output(part("download", view.name), "data"),
        Input(part("csv", view.name), "n_clicks"),
        _state(source),
        prevent_initial_call=True,
    )
    def save(_clicks: int, value: Any) -> Mapping[str, Any]:
        rows, _ = view.answer(subject(value))
        return {"content": csv(rows), "filename": f"heliograph-{view.name}.csv", "type": "text/csv"}


def _state(source: Input) -> State:
    return State(source.component_id, source.component_property)
