"""``simulate``: what another schedule would do."""

from pathlib import Path
from typing import Any

import click

from commands.options import json_option, window_options
from commands.terminal import print_json, say


@click.command()
@click.option("--trace", required=True, help="Trace to replay.")
@click.option("--cluster", "clusters", multiple=True, help="Cluster to replay; all where none is given.")
@click.option("--vc", "vcs", multiple=True, help="Virtual cluster to replay; all where none is given.")
@window_options
@click.option(
    "--policy",
    "policies",
    multiple=True,
    default=("fifo",),
    show_default=True,
    help="Policy; once per policy.",
)
@click.option(
    "--placement", default="consolidate", show_default=True, help="consolidate or consolidateFirst."
)
@click.option(
    "--capacity", type=click.Path(path_type=Path), help="Capacity file in place of the trace's own capacity."
)
@click.option(
    "--load-factor", default=1.0, show_default=True, help="Jobs × this: below 1 thinned, above 1 resampled."
)
@click.option("--seed", default=1, show_default=True, help="Seed of the load factor's draw.")
@click.option(
    "--jobs-out", type=click.Path(path_type=Path), help="Write each job's start and end to this CSV."
)
@json_option
def simulate(
    trace: str,
    clusters: tuple[str, ...],
    vcs: tuple[str, ...],
    from_: str,
    to: str,
    policies: tuple[str, ...],
    placement: str,
    capacity: Path | None,
    load_factor: float,
    seed: int,
    jobs_out: Path | None,
    as_document: bool,
) -> None:
    """Replay a trace's jobs under one or more policies."""
    from runs import simulation
    from runs.scenario import SchedulingScenario

    unique = tuple(dict.fromkeys(policies))
    scenario = SchedulingScenario(
        trace, clusters, vcs, from_, to, unique, placement, load_factor=load_factor, seed=seed
    )
    simulated = simulation.simulate(
        scenario, say, simulation.capacity_file(scenario, capacity) if capacity else None
    )
    say(1.0, "Done")
    if jobs_out:
        simulation.write_jobs(simulated.jobs, jobs_out)
    print_json(simulated.document) if as_document else _say_results(simulated.document)


COLUMNS = {
    "policy": 8,
    "cluster": 12,
    "vc": 12,
    "jobs": 9,
    "rejected": 8,
    "mean JCT s": 14,
    "mean wait s": 14,
}


def _say_results(document: dict[str, Any]) -> None:
    """The result rows as a table for people."""
    click.echo("  ".join(f"{name:>{width}}" for name, width in COLUMNS.items()))
    for row in document["results"]:
        cells = [row["policy"], row["cluster"], row["vc"], f"{row['jobs']:,}", f"{row['rejected_jobs']:,}"]
        for key in ("avg_jct_s", "avg_queueing_delay_s"):
            cells.append("unknown" if row[key] is None else f"{row[key]:,.2f}")
        widths = COLUMNS.values()
        click.echo("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)))
    for note in document["notes"]:
        click.echo(note)
