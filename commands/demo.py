"""``demo``: a generated datacenter, calibrated to the published Helios statistics."""

from pathlib import Path
from typing import Any

import click

import settings
from commands.options import json_option
from commands.terminal import print_json, say

NAME = "demo"
TIMEZONE = "Asia/Shanghai"
SCALE, SEED = 0.02, 2020


@click.command()
@click.option(
    "--scale", default=SCALE, show_default=True, help="Share of the nodes and jobs; time stays whole."
)
@click.option("--seed", default=SEED, show_default=True, help="The same seed gives the same trace.")
@click.option("--verify", is_flag=True, help="Compare the trace with the published statistics.")
@json_option
def demo(scale: float, seed: int, verify: bool, as_document: bool) -> None:
    """Generate the trace `demo`: four clusters, April to September 2020."""
    manifest = make(settings.current().data, scale, seed)
    statistics = _verified(settings.current().data, scale) if verify else []
    if as_document:
        print_json({"scale": scale, "seed": seed, "trace": NAME, "statistics": statistics})
        return
    for name, cluster in manifest["clusters"].items():
        click.echo(f"{name}: {cluster['report']['rows_kept']:,} jobs")
    for each in statistics:
        _say_statistic(each)


def make(root: Path, scale: float = SCALE, seed: int = SEED) -> dict[str, Any]:
    """Generate and publish the demo trace; returns its manifest."""
    import scheduling
    from traces import store
    from traces.demo import generate

    say(0.05, "Generating jobs")
    imports = generate(scale, seed, replay=scheduling.replay)
    manifest = store.publish(root, NAME, TIMEZONE, imports, generated=True)
    say(1.0, "Done")
    return manifest


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
