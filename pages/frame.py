"""What every page about a scope shares: its frame, what its filter bar offers, and how errors are shown."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from dash import Input, Output, callback, ctx, html, no_update, set_props
from dash.development.base_component import Component

from components.filter_bar import FILTERS, VCS, Choices, everything, filter_bar
from components.filters import FilterError, Filters
from components.notices import notice, way_back, welcome
from components.page_frame import page_frame
from components.shell import NOTICES
from pages.scope import scope_of_query
from queries import QueryError, manifests
from runs import RunError

#: What a visitor may have caused, shown as it is. Anything else is our mistake: logged, without details.
SENTENCES = (QueryError, FilterError, RunError)
FILTERS_CHANGED = Input(FILTERS, "data")


def scoped_page(
    question: str, answer_id: str, body: Callable[[], list[Any]], query: Mapping[str, Any]
) -> html.Div:
    """A page with a filter bar about the scope that ``query`` names, or one that says why there is none."""
    if not manifests.names():
        return welcome()
    try:
        scope = scope_of_query(query)
        bar = filter_bar(scope.filters, scope.choices())
        filled = body()
    except SENTENCES as error:
        return way_back("This address shows nothing", str(error))
    return page_frame(question, *filled, answer_id=answer_id, generated=scope.generated, bar=bar)


def skeleton(question: str, answer_id: str, body: Callable[[], list[Any]]) -> html.Div:
    """The same page without data: every id that callbacks name, for Dash's validation."""
    return page_frame(question, *body(), answer_id=answer_id, bar=filter_bar(Filters(), Choices()))


def there(call: Callable[..., Any], *args: Any) -> bool:
    """Whether all that an address chooses is there, so that ``call`` raises no sentence about it."""
    try:
        call(*args)
    except SENTENCES:
        return False
    return True


def shows(read: Callable[[dict[str, Any]], Any], query: dict[str, Any]) -> bool:
    """Whether a page shows something: all that ``read`` finds in its address is there, or no trace is yet."""
    return not manifests.names() or there(read, query)


def scope_exists(**query: Any) -> bool:
    """Whether :func:`scoped_page` shows something."""
    return shows(scope_of_query, query)


def show_error(error: Exception) -> Any:
    """What a failed callback's outputs get: the error's sentence where one fits, nothing elsewhere."""
    if not isinstance(error, SENTENCES):
        logging.getLogger("heliograph").exception("A callback failed", exc_info=error)
    sentence = (
        str(error)
        if isinstance(error, SENTENCES)
        else "This could not be computed; the server's log says why."
    )
    outputs = ctx.outputs_list
    several = isinstance(outputs, list)
    given = [_in_place_of(output, sentence) for output in (outputs if several else [outputs])]
    if not any(isinstance(value, Component) for value in given):
        set_props(NOTICES, {"children": notice(sentence)})
    return given if several else given[0]


def _in_place_of(output: Mapping[str, Any], sentence: str) -> Any:
    name, prop = output["id"], output["property"]
    kind = name.get("type") if isinstance(name, dict) else name
    if prop == "children":
        return "" if kind in ("note", "table") else notice(sentence)
    if kind == "_pages_store":
        return {"title": "Heliograph"}
    return None if kind == "figure" else no_update


def register() -> None:
    """The callback of the filter bar that asks the warehouse: the VCs of the chosen clusters."""

    @callback(
        Output(VCS, "data"),
        Output(VCS, "value"),
        Output(VCS, "placeholder"),
        Input(FILTERS, "data"),
        prevent_initial_call=True,
    )
    def choose_vcs(data: Mapping[str, Any]) -> tuple[list[str], list[str], str]:
        scope = scope_of_query({"trace": data["trace"], "cluster": data["clusters"]})
        offered = list(scope.choices().vcs)
        chosen = [vc for vc in data["vcs"] if vc in offered]
        return offered, chosen, everything(len(offered))
