"""Who waits for GPUs, how long, and what do those who wait have in common?"""

from typing import Any

import dash
import pandas as pd
from dash import Output, callback, html

from components.figures import queueing as figures
from components.numbers import duration, is_unknown, percent, plural
from components.page_frame import card_grid
from components.tables import Column, data_table
from pages import identities, waits
from pages.frame import FILTERS_CHANGED, scope_exists, scoped_page, skeleton
from pages.job_links import any_gpus, finder_address, gpus_address
from pages.scope import Scope, scope_of_store
from pages.user_links import user_address
from pages.views import View, wire, wire_together

QUESTION = "Who waits for GPUs, and how long?"
ANSWER = "queueing-answer"
#: Users that the table shows; the CSV has all.
USERS_SHOWN = 20
NO_STARTS = "This trace has no start times, so it is not known who waited; a what-if replay shows who would."
WAITS = (
    "Queueing delay is submission to start, of GPU jobs of the window that started; a job waits when it is "
    "more than zero. Means are over all of them, medians and 95th percentiles over those that wait."
)
NUMBERS = (
    Column("jobs", "GPU jobs", "count"),
    Column("waiting_share", "That wait", "percent"),
    Column("mean_delay_s", "Mean delay", "duration"),
    Column("p50_wait_s", "Median of those", "duration"),
    Column("p95_wait_s", "p95 of those", "duration"),
    Column("queueing_share", "Of all queueing", "percent"),
)


def no_starts(scope: Scope) -> str | None:
    """Why nothing is known about waiting, if so."""
    return None if scope.knows("has_start") else NO_STARTS


def no_users(scope: Scope) -> str | None:
    """Why it is not known or not said which users wait, if so."""
    if identities.policy() == identities.OFF:
        return identities.SWITCHED_OFF
    return no_starts(scope) or (None if scope.knows("has_user") else identities.NO_USERS)


def delays_by(scope: Scope, dimension: str) -> pd.DataFrame:
    """Delays by a dimension, with the share that waits and of all queueing (0–1).

    The dimension is one of ``queueing_by.sql``, or ``hour`` or ``user``, which are questions of their own.
    """
    ask_for = {"hour": lambda: scope.ask("queueing_by_hour"), "user": lambda: scope.ask("queueing_by_user")}
    groups = ask_for.get(dimension, lambda: scope.ask("queueing_by", dimension=dimension))()
    total = groups["queueing_delay_s"].sum()
    return groups.assign(
        waiting_share=groups["waiting_jobs"] / groups["jobs"],
        queueing_share=groups["queueing_delay_s"] / total if total > 0 else None,
    ).drop(columns="place")


def delays_by_hour(scope: Scope) -> pd.DataFrame:
    """Delays by local hour of submission, hours without a job included."""
    hours = delays_by(scope, "hour").set_index("label")
    whole = hours.reindex([f"{hour:02d}" for hour in range(24)])
    counts = ["jobs", "waiting_jobs"]
    whole[counts] = whole[counts].fillna(0).astype(int)
    return whole.rename_axis("label").reset_index() if len(hours) else hours.reset_index()


def delays_by_user(scope: Scope) -> pd.DataFrame:
    """Delays by user, those with most queueing first, under the names that may be shown."""
    users = delays_by(scope, "user").dropna(subset="label")
    return users.assign(label=identities.shown_users(users["label"], scope.trace)).reset_index(drop=True)


def vc_address(scope: Scope, row: Any) -> str | None:
    """This page about the VC of a row; None for jobs without one."""
    return None if is_unknown(row.label) else scope.address("", clusters=(row.cluster,), vcs=(row.label,))


def longest_waits(scope: Scope, gpus: str) -> str | None:
    """The jobs of a GPU count in the job finder, the longest wait first."""
    return gpus_address(scope.filters, gpus, sort="-queueing_delay_s")


def longest_waits_of_hour(scope: Scope, hour: str) -> str:
    """The GPU jobs submitted in a local hour that started, in the job finder, the longest wait first."""
    return finder_address(
        scope.filters,
        gpu_num=any_gpus(scope),
        queueing_delay_s="0..",
        submit_hour=f"{int(hour)}..{int(hour)}",
        sort="-queueing_delay_s",
    )


def user_table(rows: pd.DataFrame, scope: Scope) -> html.Div:
    """The first users, each a link to their page."""
    shown = rows.head(USERS_SHOWN)
    return data_table(shown, USER_COLUMNS, [user_address(user, scope.filters) for user in shown["label"]])


def unstarted(scope: Scope) -> str:
    """How many jobs are left out, as the end of a note."""
    submitted = scope.ask("jobs_submitted").iloc[0]
    jobs = submitted["gpu_jobs"] - submitted["started_gpu_jobs"]
    return f" Left out: {plural(jobs, 'GPU job')} without a start." if jobs else ""


def first_of(number: int, most: int, noun: str) -> str:
    """How many of them a table shows, where it does not show all; the end of a note follows."""
    return "" if number <= most else f"The first {most} of {plural(number, noun)}; the CSV has all. "


def vc_note(rows: pd.DataFrame, scope: Scope) -> str:
    """What the bars are and how many of them are shown."""
    shown = f" The {figures.BARS} longest of {plural(len(rows), 'VC')}." if len(rows) > figures.BARS else ""
    return f"Mean of submission to start over all GPU jobs that started.{shown}{unstarted(scope)}"


CDF = View[Scope](
    name="queueing-cdf",
    title="How long do GPU jobs wait?",
    rows=lambda scope: scope.ask("queueing_cdf"),
    figure=lambda rows, scope: figures.delay_cdf(rows, scope.all_clusters),
    columns=(
        Column("cluster", "Cluster"),
        Column("delay_s", "At most", "duration"),
        Column("jobs", "GPU jobs", "count"),
        Column("share", "Share", "percent"),
    ),
    note=lambda rows, scope: (
        f"Share of the GPU jobs submitted in the window that started within so long.{unstarted(scope)}"
    ),
    method="Queueing delay is submission to start; counted at eight delays per octave, exact at each.",
    absent=no_starts,
    opens=Scope.cluster_addresses,
)
BY_VC = View[Scope](
    name="queueing-vc",
    title="In which virtual clusters?",
    rows=lambda scope: delays_by(scope, "vc"),
    figure=lambda rows, scope: figures.mean_delays_by_vc(
        rows, scope.all_clusters, lambda row: vc_address(scope, row)
    ),
    columns=(Column("cluster", "Cluster"), Column("label", "Virtual cluster"), *NUMBERS),
    note=vc_note,
    method=f"{WAITS} A click on a bar shows its VC alone.",
    absent=no_starts,
    opens=Scope.cluster_addresses,
)
BY_GPUS = View[Scope](
    name="queueing-gpus",
    title="Do larger jobs wait longer?",
    rows=lambda scope: delays_by(scope, "gpus"),
    figure=lambda rows, scope: figures.mean_delays(
        rows, "GPUs asked for", address=lambda row: longest_waits(scope, row.label)
    ),
    columns=(Column("label", "GPUs"), *NUMBERS),
    note=lambda rows, scope: (
        "Mean delay by GPUs asked for; above it the share of those jobs that wait at all. Counts that are "
        "no power of two are in “other”."
    ),
    method=f"{WAITS} A click on a bar opens those jobs in the job finder, the longest wait first.",
    absent=no_starts,
)
BY_HOUR = View[Scope](
    name="queueing-hour",
    title="When is it bad to submit?",
    rows=delays_by_hour,
    figure=lambda rows, scope: figures.mean_delays(
        rows,
        f"hour of submission ({scope.timezone})",
        labelled=False,
        address=lambda row: longest_waits_of_hour(scope, row.label),
    ),
    columns=(Column("label", "Hour"), *NUMBERS),
    note=lambda rows, scope: (
        f"Mean delay of GPU jobs by the hour they were submitted, time zone {scope.timezone}."
    ),
    method=f"{WAITS} Local hours, also on days on which clocks change. A click on a bar opens its jobs in "
    "the job finder, the longest wait first.",
    absent=no_starts,
)
USER_COLUMNS = (Column("label", "User"), *NUMBERS)
BY_USER = View[Scope](
    name="queueing-user",
    title="Who waits most?",
    rows=delays_by_user,
    table=user_table,
    columns=USER_COLUMNS,
    note=lambda rows, scope: (
        f"Sorted by queueing time, the delays of a user's GPU jobs added up. "
        f"{first_of(len(rows), USERS_SHOWN, 'user')}"
        "“Of those” is of the jobs that wait. A name opens the user’s page."
    ),
    method=f"{WAITS} Jobs without a user are left out of the rows, not of the sum that shares are of.",
    absent=no_users,
    nothing="No GPU job of this choice belongs to a user and has started.",
    span="full",
)
RECORDED = (CDF, BY_VC, BY_GPUS, BY_HOUR, BY_USER)
VIEWS = (*RECORDED[:-1], *waits.VIEWS, BY_USER)


def body() -> list[html.Div]:
    """The charts."""
    return [card_grid(*(view.card() for view in VIEWS))]


def layout(**query: object) -> html.Div:
    """The page about the scope that the address names."""
    return scoped_page(QUESTION, ANSWER, body, query)


dash.register_page(
    __name__,
    path="/queueing",
    title="Queueing · Heliograph",
    label="Queueing",
    group="What is going on",
    order=5,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=scope_exists,
)


@callback(Output(ANSWER, "children"), FILTERS_CHANGED)
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


def answer(scope: Scope) -> str:
    """One sentence from the data: how many wait, how long those wait, and where the waiting is."""
    why = no_starts(scope)
    if why:
        return why
    groups = scope.ask("queueing_by", dimension="all")
    if groups.empty:
        return "No GPU job of this choice has started."
    everybody = groups.iloc[0]
    if not everybody["waiting_jobs"]:
        return f"None of the {plural(everybody['jobs'], 'GPU job')} that started had to wait."
    share = percent(everybody["waiting_jobs"] / everybody["jobs"], 0)
    half, most = duration(everybody["p50_wait_s"]), duration(everybody["p95_wait_s"])
    if everybody["jobs"] == 1:
        return f"The one GPU job that started waited {most}{place_of_waiting(delays_by(scope, 'vc'))}."
    return (
        f"{share} of {plural(everybody['jobs'], 'GPU job')} waited: half of those up to {half}, "
        f"one in twenty more than {most}{place_of_waiting(delays_by(scope, 'vc'))}."
    )


def place_of_waiting(vcs: pd.DataFrame) -> str:
    """The VC with most of the queueing time, where there is a choice of VCs."""
    named = vcs.dropna(subset=["label", "queueing_share"])
    if len(vcs) < 2 or named.empty:
        return ""
    first = named.iloc[named["queueing_share"].argmax()]
    share = percent(first["queueing_share"], 0)
    return f"; {share} of the queueing time is in {first['label']} ({first['cluster']})"


wire_together(waits.VIEWS, FILTERS_CHANGED, scope_of_store, of_stored_traces=True)
for _view in RECORDED:
    wire(_view, FILTERS_CHANGED, scope_of_store, of_stored_traces=True)
