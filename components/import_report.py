"""The report of an import or of a check: what was read, kept, flagged and rejected, and what that changes."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import html

from components.cards import result_card, result_cards
from components.numbers import GPU_H, count, duration, minute, percent, plural
from components.page_frame import facts
from components.tables import aligned

CHANGES = {  # of the rows that were kept
    "added": "new",
    "updated": "updated",
    "unchanged": "there already",
    "older": "older than what is stored",
}


def import_report(report: Mapping[str, Any]) -> html.Section:
    """The report of one cluster, as ``traces.intake`` gives it."""
    return html.Section(
        [
            html.H2(f"{report['cluster']}"),
            _cards(report),
            facts(_facts(report)),
            *effects_table(report),
            *examples_table(report),
            *_notes(report["notes"]),
        ],
        className="card import-report",
        **{"aria-label": f"Report of {report['cluster']}"},
    )


def _cards(report: Mapping[str, Any]) -> html.Div:
    read, kept = report["rows_read"], report["rows_kept"]
    rejected = sum(report["rows_rejected"].values())
    flagged = sum(effect["rows"] for effect in report["effects"] if effect["outcome"] == "flagged")
    headline = report["headline"]
    jobs = "" if headline is None else f"{plural(headline['gpu_jobs'], 'job')} with GPUs"
    hours = None if headline is None else headline["gpu_hours"]
    share = f"{percent(kept / read)} of {plural(read, 'row')}" if read else "no row"
    return result_cards(
        [
            result_card("Rows kept", count(kept), detail=share),
            result_card("Flags", count(flagged), detail="kept, and marked with the reason"),
            result_card(
                "Rows rejected",
                count(rejected),
                detail="each with its line and reason" if rejected else "every row could be used",
                tone="bad" if rejected else "good",
            ),
            *(
                [result_card("GPU time", count(round(hours, 1)), GPU_H, detail=jobs)]
                if hours is not None
                else []
            ),
        ]
    )


def _facts(report: Mapping[str, Any]) -> list[tuple[str, Any]]:
    zone = report["timezone"]
    pairs: list[tuple[str, Any]] = []
    if report["first_submit"]:
        first, last = (minute(pd.Timestamp(report[key][:-1])) for key in ("first_submit", "last_submit"))
        pairs.append(("From – to", f"{first} – {last} UTC"))
    pairs.append(("Times read in", zone or "the offset that each time has"))
    if "changes" in report:
        said = [f"{count(rows)} {CHANGES.get(what, what)}" for what, rows in report["changes"].items()]
        pairs.append(("Against what is stored", ", ".join(said)))
    gaps = report["gaps"]["longest"]
    pairs += [("Nothing submitted", _gap(gap)) for gap in gaps[:5]]
    return pairs


def _gap(gap: Mapping[str, Any]) -> str:
    first, last = (minute(pd.Timestamp(gap[key][:-1])) for key in ("from", "to"))
    return f"{first} – {last} UTC ({duration(gap['duration_s'])})"


def effects_table(report: Mapping[str, Any]) -> list[Any]:
    """The rows that each rule of an import concerns, and their GPU-hours against those of all kept rows."""
    effects, rows_read = report.get("effects") or [], report["rows_read"]
    whole = (report.get("headline") or {}).get("gpu_hours") or 0.0
    if not effects:
        return []
    body = [
        [
            effect["outcome"],
            effect["reason"].replace("_", " "),
            count(effect["rows"]),
            percent(effect["rows"] / rows_read, 2) if rows_read else "—",
            *_gpu_hours(effect["gpu_hours"], whole),
        ]
        for effect in effects
    ]
    head = ["Outcome", "Reason", "Rows", "Of all rows", "GPU-hours", "Of the headline’s"]
    table = dmc.Table(data={"head": head, "body": body}, className=aligned([True, True] + [False] * 4))
    sentence = "Flagged rows are in the headline numbers; what is rejected would come on top of them."
    return [
        html.H3("What each rule did"),
        html.P(sentence, className="note"),
        html.Div(table, className="table-scroll"),
    ]


def _gpu_hours(hours: float | None, whole: float) -> tuple[str, str]:
    if hours is None:
        return "unknown", "unknown"
    return count(round(hours, 1)), percent(hours / whole, 2) if whole else "—"


def examples_table(report: Mapping[str, Any]) -> list[Any]:
    """The rejected rows that a report has, each with its line, its reason and what is there."""
    examples, rejected = report.get("rejected_examples") or [], report["rows_rejected"]
    if not examples:
        return []
    several = any("source" in each for each in examples)
    head = [*(["File"] if several else []), "Line", "Why rejected", "What is there"]
    rows = []
    for each in examples:
        cells = [count(each["line"]), each["reason"].replace("_", " "), html.Code(each["text"][:120])]
        rows.append(
            html.Tr([html.Td(cell) for cell in ([each.get("source", "")] if several else []) + cells])
        )
    known, all_rows = len(examples), sum(rejected.values())
    title = "Rejected rows" + (f", the first {known} of {count(all_rows)}" if known < all_rows else "")
    table = html.Table(
        [html.Thead(html.Tr([html.Th(name) for name in head])), html.Tbody(rows)],
        className="plain-table examples",
    )
    return [html.H3(title), html.Div(table, className="table-scroll")]


def _notes(notes: Sequence[str]) -> list[Any]:
    if not notes:
        return []
    return [html.Ul([html.Li(note) for note in notes], className="result-notes")]
