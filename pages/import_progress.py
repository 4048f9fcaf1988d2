"""How an import stands on its page: what the worker does, the report of a check, a publication."""

import time
from typing import Any

from dash import get_relative_path, html

import settings
from components.filters import Filters
from components.import_report import import_report
from components.import_status import failed, published, to_publish, working
from components.numbers import inflected, listing, percent, plural
from pages.import_routes import checked_rejects_path, rejects_file, rejects_path
from runs import import_fields, importing
from runs.store import Run
from traces.catalog import Catalog


def step_sentence(run: Run) -> str:
    """What the worker is doing for an import."""
    waited_s = time.time() - run.created
    if run.state == "queued":
        started = "" if waited_s < 10 else " If none is running, start one: heliograph worker."
        return f"Waiting for the worker.{started}"
    share = f" · {percent(run.progress)}" if run.progress else ""
    return f"{run.step or 'Starting'}{share} · {waited_s:.0f} s"


def in_work(run: Run, can_be_cancelled: bool = True) -> html.Div:
    """An import that waits or runs, with how far it has come."""
    return working(step_sentence(run), run.progress, can_be_cancelled)


def outcome(run: Run) -> Any:
    """What stands in the place of a check or a publication that has ended."""
    if run.state != "done":
        sentence = (
            import_fields.placed(run.error)[1] if run.error else "It was stopped; nothing was published."
        )
        return failed(run.scenario["step"], sentence)
    reports = importing.store().result(run.id)["reports"]
    sections = [import_report(report) for report in reports]
    trace = reports[0]["trace"]
    if run.scenario["step"] == "check":
        clusters = [report["cluster"] for report in reports]
        rejected = sum(sum(report["rows_rejected"].values()) for report in reports)
        losing = replaced(run, trace, clusters)
        return [to_publish(trace, clusters, losing, checked_rejects_path(run.id), rejected), *sections]
    overview = get_relative_path("/") + Filters(trace=trace).query_string()
    rejects = {
        report["cluster"]: rejects_path(trace, report["cluster"])
        for report in reports
        if trace in Catalog(settings.current().data).names() and rejects_file(trace, report["cluster"])
    }
    return [published(trace, overview, get_relative_path("/traces"), rejects), *sections]


def replaced(run: Run, trace: str, clusters: list[str]) -> list[str]:
    """The clusters whose stored jobs a publication would replace."""
    catalog = Catalog(settings.current().data)
    scenario = run.scenario
    if scenario["adds"] or scenario["format"] == "nodes" or trace not in catalog.names():
        return []
    if scenario["format"] == "slurm" and not scenario["starts_over"]:
        return []
    stored = catalog.manifest(trace)["clusters"]
    return [cluster for cluster in clusters if cluster in stored]


def answer(look: Run, work: Run | None) -> str:
    """The sentence under the question."""
    if work is not None and work.state == "done":
        reports = importing.store().result(work.id)["reports"]
        kept, read = (sum(report[key] for report in reports) for key in ("rows_kept", "rows_read"))
        clusters = listing([report["cluster"] for report in reports])
        done = "would become"
        if work.scenario["step"] == "publish":
            done = f"{inflected(kept, 'is', 'are')} now"
        of = f"{inflected(len(reports), 'cluster')} {clusters} of trace {reports[0]['trace']}"
        return f"{kept:,} of {plural(read, 'row')} {done} {of}."
    if look.state != "done":
        return look.error
    return "Say what the file does not say, then check it."
