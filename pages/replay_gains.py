"""Winners and losers on the page of a run: one policy held against another, by VC, user and job."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
from dash import Input, Output, State, callback, dcc, html

from components import replay_gains as words
from components.figures.gains import changes_by_vc
from components.page_frame import card_grid
from components.replay_summary import BASELINE, policy_in_question
from components.tables import Column, data_table
from pages import identities, run_users
from pages.finished_run import FinishedRun, finished_run
from pages.job_links import job_address
from pages.views import View, wire
from queries import QueryError, manifests
from runs import RunError

PAIR, RUN_OF_PAIR = "gains-pair", "gains-run"
#: VCs that the chart shows, losers and gainers each; users and jobs that a table shows. The CSV has all.
SHOWN_VCS, SHOWN_USERS, SHOWN_JOBS = 6, 8, 8


@dataclass(frozen=True)
class Pair:
    """A finished run, the policy that is looked at, and the one that it is held against."""

    run: FinishedRun
    policy: str
    against: str

    @property
    def several(self) -> bool:
        """Whether the run is of several clusters."""
        return len(self.run.document["scenario"]["clusters"]) > 1

    @property
    def trace(self) -> str:
        """The trace of the run."""
        return str(self.run.document["scenario"]["trace"])

    def compared(self) -> Any:
        """Winners and losers (``scheduling.comparison.Comparison``)."""
        return _compared(self.run.id, self.policy, self.against)

    def why_not(self) -> str | None:
        """Why there is nothing to compare; None where there is."""
        if self.policy == self.against:
            return words.sentence({}, self.policy, self.against)
        try:
            self.compared()
        except (QueryError, RunError) as error:
            return f"These schedules cannot be compared job by job. {error}"
        return None


@lru_cache(maxsize=2)
def _compared(run_id: str, policy: str, against: str) -> Any:
    """A run's result never changes; the cards of a pair ask for it at the same time."""
    from runs.gains import (  # numba comes along, for which no worker should wait before it is needed
        gains,
        recorded_delays,
    )

    run = finished_run(run_id)
    recorded = recorded_delays(run.document["scenario"]) if against == words.RECORDED else None
    return gains(run.table("jobs"), policy, against, recorded)


def pair(data: Mapping[str, str]) -> Pair:
    """The pair that the page's store holds."""
    return Pair(finished_run(data["run"]), data["policy"], data["against"])


def by_vc(about: Pair) -> pd.DataFrame:
    """A row per VC, the greatest loss first."""
    return words.labelled(about.compared().vcs, about.several)


def by_user(about: Pair) -> pd.DataFrame:
    """A row per user as visitors may see them, the greatest loss first; empty where nobody is known."""
    users = about.compared().users
    return pd.DataFrame() if users is None else _with_shown_users(users, about.trace).drop(columns="user")


def by_job(about: Pair) -> pd.DataFrame:
    """A row per job, the greatest loss first, its user as visitors may see them."""
    jobs = about.compared().jobs.sort_values("change_s", ascending=False, kind="stable", ignore_index=True)
    jobs = words.labelled(jobs, about.several)
    if "user" not in jobs:
        return jobs.assign(shown_user=None)
    return _with_shown_users(jobs, about.trace).drop(columns="user")


def _with_shown_users(rows: pd.DataFrame, trace: str) -> pd.DataFrame:
    return rows.assign(shown_user=run_users.shown(rows["user"], trace))


def _no_vc(about: Pair) -> str | None:
    if reason := about.why_not():
        return reason
    vcs = about.compared().vcs
    changed = words.ends_of(vcs, 1)
    return (
        "No virtual cluster waits a second less or longer on average." if len(vcs) and changed.empty else None
    )


def _no_users(about: Pair) -> str | None:
    if identities.policy() == identities.OFF:
        return identities.SWITCHED_OFF
    return about.why_not() or (identities.NO_USERS if about.compared().users is None else None)


def _ends_table(rows: pd.DataFrame, columns: tuple[Column, ...], most: int, about: Pair | None = None):
    """Those who lose most, then those who gain most; jobs lead to their pages."""
    shown = words.ends_of(rows, most)
    if shown.empty:
        return html.P("Nobody waits a second less or longer.", className="muted")
    links = [job_link(about.trace, row) for row in shown.itertuples()] if about else []
    has = [column for column in columns if column.name != "shown_user" or shown["shown_user"].notna().any()]
    return data_table(shown, has, links)


def job_link(trace: str, row: Any) -> str | None:
    """The page of a job, None for one that was resampled or whose trace is gone."""
    return (
        None
        if "+" in row.job_id or trace not in manifests.names()
        else job_address(trace, row.cluster, row.job_id)
    )


def _note(what: str, most: int):
    return lambda rows, about: (
        f"Mean queueing delay of each {what}; the {most} that lose most, then the {most} that gain most. "
        "The CSV has all."
    )


VIEWS = (
    View[Pair](
        name="gains-vcs",
        title="By virtual cluster",
        method=(
            "The same job's queueing delay under both policies, taken apart and averaged over the jobs of "
            "the VC that ended under both."
        ),
        rows=by_vc,
        figure=lambda rows, about: changes_by_vc(words.ends_of(rows, SHOWN_VCS)),
        columns=words.VC_COLUMNS,
        note=lambda rows, about: (
            f"Change of the mean queueing delay; the VCs that lose and gain most, up to {SHOWN_VCS} of each, "
            "those below a second left out. The table has all."
        ),
        absent=_no_vc,
        nothing="No job ended in both schedules.",
    ),
    View[Pair](
        name="gains-users",
        title="By user",
        method=(
            "The same job's queueing delay under both policies, averaged over the user's jobs that ended "
            "under both. Jobs of nobody known are left out."
        ),
        rows=by_user,
        table=lambda rows, about: _ends_table(rows, words.USER_COLUMNS, SHOWN_USERS),
        columns=words.USER_COLUMNS,
        note=_note("user", SHOWN_USERS),
        absent=_no_users,
        nothing="No job of a known user ended in both schedules.",
    ),
    View[Pair](
        name="gains-jobs",
        title="By job",
        method=(
            "A job's queueing delay under the one policy less that under the other, of jobs that ended "
            "in both."
        ),
        rows=by_job,
        table=lambda rows, about: _ends_table(rows, words.JOB_COLUMNS, SHOWN_JOBS, about),
        columns=words.JOB_COLUMNS,
        note=lambda rows, about: (
            f"The {SHOWN_JOBS} jobs whose delay grew most, then the {SHOWN_JOBS} whose delay shrank most. "
            "The CSV has all."
        ),
        absent=Pair.why_not,
        nothing="No job ended in both schedules.",
        span="full",
    ),
)
for _view in VIEWS:
    wire(_view, Input(PAIR, "data"), pair)


def layout(run_id: str | None, policies: list[str], recorded: bool = False) -> html.Div:
    """The part of a result about winners and losers; one policy alone has none, unless there is a record."""
    bases = [*policies, *([words.RECORDED] if recorded else [])]
    if run_id is not None and len(bases) < 2:
        return html.Div()
    asked = policy_in_question(policies) if policies else ""
    against = BASELINE if BASELINE in policies and asked != BASELINE else ""
    against = against or next((each for each in bases if each != asked), "")
    data = {"run": run_id, "policy": asked, "against": against} if run_id else None
    return html.Div(
        [
            dcc.Store(id=RUN_OF_PAIR, data=run_id),
            dcc.Store(id=PAIR, data=data),
            words.choice(policies, bases, asked, against),
            card_grid(*(view.card() for view in VIEWS)),
        ]
    )


@callback(
    Output(PAIR, "data"),
    Output(words.SAID, "children"),
    Input(words.POLICY, "value"),
    Input(words.AGAINST, "value"),
    State(RUN_OF_PAIR, "data"),
)
def show_pair(policy: str, against: str, run_id: str) -> tuple[dict[str, str], str]:
    """Hold the chosen policies against each other, and say what came of it."""
    chosen = pair({"run": run_id, "policy": policy, "against": against})
    said = chosen.why_not() or words.sentence(chosen.compared().totals, policy, against)
    return {"run": run_id, "policy": policy, "against": against}, said
