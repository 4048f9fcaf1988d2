"""``fetch``: download a public release."""

from pathlib import Path

import click

import settings
from commands.options import json_option
from commands.terminal import print_json, say


@click.group(name="fetch")
def fetch_command() -> None:
    """Download a public release; import it afterwards."""


@fetch_command.command(name="helios")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    help="File to write; <data>/downloads/data.zip if none.",
)
@click.option("--url", help="Where to fetch it from in place of HELIOGRAPH_HELIOS_URL.")
@click.option("--sha256", help="Refuse the file unless it has this SHA-256.")
@json_option
def fetch_helios(target: Path | None, url: str | None, sha256: str | None, as_document: bool) -> None:
    """Download HeliosData (36 MB), going on where an earlier attempt stopped."""
    from traces.fetch import Release, fetch

    knobs = settings.current()
    release = Release(url or knobs.helios_url, sha256=sha256 or knobs.helios_sha256 or None)
    file = fetch(release, target or knobs.data / "downloads" / "data.zip", _show)
    if as_document:
        print_json({"file": str(file), "bytes": file.stat().st_size})
        return
    click.echo(f"{file} ({file.stat().st_size:,} bytes). Import it: heliograph import helios {file}")


def _show(done: int, total: int | None) -> None:
    if total:
        say(done / total, f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB")
    else:
        say(0.0, f"{done / 1e6:,.1f} MB")
