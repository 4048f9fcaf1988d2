"""Links between the ways to ask about scheduling: a replay, a grid, the size for a target."""

from dash import (
    ALL,
    ClientsideFunction,
    Input,
    Output,
    State,
    clientside_callback,
    dcc,
    get_relative_path,
    html,
)

from components.filter_bar import FILTERS

TABS = {"/scheduling": "Replay", "/scheduling/sweep": "Sweep", "/scheduling/plan": "Plan"}

TAB = "what-if-tab"


def tabs(current: str) -> html.Nav:
    """The links; they keep the chosen trace, clusters and days."""
    return html.Nav(
        [_link(path, title, current) for path, title in TABS.items()],
        className="what-if-tabs",
        **{"aria-label": "Ways to ask about scheduling"},
    )


def _link(path: str, title: str, current: str) -> dcc.Link:
    address = get_relative_path(path)
    return dcc.Link(
        title,
        href=address,
        id={"type": TAB, "path": address},
        className="tab current" if path == current else "tab",
    )


def register() -> None:
    """The callback, in the browser, that keeps the filter bar's choice in the links."""
    clientside_callback(
        ClientsideFunction("whatIfForms", "linkTabs"),
        Output({"type": TAB, "path": ALL}, "href"),
        Input(FILTERS, "data"),
        State({"type": TAB, "path": ALL}, "id"),
    )
