"""What an open page learns while it is open: how far the data reach, and that newer ones are imported."""

from collections.abc import Mapping
from typing import Any

from dash import (
    ClientsideFunction,
    Input,
    Output,
    State,
    callback,
    clientside_callback,
    ctx,
    html,
    no_update,
    strip_relative_path,
)
from dash._pages import _parse_query_string, _path_to_page

from components.filters import from_query
from components.numbers import minute
from components.shell import AS_OF, CLOCK, LIVE, LOCATION, REFRESH
from pages.frame import SENTENCES
from pages.scope import Scope, local, scope_of_query
from queries import manifests


def register() -> None:
    """The callbacks: data as of, and every ``HELIOGRAPH_LIVE_POLL_S`` whether a newer version is published.

    A click refreshes the page, or the page itself does with ``live=1`` in its address; the address holds
    every filter, so none is lost.
    """

    @callback(
        Output(AS_OF, "children"),
        Output(LIVE, "data"),
        Input(LOCATION, "search"),
        Input(LOCATION, "pathname"),
        Input(CLOCK, "n_intervals"),
        State(LIVE, "data"),
    )
    def show_data_as_of(
        search: str | None, path: str | None, _ticks: int, live: Mapping[str, str] | None
    ) -> tuple[Any, Any]:
        query = {**_parse_query_string(search), **trace_of_path(path)}
        fresh = version(query)
        if ctx.triggered_id == CLOCK and live:
            if fresh == live["fresh"]:
                return no_update, no_update
            return data_as_of(query), {"shown": live["shown"], "fresh": fresh}
        return data_as_of(query), {"shown": fresh, "fresh": fresh}

    clientside_callback(
        ClientsideFunction("heliograph", "offerRefresh"), Output(REFRESH, "style"), Input(LIVE, "data")
    )
    clientside_callback(
        ClientsideFunction("heliograph", "refresh"),
        Output(REFRESH, "disabled"),
        Input(REFRESH, "n_clicks"),
        State(LIVE, "data"),
        prevent_initial_call=True,
    )


def trace_of_path(path: str | None) -> dict[str, str]:
    """The trace that a page is about by its path alone, as a query; empty where the query says it.

    A page says so when it registers: ``trace_of`` takes its path's variables and gives the trace's name.
    """
    page, variables = _path_to_page((strip_relative_path(path) or "").strip("/")) if path else ({}, None)
    if not (page and variables and "trace_of" in page):
        return {}
    trace = page["trace_of"](**variables)
    return {"trace": trace} if trace else {}


def version(query: Mapping[str, Any]) -> str:
    """What tells the published version of the address's trace from every other; ``""`` without one."""
    try:
        trace = from_query({"trace": query.get("trace")}).trace or manifests.default_name()
        if trace is None:
            return ""
        published = manifests.version(trace)
    except SENTENCES:
        return ""
    return f"{published.folder.name}-{published.written_ns}"


def data_as_of(query: Mapping[str, Any]) -> list[Any]:
    """How far the data of the address's trace reach, in its time zone; nothing where there are none."""
    try:
        scope: Scope = scope_of_query({"trace": query.get("trace")})
    except SENTENCES:
        return []
    return ["data as of ", html.B(minute(local(scope.data_as_of, scope.timezone))), f" {scope.timezone}"]
