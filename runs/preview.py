"""A replay small enough for a web process to answer while a slider moves. Nothing of it is stored."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

import settings
from queries import manifests
from runs import models, simulation
from runs.parts import chosen_clusters
from runs.scenario import SchedulingScenario
from runs.window import window
from runs.workload import asks_for_estimates
from scheduling.metrics import ALL
from scheduling.policies import POLICIES

PREEMPTIVE_COST, BACKFILL_COST = 5, 20
"""How many times as long a replay takes that preempts, or backfills, as a plain one (``make bench``)."""


@dataclass(frozen=True)
class Preview:
    """What a replay gives at once.

    ``rows``: the numbers of all jobs together by policy, as the run's result has them; ``cdf`` the queueing
    delay's distribution by policy; ``unfitted``: policies left out because no estimates are stored yet.
    """

    rows: list[dict[str, Any]]
    cdf: pd.DataFrame
    unfitted: tuple[str, ...]
    elapsed_s: float


def cost(scenario: SchedulingScenario, jobs: int) -> int:
    """What a preview of so many submitted GPU jobs costs, in plain replays of one job."""
    return round(jobs * scenario.load_factor * sum(_weight(each, scenario) for each in scenario.policies))


def affordable(scenario: SchedulingScenario, jobs: int) -> bool:
    """Whether a web process replays so many submitted GPU jobs itself (``HELIOGRAPH_REPLAY_JOBS_IN_WEB``)."""
    return cost(scenario, jobs) <= settings.current().replay_jobs_in_web


def _weight(policy: str, scenario: SchedulingScenario) -> int:
    if POLICIES[policy].preempts:
        return PREEMPTIVE_COST
    return BACKFILL_COST if scenario.backfill else 1


def preview(scenario: SchedulingScenario) -> Preview:
    """Replay the scenario, ties in one order. Estimates are only read: a policy whose estimates nobody has
    fitted yet is left out.

    Raises RunError, QueryError, TraceError or ScenarioError with a sentence.
    """
    began = time.perf_counter()
    unfitted = tuple(_unfitted(scenario))
    policies = tuple(each for each in scenario.policies if each not in unfitted)
    if scenario.policies and not policies:
        return Preview([], pd.DataFrame(), unfitted, time.perf_counter() - began)
    scene = simulation.prepared(replace(scenario, policies=policies, tie_sensitivity=False))
    replays = simulation.replayed(scene)
    rows = _totals(simulation.result_rows(replays))
    return Preview(rows, simulation.delay_cdf(replays), unfitted, time.perf_counter() - began)


def _totals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of all VCs of all clusters, one per policy."""
    several = any(row["cluster"] == ALL for row in rows)
    return [row for row in rows if row["vc"] == ALL and (row["cluster"] == ALL or not several)]


def _unfitted(scenario: SchedulingScenario) -> Iterable[str]:
    """The policies that ask for estimates which would have to be made first."""
    asking = [policy for policy in scenario.policies if asks_for_estimates(policy, scenario.backfill)]
    if not asking:
        return ()
    manifest = manifests.manifest(scenario.trace)
    clusters = chosen_clusters(manifest, scenario.clusters)
    span = window(manifest, clusters, scenario.from_, scenario.to)
    facts = manifest["clusters"]
    fitted = all(models.are_fitted(scenario.trace, each, facts[each], span) for each in clusters)
    return () if fitted else asking
