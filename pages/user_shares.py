"""How users compare: the league of a scope's users, and how much of everything the first of them hold."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pages.identities import shown_users
from pages.scope import Scope

SUMS = (
    "jobs",
    "gpu_jobs",
    "ended_gpu_jobs",
    "completed_gpu_jobs",
    "gpu_s",
    "lost_gpu_s",
    "cpu_s",
    "queueing_delay_s",
)


def known_users(scope: Scope) -> pd.DataFrame:
    """One row per cluster and user, under the name that may be shown; jobs without a user are left out."""
    users = scope.ask("users")
    users = users[users["user"].notna()].reset_index(drop=True)
    return users.assign(user=shown_users(users["user"], scope.trace))


def jobs_without_user(scope: Scope) -> int:
    """How many jobs of the scope belong to nobody."""
    users = scope.ask("users")
    return int(users[users["user"].isna()]["jobs"].sum())


def concentration(users: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """What the first users of each cluster hold of a column: cluster, users, top, held, share.

    Row k of a cluster: its k users with most of it are the share ``top`` of the users of known amount and
    hold ``share`` of the total (0–1). A cluster of which nothing is known or held has no rows.
    """
    curves = [
        _curve(str(cluster), part[quantity].dropna()) for cluster, part in users.groupby("cluster", sort=True)
    ]
    return pd.concat(curves) if curves else _curve("", pd.Series(dtype=float))


def _curve(cluster: str, amounts: pd.Series) -> pd.DataFrame:
    held = np.r_[0.0, np.cumsum(np.sort(amounts.to_numpy(dtype=float))[::-1])]
    users = np.arange(len(held))
    if not held[-1] > 0:
        held, users = held[:0], users[:0]
    return pd.DataFrame(
        {
            "cluster": cluster,
            "users": users,
            "top": users / len(amounts) if len(users) else users,
            "held": held,
            "share": held / held[-1] if len(held) else held,
        }
    )


def league(users: pd.DataFrame) -> pd.DataFrame:
    """One row per user over all clusters, most GPU time first; with the completion ratio and shares (0–1)."""
    sums = users.groupby("user", sort=False)[list(SUMS)].sum(min_count=1).reset_index()
    sums["clusters"] = users.groupby("user", sort=False)["cluster"].agg(", ".join).to_numpy()
    sums["completion"] = _ratio(sums["completed_gpu_jobs"], sums["ended_gpu_jobs"])
    sums["lost_share"] = _ratio(sums["lost_gpu_s"], sums["gpu_s"])
    sums["gpu_time_share"] = _ratio(sums["gpu_s"], sums["gpu_s"].sum())
    sums["queueing_share"] = _ratio(sums["queueing_delay_s"], sums["queueing_delay_s"].sum())
    return sums.sort_values("gpu_s", ascending=False, kind="stable", na_position="last").reset_index(
        drop=True
    )


def weeks(scope: Scope, users: Iterable[str]) -> dict[str, list[float]]:
    """Of some ``users`` as shown: user → GPU-hours of each local week of submission, three digits of them.

    The weeks reach from the first to the last in which anybody of the scope has GPU time.
    """
    rows = scope.ask("user_weeks")
    if rows.empty:
        return {}
    every = pd.date_range(rows["week"].min(), rows["week"].max(), freq="7D")
    rows = rows.assign(user=shown_users(rows["user"], scope.trace))
    table = rows[rows["user"].isin(set(users))].pivot(index="user", columns="week", values="gpu_s") / 3600
    table = table.reindex(columns=every).fillna(0.0)
    return {str(user): [_three_digits(value) for value in row] for user, *row in table.itertuples(name=None)}


def completion_bins(users: pd.DataFrame) -> pd.DataFrame:
    """Users in ten half-open bins of their completion ratio, the last one closed: completed, users."""
    ratios = league(users)["completion"].dropna()
    places = np.minimum((10 * ratios + 1e-9).astype(int), 9)
    counts = np.bincount(places, minlength=10) if len(ratios) else []
    labels = [f"{10 * place}–{10 * place + 10}" for place in range(10)]
    return pd.DataFrame({"completed": labels[: len(counts)], "users": counts})


def top_share(curve: pd.DataFrame, top: float) -> tuple[int, float] | None:
    """How many users the first ``top`` (0–1) of one cluster are, at least one, and the share they hold."""
    if len(curve) < 2:
        return None
    place = max(1, int((curve["top"] <= top + 1e-12).sum()) - 1)
    row = curve.iloc[place]
    return int(row["users"]), float(row["share"])


def _three_digits(value: float) -> float:
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() else short


def _ratio(part: pd.Series, whole: pd.Series | float) -> pd.Series:
    whole = pd.Series(whole, index=part.index, dtype=float)
    return part / whole.where(whole > 0)
