"""``demo``: a generated datacenter, calibrated to the published Helios statistics."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import settings
from commands.options import json_option
from commands.terminal import print_json, refuse, say

if TYPE_CHECKING:
    from traces.cluster_import import ClusterImport

NAME = "demo"
TIMEZONE = "Asia/Shanghai"
SCALE, SEED = 0.02, 2020


@click.command()
@click.option(
    "--scale", default=SCALE, show_default=True, help="Share of the nodes and jobs; time stays whole."
)
@click.option("--seed", default=SEED, show_default=True, help="The same seed gives the same trace.")
@click.option("--verify", is_flag=True, help="Compare the trace with the published statistics.")
@click.option(
    "--as",
    "export",
    type=(click.Choice(["helios", "philly"]), click.Path(path_type=Path)),
    help="Write the public format to this folder (helios) or file (philly) instead of publishing.",
)
@click.option("--size", default="0", help="With --as philly: repeat the jobs up to this size, such as 1GB.")
@json_option
def demo(
    scale: float, seed: int, verify: bool, export: tuple[str, Path] | None, size: str, as_document: bool
) -> None:
    """Generate the trace `demo`: four clusters, April to September 2020."""
    if export is not None:
        _export(*export, scale, seed, _bytes(size))
        return
    manifest = make(settings.current().data, scale, seed)
    statistics = _verified(settings.current().data, scale) if verify else []
    if as_document:
        print_json({"scale": scale, "seed": seed, "trace": NAME, "statistics": statistics})
        return
    for name, cluster in manifest["clusters"].items():
        click.echo(f"{name}: {cluster['report']['rows_kept']:,} jobs")
    for each in statistics:
        _say_statistic(each)


def _export(format_: str, target: Path, scale: float, seed: int, size_bytes: int) -> None:
    import scheduling
    from traces.demo import export, generate

    imports = _told(generate(scale, seed, replay=scheduling.replay))
    if format_ == "helios":
        for log in export.as_helios(imports, target):
            click.echo(str(log))
    else:
        click.echo(f"{target}: {export.as_philly(imports, target, size_bytes):,} jobs")
    say(1.0, "Done")


def _bytes(text: str) -> int:
    """A size such as ``1GB`` or ``200MB`` in bytes."""
    units = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
    digits = text.strip().rstrip("abkgmABKGM ")
    unit = text.strip()[len(digits) :].strip().upper()
    if not digits.isdigit() or unit not in units:
        refuse(f"--size is {text!r}; give a number and a unit, such as 200MB or 1GB.")
    return int(digits) * units[unit]


def make(root: Path, scale: float = SCALE, seed: int = SEED) -> dict[str, Any]:
    """Generate and publish the demo trace; returns its manifest."""
    import scheduling
    from traces import store
    from traces.demo import generate

    imports = _told(generate(scale, seed, replay=scheduling.replay))
    manifest = store.publish(root, NAME, TIMEZONE, imports, generated=True)
    say(1.0, "Done")
    return manifest


def _told(imports: Iterable["ClusterImport"]) -> Iterator["ClusterImport"]:
    """The clusters, with progress for people as each of them is done."""
    say(0.05, "Generating jobs")
    for place, item in enumerate(imports, start=1):
        say(0.05 + 0.2 * place, f"Generated {item.cluster}")
        yield item


def _verified(root: Path, scale: float) -> list[dict[str, Any]]:
    """The published trace against the published statistics, one cluster in memory at a time."""
    import pandas as pd

    from traces.catalog import Catalog
    from traces.demo.verify import verify

    folder = Catalog(root).folder(NAME)
    tables = (
        (path.stem, pd.read_parquet(path), pd.read_parquet(folder / "quota" / path.name))
        for path in sorted((folder / "jobs").glob("*.parquet"))
    )
    return verify(tables, scale)


def _say_statistic(each: dict[str, Any]) -> None:
    mark = {True: "pass", False: "MISS", None: "    "}[each["pass"]]
    fed = "fed in" if each["fed_in"] else "result"
    values = "  ".join(f"{name} {each[name]}" for name in ("published", "generated", "tolerance"))
    click.echo(f"{mark}  {fed}  {each['cluster']:8} {each['name']:32} {values}")
