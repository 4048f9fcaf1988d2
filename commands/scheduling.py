"""``simulate``: what another schedule would do."""

from pathlib import Path
from typing import Any

import click

from commands.options import (
    json_option,
    pairs,
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
@click.option(
    "--capacity", type=click.Path(path_type=Path), help="Capacity file in place of the trace's own capacity."
)
@quota_option
@click.option(
    "--nodes",
    metavar="CLUSTER/VC:N[@DATE]",
    multiple=True,
    help="Nodes more, or fewer where negative, always or from a date on; once per change.",
)
@click.option("--until", default="", help="Stop the replay at a date or an instant, and count what is left.")
@click.option(
    "--load-factor", default=1.0, show_default=True, help="Jobs × this: below 1 thinned, above 1 resampled."
)
@click.option("--seed", default=1, show_default=True, help="Seed of the load factor's draw.")
@click.option("--duration-factor", default=1.0, show_default=True, help="Every job takes × this as long.")
@click.option(
    "--move",
    "moves",
    metavar="user:U=VC|vc:A=VC",
    multiple=True,
    callback=pairs("user:alice=vcB"),
    help="Send the jobs of a user or of a VC to another VC; once per move.",
)
@click.option(
    "--merge",
    "merges",
    metavar="VC=INTO",
    multiple=True,
    callback=pairs("vcA=vcB"),
    help="Give a VC's jobs and nodes to another VC; once per VC.",
)
@click.option(
    "--tie-sensitivity",
    is_flag=True,
    help="Replay with the order of equal submissions reversed too, and give each number's interval.",
)
@click.option(
    "--jobs-out", type=click.Path(path_type=Path), help="Write each job's start and end to this CSV."
)
@json_option
def simulate(
    policies: tuple[str, ...],
    capacity: Path | None,
    nodes: tuple[str, ...],
    jobs_out: Path | None,
    as_document: bool,
    **settings: Any,
) -> None:
    """Replay a trace's jobs under one or more policies."""
    from runs import simulation
    from runs.changes import node_changes
    from runs.scenario import SchedulingScenario

    extra_nodes, dated_nodes = node_changes(nodes)
    scenario = SchedulingScenario(
        **settings,
        policies=tuple(dict.fromkeys(policies)),
        extra_nodes=extra_nodes,
        dated_nodes=dated_nodes,
    )
    simulated = simulation.simulate(
        scenario, say, simulation.capacity_file(scenario, capacity) if capacity else None
    )
    say(1.0, "Done")
    if jobs_out:
        simulation.write_jobs(simulated.jobs, jobs_out)
    print_json(simulated.document) if as_document else _say_results(simulated.document)


COLUMNS = {
    "policy": 9,
    "cluster": 12,
    "vc": 12,
    "jobs": 9,
    "rejected": 8,
    "unfinished": 10,
    "mean JCT s": 14,
    "mean wait s": 14,
}


def _say_results(document: dict[str, Any]) -> None:
    """The result rows as a table for people."""
    click.echo("  ".join(f"{name:>{width}}" for name, width in COLUMNS.items()))
    for row in document["results"]:
        cells = [row["policy"], row["cluster"], row["vc"]]
        cells += [f"{row[key]:,}" for key in ("jobs", "rejected_jobs", "unfinished_jobs")]
        for key in ("avg_jct_s", "avg_queueing_delay_s"):
            cells.append("unknown" if row[key] is None else f"{row[key]:,.2f}")
        widths = COLUMNS.values()
        click.echo("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)))
    if document["baseline"]:
        click.echo(document["baseline"]["sentence"])
    for note in document["notes"]:
        click.echo(note)
