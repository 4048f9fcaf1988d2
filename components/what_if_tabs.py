"""Links between the ways to ask about scheduling: a replay, a grid, the size for a target."""

from dash import dcc, get_relative_path, html

TABS = {"/scheduling": "Replay", "/scheduling/sweep": "Sweep", "/scheduling/plan": "Plan"}


def tabs(current: str) -> html.Nav:
    """The links; the shell keeps the chosen trace and days in them, as in the navigation."""
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
        id={"type": "nav", "path": address, "place": "tabs"},
        className="tab current" if path == current else "tab",
    )
