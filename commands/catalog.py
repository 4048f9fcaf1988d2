"""``traces``: what is imported, under which name."""

import click

import settings
from commands.options import json_option
from commands.terminal import print_json


@click.group(name="traces", invoke_without_command=True)
@json_option
@click.pass_context
def traces_command(context: click.Context, as_document: bool) -> None:
    """List, rename or delete traces."""
    if context.invoked_subcommand is None:
        _list_traces(as_document)


def _list_traces(as_document: bool) -> None:
    from traces.catalog import Catalog

    manifests = Catalog(settings.current().data).manifests()
    if as_document:
        print_json({"traces": manifests})
        return
    if not manifests:
        click.echo("No traces yet: heliograph demo makes one, heliograph import brings in yours.")
    for manifest in manifests:
        note = ", generated" if manifest["generated"] else ""
        click.echo(f"{manifest['trace']}  ({manifest['timezone']}{note})")
        for name, cluster in manifest["clusters"].items():
            report = cluster["report"]
            click.echo(
                f"  {name}: {report['rows_kept']:,} rows, {report['first_submit']} to {report['last_submit']}"
            )


@traces_command.command()
@click.argument("trace")
@click.argument("new_name")
@json_option
def rename(trace: str, new_name: str, as_document: bool) -> None:
    """Give a trace another name; runs that used it stay readable."""
    from traces.catalog import Catalog

    Catalog(settings.current().data).rename(trace, new_name)
    print_json({"renamed": trace, "trace": new_name}) if as_document else click.echo(
        f"{trace} is now called {new_name}."
    )


@traces_command.command()
@click.argument("trace")
@json_option
def delete(trace: str, as_document: bool) -> None:
    """Remove a trace; runs that used it stay readable."""
    from traces.catalog import Catalog

    Catalog(settings.current().data).delete(trace)
    print_json({"deleted": trace}) if as_document else click.echo(f"{trace} is deleted.")
