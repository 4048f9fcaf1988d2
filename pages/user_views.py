"""What a user's page shows: jobs and GPU time over time, waits, what jobs repeat, the latest jobs."""

import pandas as pd
from dash import dcc, get_relative_path, html

from components.figures import jobs as job_figures
from components.figures import users as figures
from components.numbers import gpu_hours, is_unknown, plural
from components.tables import Column, data_table
from pages.final_states import GROUPS
from pages.job_links import any_gpus, finder_address, job_address
from pages.user_subject import LATEST_JOBS, OWN, TEMPLATES, UserSubject, latest_jobs, templates, waits
from pages.utilization import no_waits
from pages.views import CLICK_PERIOD, View

NO_JOB = "This user has no GPU job in this choice."
STATUSES = ("completed", "cancelled", "failed", job_figures.UNFINISHED)


def no_starts(who: UserSubject) -> str | None:
    """Why nobody's wait is known, if so."""
    return no_waits(who.scope)


def by_period(who: UserSubject) -> pd.DataFrame:
    """The user's GPU jobs and their GPU time by period and final status."""
    return who.ask("user_by_period", period=who.scope.period)


def jobs_up_to_a_wait(who: UserSubject) -> dict[str, str]:
    """The user's jobs that waited at most so long, in the job finder; a point of their line fills it in.

    The finder cannot leave a user out, so the line of everybody else opens nothing.
    """
    wanted = {"user": who.shown, "gpu_num": any_gpus(who.scope), "queueing_delay_s": "..{x}"}
    return {OWN: finder_address(who.scope.filters, **wanted, sort="-queueing_delay_s")}


def period_note(what: str, who: UserSubject) -> str:
    """What a bar is, and that the window may cut the outer ones."""
    period, zone = who.scope.period, who.scope.timezone
    return f"{what} by local {period} of submission ({zone}); the window may cut the first and the last."


def waits_note(rows: pd.DataFrame, who: UserSubject) -> str:
    """Whose jobs are compared."""
    return (
        f"Share of GPU jobs that started within so long (1 s and less at the left edge): {who.shown}’s, and "
        "everybody else’s in the virtual clusters in which they have jobs."
    )


def templates_note(number: int) -> str:
    """How the templates are sorted, and how many of them are shown."""
    if number <= TEMPLATES:
        return f"{plural(number, 'job template')}, sorted by GPU time."
    return f"The first {TEMPLATES} of {plural(number, 'job template')} by GPU time; the CSV has all."


def job_table(rows: pd.DataFrame, who: UserSubject) -> html.Div:
    """The last jobs, each a link to its page, and the way to all of them."""
    trace, filters = who.scope.trace, who.scope.filters
    links = [job_address(trace, row.cluster, row.job_id) for row in rows.itertuples()]
    everything = dcc.Link("All of their jobs in the job finder", href=finder_address(filters, user=who.shown))
    return html.Div([data_table(rows, JOB_COLUMNS, links), html.P(everything, className="table-more")])


JOB_COLUMNS = (
    Column("job_id", "Job"),
    Column("job_name", "Name"),
    Column("state", "State"),
    Column("submit_time", "Submitted", "time"),
    Column("gpu_num", "GPUs", "count"),
    Column("queueing_delay_s", "Queueing delay", "duration"),
    Column("duration_s", "Duration", "duration"),
)
TEMPLATE_COLUMNS = (
    Column("template", "Name, # for numbers"),
    Column("gpu_num", "GPUs", "count"),
    Column("jobs", "GPU jobs", "count"),
    Column("completion", "Completed", "percent"),
    Column("median_duration_s", "Median duration", "duration"),
    Column("gpu_s", "GPU time", "gpu_time"),
    Column("lost_share", "GPU time lost", "percent"),
)
PERIOD_COLUMNS = (
    Column("status", "Final status"),
    Column("period", "From", "day"),
    Column("jobs", "GPU jobs", "count"),
    Column("timed_jobs", "With a duration", "count"),
    Column("gpu_s", "GPU time", "gpu_time"),
)
JOBS = View[UserSubject](
    name="user-jobs-over-time",
    title="When do their jobs come, and how do they end?",
    rows=by_period,
    figure=lambda rows, who: job_figures.statuses_over_time(
        rows,
        "jobs",
        STATUSES,
        "GPU jobs",
        factor=1,
        written=lambda jobs: plural(jobs, "job"),
        address=lambda first_day: who.scope.period_address(first_day, who.scope.period),
    ),
    columns=PERIOD_COLUMNS,
    note=lambda rows, who: period_note("GPU jobs", who),
    method=f"GPU jobs by the time of their submission, whatever their end.{CLICK_PERIOD} {GROUPS}",
    nothing=NO_JOB,
)
GPU_TIME = View[UserSubject](
    name="user-gpu-time-over-time",
    title="How much GPU time do they use, and lose?",
    rows=by_period,
    figure=lambda rows, who: job_figures.statuses_over_time(
        rows,
        "gpu_s",
        STATUSES,
        "GPU-hours",
        factor=1 / 3600,
        written=gpu_hours,
        address=lambda first_day: who.scope.period_address(first_day, who.scope.period),
    ),
    columns=PERIOD_COLUMNS,
    note=lambda rows, who: period_note(
        "GPU time (GPUs × duration)" + _untimed(int((rows["jobs"] - rows["timed_jobs"]).sum())), who
    ),
    method="All GPU time of a job counts in the period of its submission, also what it ran later. Lost is "
    f"that of failed and cancelled jobs.{CLICK_PERIOD} {GROUPS}",
    nothing=NO_JOB,
)
WAITS = View[UserSubject](
    name="user-waits",
    title="Do they wait longer than others?",
    rows=waits,
    figure=lambda rows, who: figures.waits_against_others(rows, OWN),
    columns=(
        Column("side", "Whose"),
        Column("delay_s", "At most", "duration"),
        Column("jobs", "GPU jobs", "count"),
        Column("share", "Share", "percent"),
    ),
    note=waits_note,
    method="Queueing delay is submission to start, of GPU jobs that started; counted at eight delays per "
    "octave, exact at each. Jobs without a user are everybody else’s.",
    opens=jobs_up_to_a_wait,
    click=" A click on a point of their line opens their jobs that waited at most so long in the job finder, "
    "longest first.",
    absent=no_starts,
    nothing="No GPU job of this user has started in this choice.",
    span="third",
)
VC_COLUMNS = (
    Column("vc", "Virtual cluster"),
    Column("cluster", "Cluster"),
    Column("jobs", "Their GPU jobs", "count"),
    Column("mean_delay_s", "Mean delay", "duration"),
    Column("others_jobs", "Others’ GPU jobs", "count"),
    Column("others_mean_delay_s", "Others’ mean delay", "duration"),
)
WAITS_BY_VC = View[UserSubject](
    name="user-waits-by-vc",
    title="In which virtual clusters?",
    rows=lambda who: who.ask("user_waits_by_vc"),
    table=lambda rows, who: data_table(
        rows,
        VC_COLUMNS,
        [
            None
            if is_unknown(row.vc)
            else who.scope.address(get_relative_path("/vcs"), clusters=(row.cluster,), vcs=(row.vc,))
            for row in rows.itertuples()
        ],
    ),
    columns=VC_COLUMNS,
    note=lambda rows, who: "GPU jobs that started; a virtual cluster’s name opens it.",
    method="Means of submission to start over all GPU jobs that started, those that did not wait included.",
    absent=no_starts,
    nothing="No GPU job of this user has started in this choice.",
    span="wide",
)
TEMPLATES_VIEW = View[UserSubject](
    name="user-templates",
    title="What do their jobs repeat?",
    rows=templates,
    table=lambda rows, who: data_table(rows.head(TEMPLATES), TEMPLATE_COLUMNS),
    columns=TEMPLATE_COLUMNS,
    note=lambda rows, who: templates_note(len(rows)),
    method="A template is GPU jobs of the same GPU count whose names differ in their numbers at most; jobs "
    f"without a name are one per GPU count. Lost is GPU time of failed and cancelled jobs. {GROUPS}",
    nothing=NO_JOB,
    span="full",
)
LATEST = View[UserSubject](
    name="user-latest",
    title="Their latest jobs",
    rows=latest_jobs,
    table=job_table,
    columns=JOB_COLUMNS,
    note=lambda rows, who: (
        f"The last {plural(len(rows), 'job')} submitted in the window ({LATEST_JOBS} at most), CPU jobs "
        f"included; time zone {who.scope.timezone}."
    ),
    method="Sorted by submission, newest first. A job’s number opens its page.",
    nothing="This user has no job in this choice.",
    span="full",
)
VIEWS = (JOBS, GPU_TIME, WAITS, WAITS_BY_VC, TEMPLATES_VIEW, LATEST)


def _untimed(jobs: int) -> str:
    return f", {plural(jobs, 'job')} without a duration left out," if jobs else ""
