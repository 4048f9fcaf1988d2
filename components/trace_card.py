"""One stored trace with its import report: what was read, kept, flagged, rejected, and what is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import pandas as pd
from dash import dcc, html

from components.import_report import CHANGES, effects_table, examples_table
from components.numbers import count, day, listing, plural, size
from components.page_frame import facts
from components.tables import aligned

#: Facts of a cluster's manifest as people say them.
KNOWN = {
    "has_start": "start times",
    "has_end": "end times",
    "has_state": "final states",
    "has_user": "users",
    "has_vc": "virtual clusters",
    "has_job_name": "job names",
    "has_capacity": "capacity (GPUs per VC)",
    "has_series": "a node series",
}
HEAD = ["Cluster", "Format", "Rows read", "Kept", "Flagged", "Rejected", "Submissions", "Capacity"]
#: Columns that hold no number.
TEXTS = ("Cluster", "Format", "Submissions", "Capacity")
SHOWN_SOURCES = 3


@dataclass(frozen=True)
class ClusterTimes:
    """Times of a cluster as text: first and last day, the latest instant that is covered, and its gaps.

    `gaps` are the longest of `gap_count`, the stretches in which nothing was submitted.
    """

    span: str
    until: str = ""
    gaps: Sequence[str] = ()
    gap_count: int = 0


def trace_card(
    manifest: Mapping[str, Any],
    times: Mapping[str, ClusterTimes],
    href: str,
    rejects: Mapping[str, str] | None = None,
) -> html.Section:
    """A trace from its manifest; ``times`` are those of each cluster, ``href`` shows the trace.

    ``rejects`` are the addresses of the clusters' rejected rows, where there are any.
    """
    trace = manifest["trace"]
    badge = [dmc.Badge("generated", variant="light", size="sm")] if manifest["generated"] else []
    actions = [
        dcc.Link("Open", href=href, className="link action"),
        _action("Rename", "trace-rename", trace),
        _action("Delete", "trace-delete", trace),
    ]
    jobs = sum(cluster["report"]["rows_kept"] or 0 for cluster in manifest["clusters"].values())
    summary = (
        f"{plural(len(manifest['clusters']), 'cluster')} · {plural(jobs, 'job')} · "
        f"time zone {manifest['timezone']} · imported {_day(manifest['created'])}"
    )
    return html.Section(
        [
            html.Div(
                [html.H2([trace, " ", *badge]), html.Div(actions, className="card-actions always")],
                className="card-heading",
            ),
            html.P(summary, className="note"),
            html.Div(_clusters(manifest["clusters"], times), className="table-scroll"),
            *(
                cluster_report(name, cluster, times[name], (rejects or {}).get(name))
                for name, cluster in manifest["clusters"].items()
            ),
        ],
        className="card trace-card",
        **{"aria-label": f"Trace {trace}"},
    )


def cluster_report(
    name: str, cluster: Mapping[str, Any], times: ClusterTimes, rejects: str | None = None
) -> html.Details:
    """A cluster's import report, folded away under its name, with the address of its rejected rows."""
    report = cluster["report"]
    known = [words for fact, words in KNOWN.items() if cluster.get(fact)]
    unknown = [words for fact, words in KNOWN.items() if not cluster.get(fact)]
    pairs = [
        ("Source", _sources(cluster["source"])),
        *([("Covered until", times.until)] if times.until else []),
        *_latest(cluster.get("latest")),
        *([("Gaps", _gaps(times))] if times.until else []),
        *_headline(report.get("headline")),
        ("Its source has", listing(known) or "only submissions"),
        ("Not in its source", listing(unknown) or "nothing is missing"),
        *([] if report.get("effects") else _outcomes(report)),
        *([("GPUs per node", count(cluster["gpus_per_node"]))] if cluster.get("gpus_per_node") else []),
        *(("Note", note) for note in report.get("notes", ())),
    ]
    return html.Details(
        [
            html.Summary(f"Import report of {name}"),
            facts(pairs),
            *effects_table(report),
            *examples_table(report),
            *(
                [html.A("All rejected rows (CSV)", href=rejects, className="link", download="")]
                if rejects
                else []
            ),
        ],
        className="report",
    )


def _clusters(clusters: Mapping[str, Any], times: Mapping[str, ClusterTimes]) -> dmc.Table:
    body = []
    for name, cluster in clusters.items():
        report = cluster["report"]
        numbers = [report["rows_read"], report["rows_kept"]]
        reasons = [sum((report[key] or {}).values()) for key in ("rows_flagged", "rows_rejected")]
        capacity = "known" if cluster.get("has_capacity") else "not known"
        body.append(
            [
                name,
                cluster["format"],
                *(count(number) for number in (*numbers, *reasons)),
                times[name].span,
                capacity,
            ]
        )
    return dmc.Table(data={"head": HEAD, "body": body}, className=aligned([title in TEXTS for title in HEAD]))


def _sources(files: Sequence[Mapping[str, Any]]) -> str:
    shown = [
        f"{file['name']} ({size(file['bytes'])}, SHA-256 {str(file['sha256'])[:12]}…)"
        for file in files[:SHOWN_SOURCES]
    ]
    rest = len(files) - SHOWN_SOURCES
    return f"{', '.join(shown)} and {count(rest)} more" if rest > 0 else listing(shown)


def _gaps(times: ClusterTimes) -> str:
    if not times.gap_count:
        return "none: no stretch without a submission is unusually long"
    rest = times.gap_count - len(times.gaps)
    return (
        "nothing submitted " + "; ".join(times.gaps) + (f"; and {count(rest)} shorter ones" if rest else "")
    )


def _headline(headline: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    if not headline:
        return []
    unknown = headline["jobs_without_gpu_hours"]
    less = f"; of {plural(unknown, 'job')} they are unknown" if unknown else ""
    jobs = f"{plural(headline['jobs'], 'job')}, {count(headline['gpu_jobs'])} with GPUs"
    return [("Headline", f"{jobs}, {count(round(headline['gpu_hours'], 1))} GPU-hours{less}")]


def _latest(latest: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """What the last import has added, where imports add."""
    if not latest:
        return []
    said = [f"{count(latest[name])} {words}" for name, words in CHANGES.items() if name in latest]
    return [("Last import", f"{_day(latest['imported'])}: {', '.join(said)}")]


def _day(instant: str) -> str:
    """The day, in UTC, of a manifest's instant."""
    return day(pd.Timestamp(instant))


def _outcomes(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("Flagged", _reasons(report["rows_flagged"])),
        ("Rejected", _reasons(report["rows_rejected"])),
    ]


def _reasons(reasons: Mapping[str, int] | None) -> str:
    if not reasons:
        return "no row"
    return ", ".join(f"{plural(rows, 'row')}: {reason.replace('_', ' ')}" for reason, rows in reasons.items())


def _action(label: str, kind: str, trace: str) -> dmc.Button:
    return dmc.Button(
        label,
        id={"type": kind, "trace": trace},
        size="compact-xs",
        variant="subtle",
        color="gray",
        n_clicks=0,
    )
