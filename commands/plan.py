"""``plan``: how many nodes, or how much load, a target allows."""

from typing import Any

import click

from commands.options import json_option, replayed_jobs_options, rules_options, window_options
from commands.terminal import print_json, say


@click.command()
@replayed_jobs_options
@window_options
@rules_options
@click.option("--target", required=True, help="What must hold, such as 'p95_queueing_delay_s<=3600'.")
@click.option("--policy", default="fifo", show_default=True, help="Policy under which it must hold.")
@click.option(
    "--by",
    type=click.Choice(["nodes", "load"]),
    default="nodes",
    show_default=True,
    help="Find the fewest nodes, or the largest load on the nodes that there are.",
)
@click.option(
    "--resamples",
    default=20,
    show_default=True,
    help="Draws of the window's weeks for the interval; 0: none.",
)
@click.option("--seed", default=1, show_default=True, help="Seed of these draws and of a load's.")
@json_option
def plan(as_document: bool, **settings: Any) -> None:
    """Find the smallest capacity, or the largest load, that meets a target."""
    from runs import plan as plans
    from runs.scenario import PlanScenario

    made = plans.plan_of(PlanScenario(**settings), say)
    say(1.0, "Done")
    print_json(made) if as_document else _say(made)


def _say(made: dict[str, Any]) -> None:
    for row in made["asked"]:
        size = f"{row['nodes']:,} nodes" if made["by"] == "nodes" else f"load × {row['load_factor']:g}"
        click.echo(f"{size:>14}  {'meets it' if row['met'] else 'does not'}")
    click.echo(made["sentence"])
