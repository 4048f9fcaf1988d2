"""A sweep and its address: the filter bar's choice and the form's, both ways, and whether it may start."""

from collections.abc import Mapping
from typing import Any

from components.sweep_form import OPTIONS, SweepChoice, parts
from pages.replay_scenario import Pairs, scope_pairs, scope_settings
from pages.scope import Scope
from runs.axes import values_of
from runs.grid import Point, checked
from runs.scenario import SweepScenario


def sweep_scenario(scope: Scope, choice: SweepChoice) -> SweepScenario:
    """What a run sweeps. Raises RunError for an axis that cannot be read."""
    return SweepScenario(
        **scope_settings(scope),
        policies=choice.policies,
        nodes=parts(choice.nodes),
        load_factors=values_of(parts(choice.loads)),
        seeds=tuple(range(1, choice.draws + 1)),
        placement=choice.placement,
        **dict.fromkeys(choice.options, True),
    )


def points_of(scope: Scope, scenario: SweepScenario) -> list[Point]:
    """Every scenario that it has. Raises RunError, before anything starts, for too many or none."""
    return checked(scenario, scenario.clusters or scope.all_clusters)


def sweep_query(scenario: Mapping[str, Any]) -> Pairs:
    """The keys and values of the form's address for a stored sweep."""
    choice = SweepChoice(
        tuple(scenario["policies"]),
        ", ".join(scenario["nodes"]),
        ", ".join(f"{factor:g}" for factor in scenario["load_factors"]),
        len(scenario["seeds"]),
        scenario["placement"],
        tuple(name for name in OPTIONS if scenario.get(name)),
    )
    return scope_pairs(scenario) + choice.pairs()
