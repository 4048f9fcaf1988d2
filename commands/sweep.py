"""``sweep``: a grid of scenarios."""

from pathlib import Path
from typing import Any

import click

from commands.options import (
    json_option,
    policies_option,
    quota_option,
    replayed_jobs_options,
    rules_options,
    window_options,
)
from commands.terminal import print_json, say


@click.command()
@replayed_jobs_options
@window_options
@policies_option
@rules_options
@quota_option
@click.option(
    "--nodes",
    multiple=True,
    default=("x1",),
    show_default=True,
    help="Every VC's nodes × a factor (x1.2), or nodes more or fewer (+3, -1); once per step.",
)
@click.option(
    "--load-factor",
    "load_factors",
    multiple=True,
    default=("1",),
    show_default=True,
    help="Load, or FROM:TO:STEP with both ends; once per value or range.",
)
@click.option("--seeds", default=1, show_default=True, help="How many draws of each load: seeds 1, 2, …")
@click.option(
    "--out", type=click.Path(path_type=Path), help="CSV of results; by default one in the data folder."
)
@click.option("--limit", default=10_000, show_default=True, help="Refuse a grid of more scenarios than this.")
@json_option
def sweep(
    nodes: tuple[str, ...],
    load_factors: tuple[str, ...],
    seeds: int,
    policies: tuple[str, ...],
    out: Path | None,
    limit: int,
    as_document: bool,
    **settings: Any,
) -> None:
    """Replay a grid of scenarios on all cores; one that was stopped goes on where it was."""
    from runs import sweep as sweeps
    from runs.axes import values_of
    from runs.scenario import SweepScenario

    grid = SweepScenario(
        **settings,
        policies=tuple(dict.fromkeys(policies)),
        nodes=tuple(dict.fromkeys(nodes)),
        load_factors=values_of(load_factors),
        seeds=tuple(range(1, seeds + 1)),
    )
    made = sweeps.sweep(grid, say, out, limit)
    say(1.0, "Done")
    print_json(made) if as_document else _say(made)


COLUMNS = {
    "cluster": 12,
    "policy": 9,
    "nodes": 6,
    "load_factor": 11,
    "seed": 4,
    "gpus": 7,
    "avg_jct_s": 14,
    "avg_queueing_delay_s": 20,
    "p95_queueing_delay_s": 20,
}


def _say(made: dict[str, Any]) -> None:
    click.echo("  ".join(f"{name:>{width}}" for name, width in COLUMNS.items()))
    for row in made["results"]:
        click.echo("  ".join(f"{_cell(row[name]):>{width}}" for name, width in COLUMNS.items()))
    click.echo(f"{made['scenarios']:,} scenarios, {made['replayed']:,} of them new: {made['file']}")


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or "unknown"
    return f"{value:g}" if value < 100 else f"{value:,.0f}"
