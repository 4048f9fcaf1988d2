"""What a plan may ask, known before anything is read or replayed."""

from collections.abc import Sequence

from runs.errors import RunError
from runs.scenario import PlanScenario
from runs.target import Target, target

MOST_RESAMPLES = 1_000
BY = ("nodes", "load")


def checked(plan: PlanScenario, clusters: Sequence[str]) -> Target:
    """The plan's target, if it can be planned for these clusters. Raises RunError."""
    if plan.by not in BY:
        raise RunError(f"A plan is by nodes or by load, not by {plan.by!r}.")
    if len(clusters) != 1:
        raise RunError(f"A plan is for one cluster under one policy; choose one of {', '.join(clusters)}.")
    if not 0 <= plan.resamples <= MOST_RESAMPLES:
        raise RunError(
            f"A plan draws its weeks 0 to {MOST_RESAMPLES:,} times for the interval, not {plan.resamples:,} "
            "times."
        )
    return target(plan.target)
