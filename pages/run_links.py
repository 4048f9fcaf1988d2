"""Addresses that lead from a run: to itself, to the form with its settings, to its tables."""

from typing import Any
from urllib.parse import quote

from dash import dcc, get_relative_path, html

from pages.energy_scenario import energy_query
from pages.plan_scenario import plan_query
from pages.replay_scenario import replay_query
from pages.sweep_scenario import sweep_query
from runs.store import Run

#: Kind of run → its page, its settings as an address, and its tables by the name of their CSV file.
PAGES = {
    "scheduling": "/scheduling",
    "sweep": "/scheduling/sweep",
    "plan": "/scheduling/plan",
    "energy": "/energy",
}
QUERIES = {"scheduling": replay_query, "sweep": sweep_query, "plan": plan_query, "energy": energy_query}
TABLES = {
    "scheduling": {"results": "results", "jobs": "jobs", "series": "load over time"},
    "sweep": {"results": "results"},
    "plan": {"results": "answer", "curve": "curve"},
    "energy": {"results": "results", "slots": "slots", "outlook": "outlook", "backtest": "backtest"},
}


def run_path(run_id: str) -> str:
    """The address of a run on this server."""
    return get_relative_path(f"/runs/{run_id}")


def csv_path(run_id: str, table: str) -> str:
    """The address of one of its tables as CSV."""
    return get_relative_path(f"/runs/{run_id}/{table}.csv")


def settings_path(run: Run) -> str:
    """The address of the form, filled with the run's settings."""
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in QUERIES[run.kind](run.scenario))
    return f"{get_relative_path(PAGES[run.kind])}?{query}"


def settings_link(run: Run, text: str) -> dcc.Link:
    """A link to the form, filled with the run's settings."""
    return dcc.Link(text, href=settings_path(run), className="link")


def csv_links(run: Run) -> html.Span:
    """Links to the run's tables as CSV files."""
    links: list[Any] = []
    for name, title in TABLES[run.kind].items():
        file_name = f"heliograph-{run.id}-{name}.csv"
        links += [html.A(title, href=csv_path(run.id, name), className="link", download=file_name), " · "]
    return html.Span(["CSV: ", *links[:-1]], className="csv-links")
