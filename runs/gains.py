"""Who waits less and who waits longer when one policy of a replay takes the place of another."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from queries import QueryError, manifests, rows
from runs.errors import RunError
from scheduling import ScenarioError
from scheduling.comparison import Comparison, compare
from scheduling.metrics import QUEUED_FROM_S

TOTALS = ("jobs", "winners", "losers")


def gains(
    jobs: pd.DataFrame, policy: str, against: str, recorded: Mapping[str, pd.DataFrame] | None = None
) -> Comparison:
    """The jobs of a run under ``policy`` beside the same under ``against``, all clusters together.

    ``jobs`` is the table of a run: one row per policy, cluster and job. With ``recorded`` delays by cluster
    (:func:`recorded_delays`) the jobs are beside what was recorded of them. Jobs, users and VCs say their
    ``cluster``. Raises RunError where a cluster names two jobs alike.
    """
    parts = {}
    for cluster, own in jobs.groupby("cluster", sort=False):
        other = own[own["policy"] == against] if recorded is None else _as_ended(recorded[str(cluster)])
        try:
            parts[str(cluster)] = compare(own[own["policy"] == policy], other)
        except ScenarioError as error:
            raise RunError(f"The jobs of {cluster} cannot be told apart: {error}") from error
    users = {cluster: each.users for cluster, each in parts.items() if each.users is not None}
    vcs = _greatest_loss_first({cluster: each.vcs for cluster, each in parts.items()})
    whole = _greatest_loss_first(users) if users else None
    table = pd.concat(
        [each.jobs.assign(cluster=cluster) for cluster, each in parts.items()], ignore_index=True
    )
    totals = {name: sum(each.totals[name] for each in parts.values()) for name in TOTALS}
    totals |= {"avg_change_s": float(table["change_s"].mean()) if len(table) else None}
    totals |= {"losing_vcs": _losing(vcs), "losing_users": None if whole is None else _losing(whole)}
    return Comparison(table, whole, vcs, totals)


def recorded_delays(scenario: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """What was recorded of the jobs of a result's ``scenario``, by cluster: job_id, queueing_delay_s.

    Raises QueryError where that is not known: the trace is gone or another one by now, has no start times, or
    two of its jobs have the same id.
    """
    span = {"start": pd.Timestamp(scenario["from"]), "end": pd.Timestamp(scenario["to"])}
    if manifests.manifest(scenario["trace"])["version"] != scenario["trace_version"]:
        raise QueryError("The trace was imported again since this run, so its record is of other jobs.")
    found = {}
    for cluster in scenario["clusters"]:
        delays = rows("recorded_delays", trace=scenario["trace"], cluster=cluster, **span)
        if delays.empty or delays["job_id"].duplicated().any():
            raise QueryError(f"{cluster} has no recorded starts that can be told apart by job id.")
        found[cluster] = delays
    return found


def _as_ended(delays: pd.DataFrame) -> pd.DataFrame:
    """Recorded delays as the jobs of a replay: each of them ended and none was rejected."""
    return delays.assign(rejected=None, end_s=0.0)


def _greatest_loss_first(parts: "dict[str, pd.DataFrame]") -> pd.DataFrame:
    table = pd.concat([each.assign(cluster=cluster) for cluster, each in parts.items()], ignore_index=True)
    return table.sort_values("change_s", ascending=False, kind="stable", ignore_index=True)


def _losing(groups: pd.DataFrame) -> int:
    return int((groups["change_s"] >= QUEUED_FROM_S).sum())
