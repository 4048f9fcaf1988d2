"""Who gains and who loses when one replay takes the place of another."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scheduling.errors import ScenarioError
from scheduling.metrics import QUEUED_FROM_S


@dataclass(frozen=True)
class Comparison:
    """Two replays of the same jobs, job by job.

    - ``jobs``: job_id, vc, user (where known), baseline_delay_s, delay_s, change_s (above 0: waits longer),
      of the jobs that ended in both.
    - ``users`` and ``vcs``: jobs, their mean delays and mean change, and how many of them lose (``losers``)
      and gain (``winners``), the greatest loss first. ``users`` is None where no user is known.
    - ``totals``: jobs, winners, losers, mean change, and the users and VCs whose mean delay grew.

    A change below 1 s is none.
    """

    jobs: pd.DataFrame
    users: pd.DataFrame | None
    vcs: pd.DataFrame
    totals: dict[str, Any]


def compare(jobs: pd.DataFrame, baseline: pd.DataFrame) -> Comparison:
    """Compare ``Outcome.jobs`` with those of a baseline. Jobs in only one of them are left out.

    Raises ScenarioError where a job id is not that of one job.
    """
    delays = _delays(baseline).rename(columns={"queueing_delay_s": "baseline_delay_s"})
    both = _delays(jobs).rename(columns={"queueing_delay_s": "delay_s"})
    both = both.merge(delays[["job_id", "baseline_delay_s"]], on="job_id", how="inner")
    both["change_s"] = both["delay_s"] - both["baseline_delay_s"]
    users = _by(both, "user") if "user" in both.columns else None
    vcs = _by(both, "vc")
    change_s = both["change_s"].to_numpy(dtype=float)
    totals: dict[str, Any] = {
        "jobs": len(both),
        "winners": int((change_s <= -QUEUED_FROM_S).sum()),
        "losers": int((change_s >= QUEUED_FROM_S).sum()),
        "avg_change_s": float(change_s.mean()) if change_s.size else None,
        "losing_users": None if users is None else _losing(users),
        "losing_vcs": _losing(vcs),
    }
    return Comparison(both, users, vcs, totals)


def _delays(jobs: pd.DataFrame) -> pd.DataFrame:
    """The jobs that ended, with what a comparison needs of them."""
    columns = [name for name in ("job_id", "vc", "user", "queueing_delay_s") if name in jobs.columns]
    chosen = jobs.loc[jobs["rejected"].isna() & jobs["end_s"].notna(), columns]
    twice = chosen["job_id"].duplicated()
    if twice.any():
        name = chosen["job_id"][twice].iloc[0]
        raise ScenarioError(f"There are several jobs {name}; compare the replays of one cluster at a time.")
    return chosen


def _by(both: pd.DataFrame, column: str) -> pd.DataFrame:
    change_s = both["change_s"].to_numpy(dtype=float)
    table = both.assign(winners=change_s <= -QUEUED_FROM_S, losers=change_s >= QUEUED_FROM_S)
    groups = table.groupby(column, observed=True, sort=True)
    means = groups[["baseline_delay_s", "delay_s", "change_s"]].mean()
    made = pd.concat([groups.size().rename("jobs"), means, groups[["losers", "winners"]].sum()], axis=1)
    order = np.argsort(-made["change_s"].to_numpy(dtype=float), kind="stable")
    return made.iloc[order].reset_index()


def _losing(groups: pd.DataFrame) -> int:
    return int((groups["change_s"] >= QUEUED_FROM_S).sum())
