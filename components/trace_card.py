"""One stored trace with its import report: what was read, kept, flagged, rejected, and what is known."""

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from components.numbers import count, listing, plural, size
from components.page_frame import facts

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


def trace_card(
    manifest: Mapping[str, Any],
    spans: Mapping[str, str],
    href: str,
    rejects: Mapping[str, str] | None = None,
) -> html.Section:
    """A trace from its manifest; ``spans`` is each cluster's time span as text, ``href`` shows the trace.

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
        f"time zone {manifest['timezone']} · imported {str(manifest['created'])[:10]}"
    )
    return html.Section(
        [
            html.Div(
                [html.H2([trace, " ", *badge]), html.Div(actions, className="card-actions always")],
                className="card-heading",
            ),
            html.P(summary, className="note"),
            html.Div(_clusters(manifest["clusters"], spans), className="table-scroll"),
            *(
                cluster_report(name, cluster, (rejects or {}).get(name))
                for name, cluster in manifest["clusters"].items()
            ),
        ],
        className="card trace-card",
        **{"aria-label": f"Trace {trace}"},
    )


def cluster_report(name: str, cluster: Mapping[str, Any], rejects: str | None = None) -> html.Details:
    """A cluster's import report, folded away under its name, with the address of its rejected rows."""
    report = cluster["report"]
    known = [words for fact, words in KNOWN.items() if cluster.get(fact)]
    unknown = [words for fact, words in KNOWN.items() if not cluster.get(fact)]
    pairs = [
        ("Source", _sources(cluster)),
        ("Its source has", listing(known) or "only submissions"),
        ("Not in its source", listing(unknown) or "nothing is missing"),
        ("Flagged", _reasons(report["rows_flagged"])),
        ("Rejected", _reasons(report["rows_rejected"])),
        *([("GPUs per node", count(cluster["gpus_per_node"]))] if cluster.get("gpus_per_node") else []),
        *(("Note", note) for note in report.get("notes", ())),
    ]
    return html.Details(
        [
            html.Summary(f"Import report of {name}"),
            facts(pairs),
            *_examples(report.get("rejected_examples") or []),
            *(
                [html.A("All rejected rows (CSV)", href=rejects, className="link", download="")]
                if rejects
                else []
            ),
        ],
        className="report",
    )


def _clusters(clusters: Mapping[str, Any], spans: Mapping[str, str]) -> dmc.Table:
    head = ["Cluster", "Format", "Rows read", "Kept", "Flagged", "Rejected", "Submissions", "Capacity"]
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
                spans[name],
                capacity,
            ]
        )
    return dmc.Table(data={"head": head, "body": body}, className="data-table numeric-after-2")


def _sources(cluster: Mapping[str, Any]) -> str:
    return listing(
        [
            f"{file['name']} ({size(file['bytes'])}, SHA-256 {str(file['sha256'])[:12]}…)"
            for file in cluster["source"]
        ]
    )


def _reasons(reasons: Mapping[str, int] | None) -> str:
    if not reasons:
        return "no row"
    return ", ".join(f"{plural(rows, 'row')}: {reason.replace('_', ' ')}" for reason, rows in reasons.items())


def _examples(examples: list[Mapping[str, Any]]) -> list[html.Div]:
    if not examples:
        return []
    body = [[str(each["line"]), each["reason"].replace("_", " "), each["text"]] for each in examples]
    table = dmc.Table(data={"head": ["Line", "Why rejected", "The row"], "body": body})
    return [html.Div(table, className="table-scroll")]


def _action(label: str, kind: str, trace: str) -> dmc.Button:
    return dmc.Button(
        label,
        id={"type": kind, "trace": trace},
        size="compact-xs",
        variant="subtle",
        color="gray",
        n_clicks=0,
    )
