"""Why jobs waited and behind whom, found by a FIFO replay of a part of a trace. Nothing is stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from queries import manifests
from runs import simulation
from runs.parts import chosen_clusters
from runs.scenario import SchedulingScenario
from scheduling import waiting

CAUSES = ("capacity_s", "fragmentation_s", "head_of_line_s")
MOST_BLOCKING_JOBS = 1_000


@dataclass(frozen=True)
class Waits:
    """The waits of the jobs that were replayed. Seconds, summed over jobs.

    - ``by_vc``: cluster, vc, jobs, waiting_jobs (a second or more), waited_s and the parts of it:
      capacity_s, fragmentation_s, head_of_line_s (:mod:`scheduling.waiting`); the most first;
    - ``blockers``: cluster, waiting_user, blocking_user (null where unknown), waited_s, head_of_line_s;
    - ``blocking_jobs``: cluster, job_id, vc, user, gpu_num, duration_s, waited_s (by others), head_of_line_s;
      the first ``MOST_BLOCKING_JOBS``;
    - ``from_record``: the replay began with the jobs that ran and waited then, as recorded; else it began
      with an empty cluster.
    """

    by_vc: pd.DataFrame
    blockers: pd.DataFrame
    blocking_jobs: pd.DataFrame
    from_record: bool


def waits(trace: str, clusters: tuple[str, ...], vcs: tuple[str, ...], from_: str, to: str) -> Waits:
    """Replay the jobs submitted in a window under FIFO on the quota of each day, and say why they waited.

    Raises RunError, QueryError, TraceError or ScenarioError with a sentence.
    """
    scenario = SchedulingScenario(
        trace, clusters, vcs, from_, to, ("fifo",), capacity_over_time=True, start_state=True
    )
    facts = manifests.manifest(trace)["clusters"]
    known = all(facts[each]["has_start"] for each in chosen_clusters(manifests.manifest(trace), clusters))
    scene = simulation.prepared(scenario if known else replace(scenario, start_state=False))
    found = [(each.work.cluster, waiting.explained(each.outcome)) for each in simulation.replayed(scene)]
    by_vc = _together((cluster, _by_vc(each.causes)) for cluster, each in found)
    blockers = _together((cluster, each.blockers) for cluster, each in found)
    jobs = _together((cluster, each.blocking_jobs) for cluster, each in found)
    return Waits(by_vc, blockers, jobs.head(MOST_BLOCKING_JOBS), known)


def joined(parts: Sequence[Waits]) -> Waits:
    """The waits of clusters that were replayed one by one: nothing of one cluster waits for another."""
    tables = (
        _ordered([getattr(part, name) for part in parts]) for name in ("by_vc", "blockers", "blocking_jobs")
    )
    by_vc, blockers, jobs = tables
    return Waits(by_vc, blockers, jobs.head(MOST_BLOCKING_JOBS), all(part.from_record for part in parts))


def _by_vc(causes: pd.DataFrame) -> pd.DataFrame:
    """The sums of each VC over the jobs that were not rejected."""
    ran = causes[causes["waited_s"].notna()]
    waiting_jobs = np.asarray(ran["waited_s"] >= 1).astype(int)
    grouped = ran.assign(jobs=1, waiting_jobs=waiting_jobs).groupby("vc", observed=True)
    sums: pd.DataFrame = grouped[["jobs", "waiting_jobs", "waited_s", *CAUSES]].sum().reset_index()
    return sums.astype({"vc": "str"})


def _together(tables: Iterable[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """The tables of several clusters as one, most waiting first."""
    return _ordered([table.assign(cluster=cluster) for cluster, table in tables])


def _ordered(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables).sort_values("waited_s", ascending=False, kind="stable", ignore_index=True)
