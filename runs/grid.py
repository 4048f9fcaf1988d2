"""The scenarios of a sweep: every combination of its axes, if they can be and are not too many."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields

from runs import load
from runs.capacity_step import checked_step
from runs.errors import RunError
from runs.scenario import SweepScenario

MOST_SCENARIOS = 10_000


@dataclass(frozen=True)
class Point:
    """One scenario of a grid. ``nodes`` is a step of every VC's capacity: ``x1.2``, ``+3``, ``-1``."""

    cluster: str
    policy: str
    nodes: str
    load_factor: float
    seed: int


KEY = [each.name for each in fields(Point)]


def points(grid: SweepScenario, clusters: Sequence[str]) -> list[Point]:
    """Every scenario once. At load 1 nothing is drawn, so the first seed stands for all."""
    made = []
    for cluster, factor, seed in itertools.product(clusters, grid.load_factors, grid.seeds):
        if factor == 1 and seed != grid.seeds[0]:
            continue
        for policy, nodes in itertools.product(grid.policies, grid.nodes):
            made.append(Point(cluster, policy, nodes, factor, seed))
    return list(dict.fromkeys(made))


def checked(grid: SweepScenario, clusters: Sequence[str], limit: int = MOST_SCENARIOS) -> list[Point]:
    """The same. Raises RunError for more than ``limit`` scenarios, for none, and for one that cannot be."""
    count = len(clusters) * len(grid.policies) * len(grid.nodes) * len(grid.load_factors) * len(grid.seeds)
    if count > limit:
        raise RunError(
            f"The grid has {count:,} scenarios, more than the limit of {limit:,}; leave "
            "some out, or ask the command with a higher --limit."
        )
    if not count:
        raise RunError("The grid has no scenario: every axis needs a value.")
    for step in grid.nodes:
        checked_step(step)
    for factor in grid.load_factors:
        load.check_factor(factor)
    return points(grid, clusters)
