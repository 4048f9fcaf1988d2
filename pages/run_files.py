"""A run's tables as CSV files, at addresses that scripts can fetch too: ``/runs/<id>/<table>.csv``."""

from collections.abc import Iterator
from typing import Any

import dash
import pandas as pd
from flask import Response

from pages import run_users
from pages.run_links import TABLES
from runs import RunError, queue

#: Rows that are turned into text at a time.
CHUNK = 20_000
#: What is no number of a plan: its settings and what has a table of its own.
PLAN_LISTS = ("scenario", "asked", "curve")


def chunks(table: pd.DataFrame) -> Iterator[str]:
    """The table as CSV in pieces: unrounded, times in UTC, unknown is empty."""
    yield table.iloc[:0].to_csv(index=False)
    for start in range(0, len(table), CHUNK):
        yield table.iloc[start : start + CHUNK].to_csv(index=False, header=False)


def run_table(run_id: str, name: str) -> pd.DataFrame:
    """A table of a finished run; ``results`` are its numbers, one row per policy, cluster and VC.

    Raises:
        RunError: no such run, it has no result, or no table of that name.
    """
    store = queue.store()
    run, document = store.get(run_id), store.result(run_id)
    if name not in TABLES[run.kind]:
        raise RunError(f"Run {run_id} has no table {name!r}; it has {', '.join(TABLES[run.kind])}.")
    if name == "results" and run.kind != "sweep":
        return pd.json_normalize(_numbers(run.kind, document), sep="_")
    return _with_shown_users(store.table(run_id, name), str(run.scenario["trace"]))


def _numbers(kind: str, document: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a result's document: one per policy, cluster and VC, or the only one."""
    if kind == "scheduling":
        return list(document["results"])
    if kind == "plan":
        return [{name: value for name, value in document.items() if name not in PLAN_LISTS}]
    return [document["result"] or {}]


def _with_shown_users(table: pd.DataFrame, trace: str) -> pd.DataFrame:
    """The table with its users as visitors may see them."""
    return table.assign(user=run_users.shown(table["user"], trace)) if "user" in table else table


def serve_table(run_id: str, name: str) -> Response:
    """The answer to a request for a table: the file, or 404 with the reason."""
    try:
        table = run_table(run_id, name)
    except RunError as error:
        return Response(str(error), 404, mimetype="text/plain")
    disposition = f'attachment; filename="heliograph-{run_id}-{name}.csv"'
    return Response(chunks(table), mimetype="text/csv", headers={"Content-Disposition": disposition})


def register() -> None:
    """Serve the tables from the app that the pages belong to."""
    rule = dash.get_relative_path("/runs/<run_id>/<name>.csv")
    dash.get_app().server.add_url_rule(rule, "run_table", serve_table)
