"""``import``: accounting data in, a report out."""

from pathlib import Path
from typing import Any

import click

import settings
from commands.options import json_option, map_option, trace_option
from commands.terminal import print_json


@click.group(name="import")
def import_command() -> None:
    """Bring in accounting data; each row is kept, flagged or rejected with a reason."""


@import_command.command(name="csv")
@click.argument("file", type=click.Path(path_type=Path))
@trace_option
@click.option("--cluster", required=True, help="Name of the cluster in the trace.")
@click.option(
    "--timezone",
    help="Time zone of the file's times, such as Asia/Shanghai; not needed where each has an offset.",
)
@map_option
@click.option(
    "--capacity",
    type=click.Path(path_type=Path),
    help="Capacity file: vc,nodes or vc,gpus, or GPUs by date and VC.",
)
@click.option("--gpus-per-node", default=8, show_default=True, help="GPUs of a whole node.")
@click.option(
    "--ids-follow-submission",
    is_flag=True,
    help="Among equal submit times, smaller numeric job ids came first.",
)
@json_option
def import_csv(
    file: Path,
    trace: str,
    cluster: str,
    timezone: str | None,
    mapped: dict[str, str],
    capacity: Path | None,
    gpus_per_node: int,
    ids_follow_submission: bool,
    as_document: bool,
) -> None:
    """Import FILE, a table with one row per job (CSV, .gz or parquet)."""
    from traces import csv_table

    read = csv_table.read(
        file,
        cluster,
        timezone,
        mapped=mapped,
        capacity=capacity,
        gpus_per_node=gpus_per_node,
        ids_follow_submission=ids_follow_submission,
    )
    _publish(trace, timezone or "UTC", [read], as_document)


@import_command.command(name="helios")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--trace", default="helios", show_default=True, help="Name of the trace.")
@json_option
def import_helios(path: Path, trace: str, as_document: bool) -> None:
    """Import the public Helios release: PATH is a cluster's folder, the data folder, or data.zip."""
    from traces import helios

    _publish(trace, helios.TIMEZONE, helios.read(path), as_document)


@import_command.command(name="nodes")
@click.argument("file", type=click.Path(path_type=Path))
@trace_option
@click.option("--cluster", required=True, help="Name of the cluster in the trace.")
@click.option(
    "--timezone", help="Time zone of the file's times; the trace's own, or UTC, where none is given."
)
@map_option
@json_option
def import_nodes(
    file: Path, trace: str, cluster: str, timezone: str | None, mapped: dict[str, str], as_document: bool
) -> None:
    """Import FILE, a series of node counts: time,used,total."""
    from traces import node_series
    from traces.catalog import Catalog

    catalog = Catalog(settings.current().data)
    own = catalog.manifest(trace)["timezone"] if trace in catalog.names() else "UTC"
    zone = timezone or own
    _publish(trace, zone, [node_series.read(file, cluster, zone, mapped=mapped)], as_document)


def _publish(trace: str, timezone: str, imports: Any, as_document: bool) -> None:
    """Publish what was read, and print each cluster's report."""
    from traces import store

    imported = list(imports)
    manifest = store.publish(settings.current().data, trace, timezone, imported)
    reports = [_report(manifest, each.cluster) for each in imported]
    if as_document:
        print_json(reports[0] if len(reports) == 1 else {"trace": trace, "clusters": reports})
        return
    for report in reports:
        _say_report(report)


def _report(manifest: dict[str, Any], cluster: str) -> dict[str, Any]:
    return {"trace": manifest["trace"], "cluster": cluster} | manifest["clusters"][cluster]["report"]


def _say_report(report: dict[str, Any]) -> None:
    click.echo(
        f"{report['trace']} / {report['cluster']}: "
        f"read {report['rows_read']:,} rows, kept {report['rows_kept']:,}"
    )
    for kind in ("flagged", "rejected"):
        for reason, rows in report[f"rows_{kind}"].items():
            click.echo(f"  {kind}: {rows:,} {reason.replace('_', ' ')}")
    for example in report["rejected_examples"][:5]:
        click.echo(
            f"  line {example['line']}: {example['reason'].replace('_', ' ')}: {example['text'][:80]!r}"
        )
    if report["first_submit"]:
        click.echo(f"  submitted {report['first_submit']} to {report['last_submit']}")
    for note in report["notes"]:
        click.echo(f"  {note}")
