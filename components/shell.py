"""What surrounds every page: header, navigation (a drawer on narrow screens), the place for pages."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash
import dash_mantine_components as dmc
from dash import (
    ClientsideFunction,
    Input,
    Output,
    State,
    clientside_callback,
    dcc,
    get_relative_path,
    html,
)

from components import theme
from components.chart_card import COLOR_SCHEME, template_store
from components.filter_bar import FILTERS

#: Groups of the navigation; a page names its own when it registers (``group=``, ``order=``, ``label=``).
GROUPS = ("What is going on", "What if", "Data")
AS_OF, NOTICES, MENU, DRAWER = "data-as-of", "notices", "menu", "drawer"
COPY_LINK, RESET, RESET_DONE = "copy-link", "reset", "reset-done"
LOCATION = "_pages_location"
LIVE, CLOCK, REFRESH = "live", "live-clock", "refresh"
THEME, SWITCH_SCHEME, MAIN = "theme", "switch-scheme", "main"
NARROW = "900px"


def shell(pages: Sequence[Mapping[str, Any]], poll_s: float) -> dmc.MantineProvider:
    """The layout around ``pages`` (entries of ``dash.page_registry``); asks for news each ``poll_s``."""
    return dmc.MantineProvider(
        [
            template_store(),
            dcc.Store(id=COLOR_SCHEME),
            dcc.Store(id=LIVE),
            dcc.Store(id=RESET_DONE),
            dcc.Interval(id=CLOCK, interval=1000 * poll_s),
            html.A("Skip to the page", href=f"#{MAIN}", className="skip-link"),
            dmc.AppShell(
                [
                    dmc.AppShellHeader(_header()),
                    dmc.AppShellNavbar(navigation(pages)),
                    dmc.AppShellMain([html.Div(id=NOTICES), dash.page_container], id=MAIN, tabIndex=-1),
                ],
                header={"height": 52},
                navbar={"width": 196, "breakpoint": NARROW, "collapsed": {"mobile": True}},
                padding=0,
                transitionDuration=0,
            ),
            dmc.Drawer(
                navigation(pages), id=DRAWER, size=240, title="Heliograph", zIndex=300, keepMounted=True
            ),
        ],
        id=THEME,
        theme=theme.mantine(),
        defaultColorScheme="auto",
    )


def navigation(pages: Sequence[Mapping[str, Any]]) -> html.Div:
    """Links to the pages that name a group, in order; assets/heliograph.js adds the filters to them."""
    return html.Div([_group(group, pages) for group in GROUPS], className="navigation")


def _group(group: str, pages: Sequence[Mapping[str, Any]]) -> html.Div | None:
    members = sorted((page for page in pages if page.get("group") == group), key=lambda page: page["order"])
    if not members:
        return None
    links = [_link(page["label"], get_relative_path(page["path"])) for page in members]
    return html.Div([html.Div(group, className="nav-group"), *links])


def _link(label: str, path: str) -> html.A:
    return html.A(label, href=path, className="nav-link", **{"data-path": path})


def _header() -> html.Div:
    return html.Div(
        [
            dmc.Burger(
                id=MENU, opened=False, size="sm", className="menu-button", **{"aria-label": "Navigation"}
            ),
            html.A(
                [
                    html.Img(src=dash.get_asset_url("logo.svg"), alt="", className="logo"),
                    html.Span("Heliograph"),
                ],
                href=get_relative_path("/"),
                className="brand",
                **{"data-path": get_relative_path("/")},
            ),
            html.Div(className="header-gap"),
            html.Div(id=AS_OF, className="pill as-of", role="status"),
            dmc.Button(
                "Refresh", id=REFRESH, size="xs", radius="xl", variant="light", style={"display": "none"}
            ),
            dmc.Button("Reset", id=RESET, variant="default", size="xs", radius="xl", className="pill-button"),
            dmc.Button(
                "Copy link", id=COPY_LINK, variant="default", size="xs", radius="xl", className="pill-button"
            ),
            dmc.ActionIcon(
                "◐",
                id=SWITCH_SCHEME,
                variant="default",
                radius="xl",
                size=30,
                **{"aria-label": "Switch between light and dark"},
            ),
        ],
        className="header",
    )


def register() -> None:
    """The shell's callbacks, all in the browser: scheme, drawer, links, notices, copy link, reset."""
    clientside_callback(
        ClientsideFunction("heliograph", "chooseScheme"),
        Output(THEME, "forceColorScheme"),
        Output(COLOR_SCHEME, "data"),
        Input(SWITCH_SCHEME, "n_clicks"),
        State(COLOR_SCHEME, "data"),
    )
    clientside_callback(
        ClientsideFunction("heliograph", "toggleDrawer"),
        Output(DRAWER, "opened"),
        Output(MENU, "opened"),
        Input(MENU, "opened"),
        Input(DRAWER, "opened"),
        Input(LOCATION, "pathname"),
        prevent_initial_call=True,
    )
    clientside_callback(
        ClientsideFunction("heliograph", "linkPages"),
        Input(LOCATION, "search"),
        Input(LOCATION, "pathname"),
        Input(DRAWER, "opened"),
        Input(FILTERS, "data", allow_optional=True),
    )
    clientside_callback(
        ClientsideFunction("heliograph", "nothing"),
        Output(NOTICES, "children"),
        Input(LOCATION, "pathname"),
    )
    clientside_callback(
        ClientsideFunction("heliograph", "reset"),
        Output(RESET_DONE, "data"),
        Input(RESET, "n_clicks"),
        prevent_initial_call=True,
    )
    clientside_callback(
        ClientsideFunction("heliograph", "copyLink"),
        Output(COPY_LINK, "children"),
        Input(COPY_LINK, "n_clicks"),
        prevent_initial_call=True,
    )
