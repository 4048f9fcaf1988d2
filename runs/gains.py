"""Who waits less and who waits longer when one policy of a replay takes the place of another."""

import pandas as pd

from scheduling.comparison import Comparison, compare
from scheduling.metrics import QUEUED_FROM_S

TOTALS = ("jobs", "winners", "losers")


def gains(jobs: pd.DataFrame, policy: str, against: str) -> Comparison:
    """The jobs of a run under ``policy`` beside the same under ``against``, all clusters together.

    ``jobs`` is the table of a run: one row per policy, cluster and job. Jobs, users and VCs say their
    ``cluster``. Raises ScenarioError where a cluster names two jobs alike.
    """
    parts = {}
    for cluster, own in jobs.groupby("cluster", sort=False):
        one, other = (own[own["policy"] == each] for each in (policy, against))
        parts[str(cluster)] = compare(one, other)
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


def _greatest_loss_first(parts: "dict[str, pd.DataFrame]") -> pd.DataFrame:
    table = pd.concat([each.assign(cluster=cluster) for cluster, each in parts.items()], ignore_index=True)
    return table.sort_values("change_s", ascending=False, kind="stable", ignore_index=True)


def _losing(groups: pd.DataFrame) -> int:
    return int((groups["change_s"] >= QUEUED_FROM_S).sum())
