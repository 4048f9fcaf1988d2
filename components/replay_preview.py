"""The preview of a scheduling what-if: what the form's settings give, at once, while they change."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from components.chart_card import chart_card
from components.notices import empty
from components.numbers import NBSP, plural
from components.policies import policy_label
from components.tables import Column, data_table

CARD = "replay-preview"
ASK, ANSWERED = "replay-preview-ask", "replay-preview-answered"
PLACE, TOTALS = "replay-preview-place", "replay-preview-totals"
CHART_PX = 220
METHOD = (
    "The replay of the form's settings, done by the page while they change: all jobs together, jobs of one "
    "second in the order of the trace. Nothing is stored. The stored replay gives the same numbers, also by "
    "virtual cluster, and has an address of its own."
)
COLUMNS = (
    Column("policy_title", "Policy"),
    Column("avg_jct_s", "Average JCT", "duration"),
    Column("avg_queueing_delay_s", "Average queueing", "duration"),
    Column("p95_queueing_delay_s", "Queueing, p95", "duration"),
    Column("queued_jobs", "Waited", "count"),
    Column("rejected_jobs", "Rejected", "count"),
    Column("gpu_utilization", "Utilization", "percent"),
)


SWITCHED_OFF = "Previews are switched off (HELIOGRAPH_REPLAY_JOBS_IN_WEB is 0); press Replay."


def nothing() -> html.Div:
    """What stands in the chart's place where no job ran."""
    return empty("No job ran, so nobody waited.")


def preview_place(known: str | None = None) -> html.Div:
    """Where the preview stands; hidden until the form says something else than the address ``known``."""
    return html.Div(
        [
            dcc.Store(id=ASK, data=known and {"address": known, "time": 0}),
            dcc.Store(id=ANSWERED, data=known),
            html.Div(id=TOTALS, className="preview-totals"),
            chart_card(CARD, "Queueing delay with these settings", method=METHOD, height=CHART_PX),
        ],
        id=PLACE,
        className="preview hidden",
    )


def totals_card(rows: Sequence[Mapping[str, Any]], sentences: Sequence[str]) -> Component:
    """The policies beside each other, and what to know about them."""
    table = [data_table(pd.DataFrame(rows).assign(policy_title=_titles(rows)), COLUMNS)] if rows else []
    said = [html.P(sentence, className="note") for sentence in sentences]
    return html.Section(
        [html.H2("With these settings"), *said, *table], className="card", **{"aria-label": "Preview"}
    )


def _titles(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [policy_label(row["policy"]) for row in rows]


def speed_sentence(rows: Sequence[Mapping[str, Any]], elapsed_s: float) -> str:
    """How many jobs were replayed under how many policies, and in what time."""
    jobs = rows[0]["jobs"] if rows else 0
    policies = plural(len(rows), "policy", "policies")
    took = f"{max(round(1000 * elapsed_s), 1):,}{NBSP}ms"
    return f"{plural(jobs, 'GPU job')} under {policies}, replayed in {took}; not stored."


def unfitted_sentence(policies: Sequence[str]) -> str:
    """Which policies are left out because their estimates are not fitted yet; empty where none is."""
    if not policies:
        return ""
    names = ", ".join(policy_label(each) for each in policies)
    verb = "waits" if len(policies) == 1 else "wait"
    return f"{names} {verb} for estimates that are not fitted yet; Replay makes them."


def too_large_sentence(replays: int, most: int) -> str:
    """Why there is no preview."""
    return (
        f"No preview: these settings are worth {replays:,} plain job replays, more than the {most:,} that a "
        "page does itself. Choose fewer days, virtual clusters or policies, or press Replay."
    )
