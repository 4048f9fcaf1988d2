"""When are clusters busy, and how does their work change?"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import dash
import dash_mantine_components as dmc
import pandas as pd
from dash import ClientsideFunction, Input, Output, callback, clientside_callback, dcc, html

from components import published
from components.figures import rhythm
from components.figures.utilization import utilization_by_hour_and_weekday
from components.filter_bar import FILTERS
from components.numbers import count, percent
from components.page_frame import card_grid
from components.tables import Column
from pages.frame import scope_exists, scoped_page, skeleton
from pages.job_links import any_gpus, finder_address
from pages.scope import SECOND, Scope, local, scope_of_store
from pages.utilization import DEFINITION, no_utilization, utilization_note
from pages.views import CLICK_PERIOD, View, wire

QUESTION = "When are clusters busy, and how does their work change?"
ANSWER, CHOICE, PUBLISHED = "clusters-answer", "clusters-choice", "clusters-published"
#: A window of more days is shown by month, a shorter one by week.
WEEKS_UP_TO_DAYS = 100
SUBMITTED = "GPU jobs by the time of their submission. Local hours, also on days on which clocks change."


@dataclass(frozen=True)
class Comparison:
    """The scope, and whether published curves are drawn beside it."""

    scope: Scope
    published: bool

    @property
    def period(self) -> str:
        """``week`` or ``month``."""
        days = (self.scope.end_time - self.scope.start_time).days
        return "month" if days > WEEKS_UP_TO_DAYS else "week"

    @property
    def label(self) -> str:
        """How an axis names a period; months of one calendar year without the year."""
        if self.period == "week":
            return "%-d %b"
        ends = (self.scope.start_time, self.scope.end_time - SECOND)
        first, last = (local(time, self.scope.timezone) for time in ends)
        return "%b" if first.year == last.year else "%b %Y"

    def hourly_reference(self, rows: pd.DataFrame) -> pd.DataFrame | None:
        """The published hours of day of the chosen clusters; None where they are not wanted."""
        if not self.published:
            return None
        per_hour = rows.groupby("cluster")["gpu_jobs_per_hour"].sum()
        return published.scaled(self._of(published.by_hour_of_day()), ["gpu_jobs_per_hour"], per_hour)

    def monthly_reference(self, rows: pd.DataFrame) -> pd.DataFrame | None:
        """The published months of the window; None where they are not wanted, or periods are weeks."""
        if not self.published or self.period != "month":
            return None
        table = self._of(published.by_month())
        table = table[table["period"].isin(pd.to_datetime(rows["period"]))]
        counts = ["single_jobs", "multi_jobs"]
        return published.scaled(table, counts, rows.groupby("cluster")[counts].sum().sum(axis=1))

    def _of(self, table: pd.DataFrame) -> pd.DataFrame:
        return table[table["cluster"].isin(self.scope.clusters)]


def comparison(data: dict | None) -> Comparison:
    """The comparison that the page's store holds."""
    return Comparison(scope_of_store(data), bool((data or {}).get("published")))


def beside(it: Comparison, sentence: str) -> str:
    """The note, and what the published lines are where they are drawn."""
    if not (it.published and published.fits(it.scope.clusters)):
        return sentence
    return f"{sentence} Dotted or open: published, {published.SOURCE}; counts scaled to a smaller trace."


def periods_note(it: Comparison, sentence: str, *, referenced: bool = True) -> str:
    """The note of a chart by period; ``referenced`` where published months can be drawn on it."""
    what = f"{sentence} By local {it.period}; the first and the last may be cut by the window."
    if not (it.published and referenced):
        return what
    if it.period == "week":
        return f"{what} Published by month only: choose more than {WEEKS_UP_TO_DAYS} days."
    return beside(it, what)


HOURS = (
    Column("cluster", "Cluster"),
    Column("hour", "Hour", "count"),
    Column("utilization", "Utilization", "percent"),
    Column("gpu_jobs", "GPU jobs", "count"),
    Column("hours", "Hours of the window", "count"),
    Column("gpu_jobs_per_hour", "GPU jobs an hour", "count"),
)
PERIODS = (
    Column("cluster", "Cluster"),
    Column("period", "From", "day"),
    Column("single_jobs", "Jobs, one GPU", "count"),
    Column("multi_jobs", "Jobs, several", "count"),
    Column("single_utilization", "Utilization, one GPU", "percent"),
    Column("multi_utilization", "Utilization, several", "percent"),
    Column("utilization", "Utilization", "percent"),
)
MIX = (
    Column("gpus", "GPUs"),
    Column("period", "From", "day"),
    Column("jobs", "Jobs", "count"),
    Column("gpu_s", "GPU time", "gpu_time"),
    Column("share_of_jobs", "Share of jobs", "percent"),
    Column("share_of_gpu_time", "Share of GPU time", "percent"),
)


def jobs_of_cell(scope: Scope) -> str:
    """The GPU jobs submitted in a cell of hours and weekdays, in the job finder; the cell fills it in."""
    return finder_address(
        scope.filters,
        gpu_num=any_gpus(scope),
        submit_hour="{x}..{x}",
        submit_weekday="{row}..{row}",
    )


def _period_address(it: Comparison) -> Callable[[date], str | None]:
    return lambda first_day: it.scope.period_address(first_day, it.period)


def _by_hour(it: Comparison) -> pd.DataFrame:
    return it.scope.ask("rhythm_by_hour")


def _by_period(it: Comparison) -> pd.DataFrame:
    return it.scope.ask("growth_by_period", period=it.period)


def _mix(it: Comparison) -> pd.DataFrame:
    return it.scope.ask("gpu_counts_by_period", period=it.period)


VIEWS = (
    View[Comparison](
        name="clusters-utilization-by-hour",
        title="At which hours are GPUs busy?",
        rows=_by_hour,
        figure=lambda rows, it: rhythm.by_hour(
            rows,
            "utilization",
            it.scope.all_clusters,
            it.scope.timezone,
            ratio=True,
            published=it.hourly_reference(rows),
        ),
        columns=HOURS,
        note=lambda rows, it: beside(it, utilization_note(it.scope, "mean by local hour of day")),
        opens=lambda it: it.scope.cluster_addresses(),
        method=DEFINITION,
        absent=lambda it: no_utilization(it.scope),
    ),
    View[Comparison](
        name="clusters-submissions-by-hour",
        title="At which hours are jobs submitted?",
        rows=_by_hour,
        figure=lambda rows, it: rhythm.by_hour(
            rows,
            "gpu_jobs_per_hour",
            it.scope.all_clusters,
            it.scope.timezone,
            unit="GPU jobs an hour",
            published=it.hourly_reference(rows),
        ),
        columns=HOURS,
        note=lambda rows, it: beside(it, "GPU jobs submitted per hour, mean by local hour of day."),
        opens=lambda it: it.scope.cluster_addresses(),
        method=SUBMITTED,
    ),
    View[Comparison](
        name="clusters-utilization-by-weekday",
        title="Which hours of the week are busy?",
        rows=lambda it: it.scope.ask("utilization_by_hour_and_weekday"),
        figure=lambda rows, it: utilization_by_hour_and_weekday(rows, it.scope.timezone),
        columns=(
            Column("weekday", "Weekday (1 is Monday)", "count"),
            Column("hour", "Hour", "count"),
            Column("utilization", "Utilization", "percent"),
        ),
        note=lambda rows, it: utilization_note(it.scope, "all chosen clusters together"),
        method=DEFINITION,
        opens=lambda it: jobs_of_cell(it.scope),
        click=" A click on a cell opens the GPU jobs submitted in those hours in the job finder.",
        absent=lambda it: no_utilization(it.scope),
    ),
    View[Comparison](
        name="clusters-submissions-by-weekday",
        title="In which hours of the week are jobs submitted?",
        rows=lambda it: it.scope.ask("submissions_by_hour_and_weekday"),
        figure=lambda rows, it: rhythm.submissions_by_hour_and_weekday(rows, it.scope.timezone),
        columns=(
            Column("weekday", "Weekday (1 is Monday)", "count"),
            Column("hour", "Hour", "count"),
            Column("gpu_jobs", "GPU jobs", "count"),
            Column("gpu_jobs_per_hour", "GPU jobs an hour", "count"),
        ),
        note=lambda rows, it: "GPU jobs submitted per hour, all chosen clusters together.",
        method=SUBMITTED,
        opens=lambda it: jobs_of_cell(it.scope),
        click=" A click on a cell opens its jobs in the job finder.",
    ),
    View[Comparison](
        name="clusters-jobs-by-period",
        title="How many jobs are submitted?",
        rows=_by_period,
        figure=lambda rows, it: rhythm.split_by_period(
            rows,
            "jobs",
            it.label,
            it.scope.cluster_addresses(),
            ratio=False,
            published=it.monthly_reference(rows),
        ),
        columns=PERIODS,
        note=lambda rows, it: periods_note(it, "GPU jobs submitted, of one GPU (or less) and of several."),
        method=SUBMITTED + " A click on a bar shows its cluster alone.",
    ),
    View[Comparison](
        name="clusters-utilization-by-period",
        title="Whose jobs make the utilization?",
        rows=_by_period,
        figure=lambda rows, it: rhythm.split_by_period(
            rows,
            "utilization",
            it.label,
            it.scope.cluster_addresses(),
            ratio=True,
            published=it.monthly_reference(rows),
        ),
        columns=PERIODS,
        note=lambda rows, it: periods_note(it, utilization_note(it.scope, "split by the size of the job")),
        method=DEFINITION + " A click on a bar shows its cluster alone.",
        absent=lambda it: no_utilization(it.scope),
    ),
    View[Comparison](
        name="clusters-sizes-of-jobs",
        title="Do jobs become larger?",
        rows=_mix,
        figure=lambda rows, it: rhythm.size_mix(rows, "share_of_jobs", it.label, _period_address(it)),
        columns=MIX,
        note=lambda rows, it: periods_note(
            it, "Share of GPU jobs by the GPUs they ask for.", referenced=False
        ),
        method=SUBMITTED + " Jobs of unknown GPU count are left out." + CLICK_PERIOD,
        nothing="There is no GPU job in this choice.",
    ),
    View[Comparison](
        name="clusters-sizes-by-gpu-time",
        title="Which sizes use the GPU time?",
        rows=_mix,
        figure=lambda rows, it: rhythm.size_mix(rows, "share_of_gpu_time", it.label, _period_address(it)),
        columns=MIX,
        note=lambda rows, it: periods_note(
            it, "Share of GPU time (GPUs × duration) by the GPUs asked for.", referenced=False
        ),
        method="GPU time of a job counts in the period of its submission; jobs without a duration have "
        "none." + CLICK_PERIOD,
        nothing="There is no GPU job in this choice.",
    ),
)


def body(shown: bool = False) -> list[Any]:
    """The switch and the charts."""
    switch = dmc.Switch(
        id=PUBLISHED,
        checked=shown,
        label="Published Helios curves beside it",
        size="xs",
        className="page-switch",
    )
    return [dcc.Store(id=CHOICE), switch, card_grid(*(view.card() for view in VIEWS))]


def layout(**query: Any) -> html.Div:
    """The page about the scope that the address names; ``published=1`` draws the references."""
    return scoped_page(QUESTION, ANSWER, lambda: body(query.get("published") == "1"), query)


dash.register_page(
    __name__,
    path="/clusters",
    title="Clusters · Heliograph",
    label="Clusters",
    group="What is going on",
    order=1.1,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=scope_exists,
)

clientside_callback(
    ClientsideFunction("heliograph", "choosePublished"),
    Output(CHOICE, "data"),
    Input(FILTERS, "data"),
    Input(PUBLISHED, "checked"),
)


@callback(Output(PUBLISHED, "disabled"), Output(PUBLISHED, "description"), Input(FILTERS, "data"))
def offer_published(data: dict) -> tuple[bool, str]:
    fits = published.fits(scope_of_store(data).clusters)
    return not fits, "" if fits else "There are published curves of Venus, Earth, Saturn and Uranus only."


@callback(Output(ANSWER, "children"), Input(FILTERS, "data"))
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


def answer(scope: Scope) -> str:
    """One sentence from the data: busiest and idlest hour, and when jobs come."""
    submitted = scope.ask("submissions_by_hour_and_weekday").groupby("hour")[["gpu_jobs", "hours"]].sum()
    rate = submitted["gpu_jobs"] / submitted["hours"]
    if not rate.sum() > 0:
        return "No GPU job was submitted in this choice."
    coming = (
        f"most jobs come at {_hours(rate.idxmax())} ({count(round(rate.max()))} an hour), "
        f"fewest at {_hours(rate.idxmin())} ({count(round(rate.min()))})"
    )
    if no_utilization(scope):
        return f"{coming[0].upper()}{coming[1:]}."
    used = scope.ask("utilization_by_hour_and_weekday").groupby("hour")[["held_gpu_s", "present_gpu_s"]].sum()
    share = (used["held_gpu_s"] / used["present_gpu_s"]).dropna()
    if share.empty:
        return f"{coming[0].upper()}{coming[1:]}."
    return (
        f"GPUs are busiest at {_hours(share.idxmax())} ({percent(share.max())}) and least busy at "
        f"{_hours(share.idxmin())} ({percent(share.min())}); {coming}."
    )


def _hours(hour: int) -> str:
    return f"{hour:02d}–{(hour + 1) % 24:02d} h"


for _view in VIEWS:
    wire(_view, Input(CHOICE, "data"), comparison, of_stored_traces=True)
