"""Why the jobs of a scope wait and behind whom: the part of the queueing page that a replay answers."""

import threading
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pandas as pd
from dash import html

import settings
from components.figures import waits as figures
from components.numbers import duration, percent, plural
from components.tables import Column, data_table
from pages import identities
from pages.job_links import job_address
from pages.scope import Scope
from pages.user_links import user_template
from pages.views import View
from queries import QueryError, manifests

if TYPE_CHECKING:
    from runs.waits import Waits

#: The whole choice is replayed if it has no more jobs than this, else its last days.
MOST_JOBS = 60_000
RECENT_DAYS = (28, 7, 1)
JOBS_SHOWN = 12
#: How many times as long, or as short, as recorded the replay's waiting is to be called far from it.
FAR = 2
NO_CAPACITY = "The capacity of this choice is unknown, so nothing can be replayed; import it with the jobs."
TOO_MANY = "Even the last day of this choice has too many jobs to replay on a page; choose a virtual cluster."
METHOD = (
    "The jobs are replayed under FIFO on the quota of each day, from the jobs that ran and waited at the "
    "start where the trace has start times. While a job waits, one thing keeps it from starting: fewer GPUs "
    "are free in its VC than it asks for; or enough are free, on nodes that its placement refuses; or it "
    "could start, and the job at the head of the queue cannot. A job waits behind those that hold its VC's "
    "GPUs, in proportion to them, or behind the head."
)
SAME_REPLAY = "From the replay above."
_one_at_a_time = threading.Lock()


def replayed_part(scope: Scope) -> Scope:
    """The scope, or its last days where it has too many jobs. Raises QueryError where a day has too many."""
    most = min(MOST_JOBS, settings.current().replay_jobs_in_web)
    for part in (scope, *(scope.recent(days) for days in RECENT_DAYS)):
        if part.ask("jobs_submitted").iloc[0]["gpu_jobs"] <= most:
            return part
    raise QueryError(TOO_MANY)


def waits_of(scope: Scope) -> "Waits":
    """Why the jobs of the part of the scope that is replayed waited; remembered for the trace's version."""
    part = replayed_part(scope)
    filters = part.filters
    days = _day(filters.first_day), _day(filters.last_day, plus=1)
    # Clusters one by one, so that another choice of them finds those of this one. A virtual cluster that is
    # named need not be in each.
    alike = not filters.vcs and not scope.lacking("has_start")
    replays = tuple((cluster,) for cluster in part.clusters) if alike else (filters.clusters,)
    with _one_at_a_time:
        return _waits(manifests.version(scope.trace), scope.trace, replays, filters.vcs, *days)


@lru_cache(maxsize=8)
def _waits(
    version: Any, trace: str, replays: tuple[tuple[str, ...], ...], vcs: tuple[str, ...], *days: str
) -> "Waits":
    from runs import waits  # with numba, which not every web process needs

    return waits.joined([_replayed(version, trace, clusters, vcs, *days) for clusters in replays])


@lru_cache(maxsize=32)
def _replayed(
    _version: Any, trace: str, clusters: tuple[str, ...], vcs: tuple[str, ...], *days: str
) -> "Waits":
    from runs import waits

    return waits.waits(trace, clusters, vcs, *days)


def _day(day: date | None, plus: int = 0) -> str:
    return "" if day is None else (day + timedelta(days=plus)).isoformat()


def no_capacity(scope: Scope) -> str | None:
    """Why nothing can be replayed, if so."""
    return None if scope.knows("has_capacity") else NO_CAPACITY


def no_users(scope: Scope) -> str | None:
    """Why it cannot be said who waits behind whom, if so."""
    if identities.policy() == identities.OFF:
        return identities.SWITCHED_OFF
    return no_capacity(scope) or (None if scope.knows("has_user") else identities.NO_USERS)


def by_vc(scope: Scope) -> pd.DataFrame:
    """The waiting time of each VC and the shares (0–1) of its causes; VCs in which somebody waited."""
    rows = waits_of(scope).by_vc
    rows = rows[rows["waited_s"] > 0].reset_index(drop=True)
    label = rows["vc"] + " · " + rows["cluster"] if rows["cluster"].nunique() > 1 else rows["vc"]
    rows.insert(0, "label", label)
    for cause in figures.CAUSES:
        rows[cause.removesuffix("_s") + "_share"] = rows[cause] / rows["waited_s"]
    return rows


def vc_address(scope: Scope, cluster: str, vc: str) -> str | None:
    """This page about one VC; None for jobs without one, which are replayed under their cluster's name."""
    return None if vc == cluster else scope.address("", clusters=(cluster,), vcs=(vc,))


def blockers(scope: Scope) -> pd.DataFrame:
    """Who waits behind whom, under the names that may be shown; waits of or behind nobody are left out."""
    rows = waits_of(scope).blockers
    users = {
        name: identities.shown_users(rows[name], scope.trace) for name in ("waiting_user", "blocking_user")
    }
    rows = rows.assign(**users).dropna(subset=list(users))
    sums = rows.groupby(list(users), sort=False)[["waited_s", "head_of_line_s"]].sum().reset_index()
    sums["of_all"] = sums["waited_s"] / waits_of(scope).by_vc["waited_s"].sum()
    return sums.sort_values("waited_s", ascending=False, kind="stable", ignore_index=True)


def blocking_jobs(scope: Scope) -> pd.DataFrame:
    """The jobs behind which others wait, the most first."""
    rows = waits_of(scope).blocking_jobs
    return rows.assign(user=identities.shown_users(rows["user"], scope.trace))


def job_table(rows: pd.DataFrame, scope: Scope) -> html.Div:
    """The first of these jobs, each a link to its page."""
    shown = rows.head(JOBS_SHOWN)
    links = [job_address(scope.trace, row.cluster, row.job_id) for row in shown.itertuples()]
    columns = (
        JOB_COLUMNS if identities.policy() != identities.OFF else [c for c in JOB_COLUMNS if c.name != "user"]
    )
    return data_table(shown, columns, links)


def window_note(scope: Scope) -> str:
    """Which jobs were replayed, from where, and how near the replay is to the record."""
    part = replayed_part(scope)
    less = (
        ""
        if part is scope
        else f" The last days of the choice, because all of it is more than {MOST_JOBS:,} jobs."
    )
    made = waits_of(scope)
    start = "the jobs that ran and waited then" if made.from_record else "an empty cluster"
    return (
        f"A FIFO replay of the GPU jobs submitted {part.window_text()} ({scope.timezone}), beginning with "
        f"{start}.{less}{_beside_record(part, made)}"
    )


def _beside_record(part: Scope, made: "Waits") -> str:
    """The replay's waiting time beside the recorded one of the same window, where there is one."""
    replayed = made.by_vc["waited_s"].sum()
    if not part.knows("has_start"):
        return f" They wait {duration(replayed)} in all."
    groups = part.ask("queueing_by", dimension="all")
    recorded = float(groups["queueing_delay_s"].sum()) if len(groups) else None
    far = recorded is not None and not recorded / FAR <= replayed <= recorded * FAR
    warning = " That is far from the record: read the shares, not the times." if far else ""
    return f" They wait {duration(replayed)} in all; as recorded they waited {duration(recorded)}.{warning}"


def causes_note(rows: pd.DataFrame, scope: Scope) -> str:
    """What most of the waiting comes from, and what was replayed."""
    total = rows["waited_s"].sum()
    shares = {name: rows[cause].sum() / total for cause, (name, *_) in figures.CAUSES.items()}
    said = ", ".join(f"{percent(share, 0)} {name}" for name, share in shares.items())
    shown = f" The {figures.BARS} VCs with the most waiting." if len(rows) > figures.BARS else ""
    return f"Of the waiting time {said}.{shown} {window_note(scope)}"


def blockers_note(rows: pd.DataFrame, scope: Scope) -> str:
    """Which users are drawn and how much of the waiting is theirs."""
    own = rows.loc[rows["waiting_user"] == rows["blocking_user"], "of_all"].sum()
    users = max(rows["waiting_user"].nunique(), rows["blocking_user"].nunique())
    shown = (
        f"The {figures.USERS} who wait most and who are waited for most. " if users > figures.USERS else ""
    )
    return f"{shown}{percent(own, 0)} of the waiting is behind one’s own jobs. {SAME_REPLAY}"


def jobs_note(rows: pd.DataFrame, scope: Scope) -> str:
    """How many jobs are shown, and how many made others wait."""
    order = "By the time that others waited behind them"
    if len(rows) > JOBS_SHOWN:
        order += f", the first {JOBS_SHOWN}; the CSV has {plural(len(rows), 'job')}"
    return f"{order}. {SAME_REPLAY}"


CAUSES = View[Scope](
    name="waits-causes",
    title="Why do they wait?",
    rows=by_vc,
    figure=lambda rows, scope: figures.waiting_by_cause(
        rows, lambda row: vc_address(scope, row.cluster, row.vc)
    ),
    columns=(
        Column("label", "Virtual cluster"),
        Column("jobs", "GPU jobs", "count"),
        Column("waiting_jobs", "That wait", "count"),
        Column("waited_s", "Waiting time", "duration"),
        Column("capacity_share", "Too few free GPUs", "percent"),
        Column("fragmentation_share", "Wrong nodes", "percent"),
        Column("head_of_line_share", "Behind the head", "percent"),
    ),
    note=causes_note,
    method=f"{METHOD} A click on a bar shows its VC alone.",
    absent=no_capacity,
    nothing="In the replay no job of this choice has to wait.",
    span="full",
)
BLOCKERS = View[Scope](
    name="waits-blockers",
    title="Who waits behind whom?",
    rows=blockers,
    figure=lambda rows, scope: figures.who_waits_for_whom(rows),
    columns=(
        Column("waiting_user", "Waits"),
        Column("blocking_user", "Behind the jobs of"),
        Column("waited_s", "Waiting time", "duration"),
        Column("head_of_line_s", "Of it behind the head", "duration"),
        Column("of_all", "Of all waiting", "percent"),
    ),
    note=blockers_note,
    method=METHOD,
    opens=lambda scope: user_template(scope.filters),
    click=" A click on a cell opens the page of the user behind whose jobs others wait.",
    absent=no_users,
    nothing="In the replay no job of this choice has to wait behind another.",
    height=420,
)
JOB_COLUMNS = (
    Column("job_id", "Job"),
    Column("vc", "Virtual cluster"),
    Column("user", "User"),
    Column("gpu_num", "GPUs", "count"),
    Column("duration_s", "Duration", "duration"),
    Column("waited_s", "Others waited", "duration"),
)
BLOCKING_JOBS = View[Scope](
    name="waits-jobs",
    title="Which jobs do others wait behind?",
    rows=blocking_jobs,
    table=job_table,
    columns=JOB_COLUMNS,
    note=jobs_note,
    method=METHOD,
    absent=no_capacity,
    nothing="In the replay no job of this choice has to wait behind another.",
)
VIEWS = (CAUSES, BLOCKERS, BLOCKING_JOBS)
