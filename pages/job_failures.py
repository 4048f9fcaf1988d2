"""How often jobs fail over time, and whose GPU time is lost: views of the Jobs page."""

import pandas as pd
from dash import html

from components.figures import jobs as figures
from components.figures import virtual_clusters as vc_figures
from components.numbers import gpu_hours, is_unknown, plural
from components.tables import Column, data_table
from pages import identities
from pages.final_states import GROUPS, no_states
from pages.scope import Scope
from pages.user_links import user_address
from pages.user_shares import known_users, league
from pages.views import CLICK_PERIOD, View

#: Users that the table shows; the CSV has all.
USERS_SHOWN = 10
LOST = "Lost is all GPU time (GPUs × duration) of GPU jobs that ended failed or cancelled."
SHARES = (
    Column("cluster", "Cluster"),
    Column("period", "From", "day"),
    Column("ended_jobs", "Ended", "count"),
    Column("failed_jobs", "Failed", "count"),
    Column("cancelled_jobs", "Cancelled", "count"),
    Column("failed_share", "Failed, share", "percent"),
    Column("cancelled_share", "Cancelled, share", "percent"),
)
USER_COLUMNS = (
    Column("user", "User"),
    Column("lost_gpu_s", "GPU time lost", "gpu_time"),
    Column("lost_share", "Of their own", "percent"),
    Column("share_of_lost", "Of all that is lost", "percent"),
    Column("gpu_jobs", "GPU jobs", "count"),
    Column("completion", "Completed", "percent"),
)


def by_period(scope: Scope) -> pd.DataFrame:
    """Failed and cancelled GPU jobs by cluster and period."""
    return scope.ask("failures_by_period", period=scope.period)


def periods(scope: Scope) -> str:
    """What a point or a bar is, as the end of a note."""
    return f"by local {scope.period} of submission ({scope.timezone}); the window may cut the outer ones"


def share_view(status: str, title: str, words: str) -> View[Scope]:
    """The view of the share of GPU jobs that end in a status group, by cluster over time."""
    return View[Scope](
        name=f"jobs-{status}-over-time",
        title=title,
        rows=by_period,
        figure=lambda rows, scope: figures.shares_over_time(rows, status, scope.all_clusters),
        columns=SHARES,
        note=lambda rows, scope: f"{words} ÷ ended GPU jobs, {periods(scope)}.",
        method=f"GPU jobs count in the period in which they were submitted, once they have ended. {GROUPS}",
        absent=no_states,
        nothing="No GPU job of this choice has ended.",
        opens=Scope.cluster_addresses,
    )


def vc_address(scope: Scope, cluster: str, vc: str) -> str:
    """This page about one VC."""
    return scope.address("", clusters=(cluster,), vcs=(vc,))


def losing_users(scope: Scope) -> pd.DataFrame:
    """Users by GPU time lost, most first, with their share (0–1) of all that users lost."""
    users = league(known_users(scope))
    users = users[users["lost_gpu_s"] > 0].sort_values("lost_gpu_s", ascending=False, kind="stable")
    return users.assign(share_of_lost=users["lost_gpu_s"] / users["lost_gpu_s"].sum()).reset_index(drop=True)


def no_users(scope: Scope) -> str | None:
    """Why it is not known or not said whose GPU time is lost, if so."""
    if identities.policy() == identities.OFF:
        return identities.SWITCHED_OFF
    return no_states(scope) or (None if scope.knows("has_user") else identities.NO_USERS)


def user_table(rows: pd.DataFrame, scope: Scope) -> html.Div:
    """The first users, each a link to their page."""
    shown = rows.head(USERS_SHOWN)
    return data_table(shown, USER_COLUMNS, [user_address(user, scope.filters) for user in shown["user"]])


def shown_vcs(rows: pd.DataFrame) -> str:
    """Which VCs are drawn, where they are not all."""
    if len(rows) <= vc_figures.SHOWN_VCS:
        return ""
    return f" The {vc_figures.SHOWN_VCS} of {plural(len(rows), 'VC')} that lost most; the table has all."


FAILED = share_view("failed", "How often do GPU jobs fail?", "Failed")
CANCELLED = share_view("cancelled", "How often are they cancelled?", "Cancelled")
LOST_OVER_TIME = View[Scope](
    name="jobs-lost-over-time",
    title="How much GPU time is lost?",
    rows=lambda scope: scope.ask("lost_by_period", period=scope.period),
    figure=lambda rows, scope: figures.statuses_over_time(
        rows,
        "gpu_s",
        ("cancelled", "failed"),
        "GPU-hours",
        factor=1 / 3600,
        written=gpu_hours,
        address=lambda first_day: scope.period_address(first_day, scope.period),
    ),
    columns=(
        Column("status", "Final status"),
        Column("period", "From", "day"),
        Column("jobs", "GPU jobs", "count"),
        Column("gpu_s", "GPU time", "gpu_time"),
        Column("share", "Of the GPU time of ended jobs", "percent"),
    ),
    note=lambda rows, scope: f"GPU time of failed and cancelled GPU jobs, {periods(scope)}.",
    method=f"{LOST} All of it counts in the period of the submission. Jobs without a duration have none; the "
    f"table has the completed jobs too.{CLICK_PERIOD} {GROUPS}",
    absent=no_states,
    nothing="No GPU job of this choice has ended.",
    height=vc_figures.HEIGHT_PX,
)
LOST_BY_VC = View[Scope](
    name="jobs-lost-by-vc",
    title="Where is it lost?",
    rows=lambda scope: scope.ask("lost_by_vc"),
    figure=lambda rows, scope: vc_figures.lost_gpu_time(
        rows, lambda cluster, vc: None if is_unknown(vc) else vc_address(scope, cluster, vc)
    ),
    columns=(
        Column("vc", "Virtual cluster"),
        Column("cluster", "Cluster"),
        Column("failed_gpu_s", "Failed", "gpu_time"),
        Column("cancelled_gpu_s", "Cancelled", "gpu_time"),
        Column("lost_gpu_s", "Lost", "gpu_time"),
        Column("lost_share", "Of its GPU time", "percent"),
    ),
    note=lambda rows, scope: f"GPU time of failed and cancelled GPU jobs.{shown_vcs(rows)}",
    method=f"{LOST} Shares are of all ended GPU jobs of the VC. A bar opens its VC alone. {GROUPS}",
    absent=no_states,
    nothing="No GPU job of this choice has ended.",
    height=vc_figures.HEIGHT_PX,
)
LOST_BY_USER = View[Scope](
    name="jobs-lost-by-user",
    title="Who loses it?",
    rows=losing_users,
    table=user_table,
    columns=USER_COLUMNS,
    note=lambda rows, scope: (
        f"The first {min(USERS_SHOWN, len(rows))} of {plural(len(rows), 'user')} by GPU time of failed and "
        "cancelled GPU jobs; the CSV has all. A name opens the user’s page."
    ),
    method=f"{LOST} Jobs without a user are left out. {GROUPS}",
    absent=no_users,
    nothing="No user of this choice lost GPU time.",
    span="full",
)
VIEWS = (FAILED, CANCELLED, LOST_OVER_TIME, LOST_BY_VC, LOST_BY_USER)
