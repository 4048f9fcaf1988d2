"""One job: what happened to it, how full its VC was while it waited, how its user's like jobs went."""

from typing import Any
from urllib.parse import unquote

import dash
import pandas as pd
from dash import Input, Output, callback, dcc, get_relative_path, html

from components import numbers
from components.figures import job as figures
from components.filters import Filters
from components.notices import way_back
from components.numbers import count, duration, gpu_hours, is_unknown, minute, percent, plural
from components.page_frame import card_grid, facts, page_frame
from components.tables import Column
from pages import identities
from pages.frame import there
from pages.job_links import job_address
from pages.job_subject import (
    LOAD_POINTS,
    SIMILAR_JOBS,
    JobSubject,
    job_of,
    job_of_store,
    load_while_waiting,
    phases,
    similar_jobs,
)
from pages.scope import local
from pages.user_links import user_address
from pages.views import View, wire
from queries import QueryError

JOB, ANSWER = "job", "job-answer"
PARTS = ("trace", "cluster", "job_id")


def no_start(job: JobSubject) -> str | None:
    """Why its VC's load while it waited cannot be shown, if so."""
    if is_unknown(job.last["start_time"]):
        return "It is not known when this job started, so not how long it waited either."
    return None


def nobody(job: JobSubject) -> str | None:
    """Why its user's jobs cannot be shown, if so."""
    if identities.policy() == identities.OFF:
        return identities.SWITCHED_OFF
    return "It is not known whose job this is." if job.user is None else None


def load_note(rows: pd.DataFrame, job: JobSubject) -> str:
    """Whose load, when it waited, and what is not known."""
    row = job.last
    start, end = (minute(local(row[name], job.timezone)) for name in ("submit_time", "start_time"))
    vc = "jobs without a VC" if is_unknown(row["vc"]) else row["vc"]
    note = f"{vc} of {row['cluster']}; this job waited from {start} until {end} and is counted."
    unknown = "" if rows["present_gpus"].notna().any() else " Its capacity is not known."
    return note + unknown


def vc_while_waiting(job: JobSubject) -> str:
    """The page of the last attempt's VC on the local days from its submission to its start."""
    row = job.last
    first, last = (local(row[name], job.timezone).date() for name in ("submit_time", "start_time"))
    vcs = () if is_unknown(row["vc"]) else (row["vc"],)
    days = Filters(job.trace, (row["cluster"],), vcs, first, last)
    return get_relative_path("/vcs") + days.query_string()


def similar_note(rows: pd.DataFrame, job: JobSubject) -> str:
    """What counts as similar, and how those jobs ended."""
    named = "" if is_unknown(job.last["job_name"]) else " and the same name"
    completed = percent((rows["state"] == "COMPLETED").mean(), 0)
    return (
        f"The {plural(len(rows), 'job')} of {job.user} in {job.last['cluster']} nearest in time with "
        f"{count(job.last['gpu_num'])} GPUs{named}; {completed} completed."
    )


LIFE = View[JobSubject](
    name="job-life",
    title="From submission to end",
    rows=phases,
    figure=lambda rows, job: figures.life(rows, job.timezone),
    columns=(
        Column("attempt", "Attempt"),
        Column("phase", "Phase"),
        Column("start_time", "From", "time"),
        Column("end_time", "Until", "time"),
        Column("seconds", "Length", "duration"),
    ),
    note=lambda rows, job: (
        f"{plural(len(job.attempts), 'attempt')}; phases whose beginning or end is unknown are left out."
    ),
    method="An attempt is one row of the accounting: a job that was queued again has several. It waits from "
    "submission to start and holds its GPUs from its start up to, not including, its end.",
    nothing="This trace does not say when the job started or ended.",
    span="wide",
)
LOAD = View[JobSubject](
    name="job-vc-load",
    title="How full was its virtual cluster while it waited?",
    rows=load_while_waiting,
    figure=lambda rows, job: figures.vc_load(rows, job.timezone),
    columns=(
        Column("local_time", "Time", "time"),
        Column("used_gpus", "GPUs in use", "count"),
        Column("waiting_gpus", "GPUs waited for", "count"),
        Column("present_gpus", "GPUs present", "count"),
    ),
    note=load_note,
    method="GPUs in use and present, and GPUs asked for by jobs that wait, in the VC of the last attempt, "
    f"from a quarter of its wait (an hour at least) before it until after. Some {LOAD_POINTS} instants, "
    "each as it was then.",
    opens=vc_while_waiting,
    click=" A click on a line opens the virtual cluster on the days of that wait.",
    absent=no_start,
)
SIMILAR = View[JobSubject](
    name="job-similar",
    title="Was it like its user's similar jobs?",
    rows=similar_jobs,
    figure=lambda rows, job: figures.durations_of_similar(
        rows, job.last["duration_s"], lambda job_id: job_address(job.trace, job.last["cluster"], job_id)
    ),
    columns=(
        Column("job_id", "Job"),
        Column("state", "State"),
        Column("submit_time", "Submitted", "time"),
        Column("queueing_delay_s", "Queueing delay", "duration"),
        Column("duration_s", "Duration", "duration"),
    ),
    note=similar_note,
    method="Jobs of the same user and cluster that ask for as many GPUs and, where jobs have names, have the "
    f"same name: the {SIMILAR_JOBS} nearest by submission, before or after. The share of them that ran at "
    "most so long. A click on a point opens its job.",
    absent=nobody,
    nothing="Its user has no other job with as many GPUs here.",
)
VIEWS = (LIFE, LOAD, SIMILAR)


def body(job: JobSubject | None = None) -> list[html.Div]:
    """The job's facts and the charts."""
    card = html.Section(
        [html.H2("The job"), facts(job_facts(job) if job else ())],
        className="card third",
        **{"aria-label": "The job"},
    )
    return [card_grid(LIFE.card(), card, LOAD.card(), SIMILAR.card())]


def job_facts(job: JobSubject) -> list[tuple[str, Any]]:
    """Its facts by name; unknown is said, its user is a link to their page."""
    row = job.last
    values = {
        "State": row["state"],
        "User": user_link(job),
        "Name": row["job_name"],
        "Cluster": row["cluster"],
        "Virtual cluster": row["vc"],
        "GPUs": None if is_unknown(row["gpu_num"]) else count(row["gpu_num"]),
        "GPU type": row["gpu_type"],
        "CPU cores": None if is_unknown(row["cpu_num"]) else count(row["cpu_num"]),
        "Submitted": minute(local(row["submit_time"], job.timezone)),
        "Queueing delay": duration(row["queueing_delay_s"]),
        "Duration": duration(row["duration_s"]),
        "GPU time": gpu_hours(row["gpu_num"] * row["duration_s"]),
        "Remarks of the import": row["flags"] or "none",
    }
    return [
        (name, value if isinstance(value, dcc.Link) else numbers.UNKNOWN if is_unknown(value) else str(value))
        for name, value in values.items()
    ]


def user_link(job: JobSubject) -> dcc.Link | None:
    """The way to the page of its user; None where they are unknown or not shown."""
    if job.user is None:
        return None
    return dcc.Link(job.user, href=user_address(job.user, Filters(trace=job.trace)), className="link")


def answer(job: JobSubject) -> str:
    """One sentence: how long it waited and ran, how it ended, and how that compares."""
    row = job.last
    waited = "" if is_unknown(row["queueing_delay_s"]) else f"waited {duration(row['queueing_delay_s'])}, "
    ran = "ran for an unknown time" if is_unknown(row["duration_s"]) else f"ran {duration(row['duration_s'])}"
    state = "" if row["state"] == "UNKNOWN" else f"; state {row['state'].lower().replace('_', ' ')}"
    sentence = f"It {waited}{ran}{state}"
    if nobody(job) is None and not is_unknown(row["duration_s"]):
        known = similar_jobs(job)["duration_s"].dropna()
        if len(known):
            return f"{sentence}; {among_similar(known < row['duration_s'])}."
    return f"{sentence}."


def among_similar(shorter: pd.Series) -> str:
    """How many of the similar jobs ran shorter, by a mark for each."""
    if len(shorter) == 1:
        return f"its user's one similar job ran {'shorter' if shorter.all() else 'as long or longer'}"
    share = "all" if shorter.all() else percent(shorter.mean(), 0) if shorter.any() else "none"
    return f"{share} of its user's {len(shorter)} similar jobs ran shorter"


def layout(trace: str = "", cluster: str = "", job_id: str = "", **_: Any) -> html.Div:
    """The page of the job that the address names."""
    try:
        job = job_of(trace, cluster, job_id)
    except QueryError as error:
        return way_back("There is no such job", str(error))
    store = dcc.Store(id=JOB, data=dict(zip(PARTS, (job.trace, cluster, job_id), strict=True)))
    return page_frame(
        f"What happened to job {job.last['job_id']}?",
        store,
        *body(job),
        answer_id=ANSWER,
        generated=job.generated,
    )


def exists(trace: str = "", cluster: str = "", job_id: str = "", **_: Any) -> bool:
    """Whether there is such a job; the server answers 404 otherwise."""
    return there(job_of, trace, cluster, job_id)


dash.register_page(
    __name__,
    path_template="/jobs/<trace>/<cluster>/<job_id>",
    title=lambda job_id="", **_: f"Job {unquote(job_id)} · Heliograph",
    layout=layout,
    skeleton=lambda: page_frame("What happened to the job?", dcc.Store(id=JOB), *body(), answer_id=ANSWER),
    exists=exists,
    trace_of=lambda trace, **_: unquote(trace),
)


@callback(Output(ANSWER, "children"), Input(JOB, "data"))
def show_answer(data: dict) -> str:
    return answer(job_of_store(data))


for _view in VIEWS:
    wire(_view, Input(JOB, "data"), job_of_store)
