"""``import`` and ``check``: accounting data in, a report out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import settings
from commands.options import json_option, map_option
from commands.terminal import print_json, say

SOURCE = click.Path(path_type=Path, allow_dash=True)


def trace_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The name of the trace; some formats have a usual one."""
    text = "Name of the trace; a new one, or one to add the cluster to. Slurm and Helios have a usual one."
    return click.option("--trace", help=text)(command)


def cluster_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The name of the cluster, where the source does not say it."""
    return click.option("--cluster", help="Name of the cluster, where the source does not say it.")(command)


def timezone_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The site's time zone, and that of the file where it is another."""
    site = "The site's time zone, such as Asia/Shanghai; needed where the file's times have no offset."
    file = "Time zone of the times in the file where it is not the site's; UTC for the extract we recommend."
    command = click.option("--file-timezone", help=file)(command)
    return click.option("--timezone", help=site)(command)


def capacity_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The capacity file and the size of a node."""
    kinds = "vc,nodes or vc,gpus, GPUs by date and VC, or the output of sinfo or scontrol show nodes."
    size = "GPUs of a whole node; 8 where neither this nor --capacity says it."
    command = click.option("--gpus-per-node", type=int, help=size)(command)
    return click.option("--capacity", type=click.Path(path_type=Path), help=f"Capacity: {kinds}")(command)


def vc_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The field of sacct that is the virtual cluster."""
    text = "Field of sacct that is the virtual cluster: Partition, QOS or Account."
    return click.option("--vc", "vc_field", default="Partition", show_default=True, help=text)(command)


def outcome_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What becomes of names and of earlier jobs."""
    replaces = "Forget the cluster's jobs and start over, instead of adding to them."
    hides = "Replace users and job names by stable hashes; the salt stays in the data folder."
    command = click.option("--replace", "start_over", is_flag=True, help=replaces)(command)
    return click.option("--pseudonymize", is_flag=True, help=hides)(command)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How a table of jobs is to be taken."""
    adds = "Add the jobs to those of the cluster, by job_id and submit_time, instead of replacing them."
    order = "Among equal submit times, smaller numeric job ids came first."
    command = click.option("--ids-follow-submission", is_flag=True, help=order)(command)
    return click.option("--add", "adds", is_flag=True, help=adds)(command)


def all_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every format, for a format that is recognized."""
    for each in (
        *(json_option, outcome_options, table_options, vc_option, capacity_options, map_option),
        *(timezone_options, cluster_option, trace_option),
    ):
        command = each(command)
    return command


@click.group(name="import")
def import_command() -> None:
    """Bring in accounting data; each row is kept, flagged or rejected with a reason."""


@import_command.command(name="auto")
@click.argument("path", type=SOURCE)
@all_options
def import_auto(path: Path, as_document: bool, **said: Any) -> None:
    """Recognize the format of PATH, say why, and import it."""
    _bring_in(path, None, as_document, said)


@import_command.command(name="slurm")
@click.argument("path", type=SOURCE)
@trace_option
@cluster_option
@timezone_options
@vc_option
@capacity_options
@outcome_options
@json_option
def import_slurm(path: Path, as_document: bool, **said: Any) -> None:
    """Add the jobs in PATH, output of sacct (a file, a folder of daily files, an archive, or - for stdin)."""
    _bring_in(path, "slurm", as_document, said)


@import_command.command(name="csv")
@click.argument("path", metavar="FILE", type=SOURCE)
@trace_option
@cluster_option
@timezone_options
@map_option
@capacity_options
@table_options
@outcome_options
@json_option
def import_csv(path: Path, as_document: bool, **said: Any) -> None:
    """Import FILE, a table with one row per job (CSV, .gz, .zip, parquet, or - for stdin)."""
    _bring_in(path, "csv", as_document, said)


@import_command.command(name="helios")
@click.argument("path", type=click.Path(path_type=Path))
@trace_option
@click.option("--pseudonymize", is_flag=True, help="Replace users by stable hashes.")
@json_option
def import_helios(path: Path, as_document: bool, **said: Any) -> None:
    """Import the public Helios release: PATH is a cluster's folder, the data folder, or data.zip."""
    _bring_in(path, "helios", as_document, said)


def public_trace(name: str, about: str) -> None:
    """A subcommand for a published trace: it knows its time zone, its columns and its usual name."""

    @import_command.command(name=name, help=about)
    @click.argument("path", type=SOURCE)
    @trace_option
    @cluster_option
    @capacity_options
    @click.option("--pseudonymize", is_flag=True, help="Replace users and job names by stable hashes.")
    @json_option
    def bring_in(path: Path, as_document: bool, **said: Any) -> None:
        _bring_in(path, name, as_document, said)


public_trace("philly", "Import Microsoft's Philly trace: PATH is cluster_job_log or its folder.")
public_trace("pai", "Import Alibaba's PAI trace of 2020: PATH is the folder or archive of its tables.")
public_trace(
    "openb", "Import Alibaba's openb trace of 2023: PATH is the pod list, or its folder with the node list."
)
public_trace(
    "spot", "Import Alibaba's spot trace of 2026: PATH is the job list, or its folder with the node list."
)
public_trace("acme", "Import a cluster of the Acme trace: PATH is its CSV file.")


@import_command.command(name="swf")
@click.argument("path", metavar="FILE", type=SOURCE)
@trace_option
@cluster_option
@click.option("--timezone", help="The site's time zone; the header's where none is given.")
@click.option("--processors-are-gpus", is_flag=True, help="The processors of the file are GPUs, not CPUs.")
@capacity_options
@json_option
def import_swf(path: Path, as_document: bool, **said: Any) -> None:
    """Import FILE, a workload in the Standard Workload Format."""
    _bring_in(path, "swf", as_document, said)


@import_command.command(name="nodes")
@click.argument("path", metavar="FILE", type=SOURCE)
@trace_option
@cluster_option
@timezone_options
@map_option
@json_option
def import_nodes(path: Path, as_document: bool, **said: Any) -> None:
    """Import FILE, a series of node counts: time,used,total."""
    _bring_in(path, "nodes", as_document, said)


@click.command()
@click.argument("path", type=SOURCE)
@click.option("--format", "format_", help="Format of PATH; recognized where none is given.")
@click.option(
    "--rejects",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A CSV file to write all rejected rows to: cluster, source, line, reason, text.",
)
@all_options
def check(path: Path, format_: str | None, rejects: Path | None, as_document: bool, **said: Any) -> None:
    """Read PATH and give the report of an import, with nothing published."""
    from traces import intake

    def reports_of(root: Path, plan: intake.Plan) -> list[dict[str, Any]]:
        found = intake.check(root, plan)
        if rejects is not None:
            found.rejects.to_csv(rejects, index=False)
        return found.reports

    _bring_in(path, format_, as_document, said, reports_of)


def _bring_in(
    path: Path,
    format_: str | None,
    as_document: bool,
    said: dict[str, Any],
    work: Callable[[Path, Any], list[dict[str, Any]]] | None = None,
) -> None:
    """Import `path`, or do other `work` with its plan, and print each cluster's report."""
    from traces import inputs, intake

    with inputs.spooled(path) as source:
        recognition = None if format_ else intake.recognized(source)
        plan = _plan(source, format_ or (recognition.format if recognition else ""), said)
        if recognition and not as_document:
            click.echo(f"{source.name} is {recognition.format}: {recognition.why}.")
        with _progress(f"Reading {source.name}"):
            reports = (work or intake.publish)(settings.current().data, plan)
    if as_document:
        named = {"format": recognition.format, "why": recognition.why} if recognition else {}
        whole = reports[0] if len(reports) == 1 else {"trace": reports[0]["trace"], "clusters": reports}
        print_json(named | whole)
        return
    for report in reports:
        _say_report(report)


@contextmanager
def _progress(first: str) -> Iterator[None]:
    """Tell people how far the work in the block has come, and leave the line when it ends."""
    from traces import progress

    say(0.0, first)
    end = "Stopped"
    try:
        with progress.heard_by(say):
            yield
        end = "Done"
    finally:
        say(1.0, end)


def _plan(path: Path, format_: str, said: dict[str, Any]) -> Any:
    from traces.formats import Wishes
    from traces.intake import Plan

    trace = said.pop("trace")
    how = {name: said.pop(name) for name in ("pseudonymize", "start_over") if name in said}
    return Plan(path, format_, Wishes(**said), trace, **how)


def _say_report(report: dict[str, Any]) -> None:
    click.echo(
        f"{report['trace']} / {report['cluster']}: "
        f"read {report['rows_read']:,} rows, kept {report['rows_kept']:,}"
    )
    if "changes" in report:
        said = ", ".join(f"{rows:,} {what}" for what, rows in report["changes"].items())
        click.echo(f"  of these: {said}")
    for effect in report["effects"]:
        hours = "" if effect["gpu_hours"] is None else f" ({effect['gpu_hours']:,.1f} GPU-hours)"
        reason = effect["reason"].replace("_", " ")
        click.echo(f"  {effect['outcome']}: {effect['rows']:,} {reason}{hours}")
    for example in report["rejected_examples"][:5]:
        where = f"{example['source']}, line" if "source" in example else "line"
        reason = example["reason"].replace("_", " ")
        click.echo(f"  {where} {example['line']}: {reason}: {example['text'][:80]!r}")
    _say_span(report)
    for note in report["notes"]:
        click.echo(f"  {note}")


def _say_span(report: dict[str, Any]) -> None:
    if report["headline"]:
        numbers = report["headline"]
        jobs = f"{numbers['jobs']:,} jobs, {numbers['gpu_jobs']:,} with GPUs"
        click.echo(f"  {jobs}, {numbers['gpu_hours']:,.1f} GPU-hours")
    if report["first_submit"]:
        zone = f", times read in {report['timezone']}" if report["timezone"] else ""
        click.echo(f"  submitted {report['first_submit']} to {report['last_submit']}{zone}")
    for gap in report["gaps"]["longest"]:
        days = gap["duration_s"] / 86400
        click.echo(f"  nothing submitted from {gap['from']} to {gap['to']} ({days:.1f} days)")
