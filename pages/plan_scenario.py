"""A plan and its address: the filter bar's choice and the form's, both ways, and whether it may start."""

from collections.abc import Mapping
from typing import Any

from components.plan_form import OPTIONS, PlanChoice, of_target
from pages.replay_scenario import Pairs, clusters_with_jobs, scope_pairs, scope_settings
from pages.scope import Scope
from runs.plan_limits import checked
from runs.scenario import PlanScenario
from runs.target import target


def plan_scenario(scope: Scope, choice: PlanChoice) -> PlanScenario:
    """What a run plans. Raises RunError, before anything starts, for what cannot be planned."""
    settings = scope_settings(scope)
    scenario = PlanScenario(
        **settings,
        policy=choice.policy,
        target=choice.target,
        by=choice.by,
        resamples=choice.resamples,
        placement=choice.placement,
        **dict.fromkeys(choice.options, True),
    )
    checked(scenario, scenario.clusters or clusters_with_jobs(scope))
    return scenario


def plan_query(scenario: Mapping[str, Any]) -> Pairs:
    """The keys and values of the form's address for a stored plan."""
    goal = target(scenario["target"])
    choice = PlanChoice(
        policy=scenario["policy"],
        by=scenario["by"],
        resamples=scenario["resamples"],
        placement=scenario["placement"],
        options=tuple(name for name in OPTIONS if scenario.get(name)),
        **of_target(goal.measure, goal.limit),
    )
    return scope_pairs(scenario) + choice.pairs()
