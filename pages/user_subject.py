"""What a user's page is about: one user of a scope, found by the name that visitors see."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pages import identities
from pages.scope import Scope, scope_of_query, scope_of_store
from pages.user_shares import known_users, league
from queries import QueryError

#: Jobs that the page lists; the job finder has all.
LATEST_JOBS = 15
TEMPLATES = 15
OWN, OTHERS = "this user", "everybody else"


@dataclass(frozen=True)
class UserSubject:
    """A user of a scope: ``shown`` is what visitors see, ``user`` what the trace says."""

    scope: Scope
    shown: str
    user: str

    def ask(self, name: str, **params: Any) -> pd.DataFrame:
        """The answer of a query about this user in this scope."""
        return self.scope.ask(name, user=self.user, **params)


def user_of_query(shown: str, query: Mapping[str, Any]) -> UserSubject:
    """The user whom an address names.

    Raises:
        QueryError, FilterError: what :func:`pages.scope.scope_of_query` raises, and nobody of that name.
    """
    return _found(shown, scope_of_query(query))


def user_of_store(data: Mapping[str, Any]) -> UserSubject:
    """The user and the scope that a page's store holds."""
    return _found(str(data["user"]), scope_of_store(data))


def _found(shown: str, scope: Scope) -> UserSubject:
    if identities.policy() == identities.OFF:
        raise QueryError(identities.SWITCHED_OFF)
    user = identities.real_name(shown, scope.trace)
    if user is None:
        raise QueryError(f"Trace “{scope.trace}” has no user “{shown}”.")
    return UserSubject(scope, shown, user)


def standing(who: UserSubject) -> pd.Series | None:
    """The user's row of the league, with ``place`` (1 holds most GPU time) and ``users``; None: no job."""
    table = league(known_users(who.scope))
    table = table.assign(place=table.index + 1, users=len(table))
    own = table[table["user"] == who.shown]
    return None if own.empty else own.iloc[0]


def everybody(scope: Scope) -> pd.Series:
    """Completion ratio and lost share (0–1) of all jobs of a scope that have a user; null where unknown."""
    sums = known_users(scope)[
        ["completed_gpu_jobs", "ended_gpu_jobs", "lost_gpu_s", "gpu_s", "queueing_delay_s"]
    ].sum(min_count=1)
    return pd.Series(
        {
            "completion": _ratio(sums["completed_gpu_jobs"], sums["ended_gpu_jobs"]),
            "lost_share": _ratio(sums["lost_gpu_s"], sums["gpu_s"]),
        }
    )


def waits(who: UserSubject) -> pd.DataFrame:
    """The curves of ``user_waits.sql`` by their names: side (``OWN``, ``OTHERS``), delay_s, jobs, share."""
    curves = who.ask("user_waits")
    side = curves["own"].map({True: OWN, False: OTHERS})
    return curves.assign(own=side).rename(columns={"own": "side"})


def mean_waits(who: UserSubject) -> tuple[float | None, float | None]:
    """Mean queueing delay in s of the user's jobs, and of everybody else's in the same VCs.

    The second mean weighs each VC by the user's jobs in it: what others would have waited in their places.
    """
    rows = who.ask("user_waits_by_vc")
    known = rows.dropna(subset=["others_mean_delay_s"])
    return _mean(rows["mean_delay_s"], rows["jobs"]), _mean(known["others_mean_delay_s"], known["jobs"])


def templates(who: UserSubject) -> pd.DataFrame:
    """What the user's jobs repeat, with the completion ratio and the lost share (0–1)."""
    rows = who.ask("user_templates")
    return rows.assign(
        completion=rows["completed_jobs"] / rows["ended_jobs"].where(rows["ended_jobs"] > 0),
        lost_share=rows["lost_gpu_s"] / rows["gpu_s"].where(rows["gpu_s"] > 0),
    )


def latest_jobs(who: UserSubject) -> pd.DataFrame:
    """The user's last jobs of the scope, newest first, with local times."""
    return who.ask("user_latest", size=LATEST_JOBS)


def _mean(values: pd.Series, weights: pd.Series) -> float | None:
    return float((values * weights).sum() / weights.sum()) if len(values) else None


def _ratio(part: float, whole: float) -> float | None:
    return float(part / whole) if pd.notna(part) and pd.notna(whole) and whole > 0 else None
