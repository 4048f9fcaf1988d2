"""What are the jobs like: how long, how many GPUs, how do they end?"""

import dash
import pandas as pd
from dash import Output, callback, html

from components.figures import jobs as figures
from components.numbers import duration, listing, percent, plural
from components.page_frame import card_grid
from components.tables import Column
from components.theme import KINDS
from pages import job_failures
from pages.final_states import GROUPS, no_states
from pages.frame import FILTERS_CHANGED, scope_exists, scoped_page, skeleton
from pages.job_links import any_gpus, finder_address, gpus_address
from pages.scope import Scope, scope_of_store
from pages.views import View, wire

QUESTION = "What are the jobs like: how long, how many GPUs, how do they end?"
ANSWER = "jobs-answer"


def left_out(scope: Scope, reasons: dict[str, str]) -> str:
    """How many jobs a chart cannot show; ``reasons`` is column of ``jobs_left_out`` → what they lack."""
    counts = scope.ask("jobs_left_out").iloc[0]
    parts = [f"{plural(counts[column], 'job')} {lack}" for column, lack in reasons.items() if counts[column]]
    return f" Left out: {listing(parts)}." if parts else " No job is left out."


def duration_note(rows: pd.DataFrame, scope: Scope) -> str:
    """What the curve says, of which jobs."""
    missing = left_out(scope, {"no_gpu_num": "of unknown GPU count", "no_duration": "without a duration"})
    return f"Share of the jobs submitted in the window that ran at most so long.{missing}"


def gpu_count_note(rows: pd.DataFrame, scope: Scope) -> str:
    """What the two curves say, of which jobs."""
    reasons = {
        "no_gpu_num": "of unknown GPU count",
        "no_gpu_job_duration": "without a duration (from GPU time only)",
    }
    return f"GPU jobs; GPU time is GPUs × duration.{left_out(scope, reasons)}"


def status_note(scope: Scope) -> str:
    """The three groups, and which jobs are in none."""
    missing = left_out(
        scope, {"no_gpu_num": "of unknown GPU count", "no_final_status": "not ended or of unknown state"}
    )
    return f"{GROUPS}{missing}"


def gpus_of_kind(scope: Scope, kind: str) -> str:
    """The range of GPU counts of GPU jobs or of CPU jobs."""
    return any_gpus(scope) if kind == "GPU jobs" else "0..0"


def jobs_up_to_a_duration(scope: Scope) -> dict[str, str]:
    """Kind → its jobs in the job finder that ran at most so long, longest first; a point fills it in."""
    return {
        kind: finder_address(
            scope.filters, gpu_num=gpus_of_kind(scope, kind), duration_s="..{x}", sort="-duration_s"
        )
        for kind in KINDS
    }


DURATIONS = View[Scope](
    name="jobs-durations",
    title="How long do jobs run?",
    rows=lambda scope: scope.ask("duration_cdf"),
    figure=lambda rows, scope: figures.duration_cdf(rows),
    columns=(
        Column("kind", "Kind"),
        Column("duration_s", "At most", "duration"),
        Column("jobs", "Jobs", "count"),
        Column("share", "Share", "percent"),
    ),
    note=duration_note,
    method="Counted at eight durations per octave, exact at each; everything up to a second is the first "
    "point. Queueing is not in it. Hu et al., SC'21, figure 5.",
    opens=jobs_up_to_a_duration,
    click=" A click on a point opens the jobs that ran at most so long in the job finder, longest first.",
    nothing="No job of this choice has a known duration.",
)
GPU_COUNTS = View[Scope](
    name="jobs-gpu-counts",
    title="How many GPUs do jobs ask for, and who uses the GPU time?",
    rows=lambda scope: scope.ask("gpu_count_cdf"),
    figure=lambda rows, scope: figures.gpu_count_cdf(rows),
    columns=(
        Column("gpu_num", "GPUs", "count"),
        Column("jobs", "Jobs", "count"),
        Column("gpu_s", "GPU time", "gpu_time"),
        Column("share_of_jobs", "Jobs, at most so many GPUs", "percent"),
        Column("share_of_gpu_time", "GPU time, at most so many GPUs", "percent"),
    ),
    note=gpu_count_note,
    method="Each step is a GPU count that some job asks for: the share of GPU jobs, and of their GPU time, "
    "of jobs that ask for at most so many. Hu et al., SC'21, figure 6.",
    opens=lambda scope: finder_address(scope.filters, gpu_num="{x}..{x}"),
    click=" A click on a point opens the jobs of that GPU count in the job finder.",
    nothing="There is no GPU job in this choice.",
)
STATUS_COLUMNS = (
    Column("status", "Final status"),
    Column("jobs", "Jobs", "count"),
    Column("share", "Share", "percent"),
)
STATUS_BY_KIND = View[Scope](
    name="jobs-status-by-kind",
    title="How do GPU jobs and CPU jobs end?",
    rows=lambda scope: scope.ask("final_status_by_kind"),
    figure=lambda rows, scope: figures.final_status(
        rows,
        "kind",
        "",
        {kind: finder_address(scope.filters, gpu_num=gpus_of_kind(scope, kind)) for kind in rows["kind"]},
    ),
    columns=(Column("kind", "Kind"), *STATUS_COLUMNS),
    note=lambda rows, scope: status_note(scope),
    method="Shares of the jobs submitted in the window that have ended, by their number, not by their GPU "
    "time. A click on a bar opens the jobs of its kind in the job finder. Hu et al., SC'21, figure 7.",
    absent=no_states,
    span="third",
)
STATUS_BY_GPUS = View[Scope](
    name="jobs-status-by-gpus",
    title="Do larger jobs fail more often?",
    rows=lambda scope: scope.ask("final_status_by_gpu_count"),
    figure=lambda rows, scope: figures.final_status(
        rows, "gpus", "GPUs asked for", {gpus: gpus_address(scope.filters, gpus) for gpus in rows["gpus"]}
    ),
    columns=(Column("gpus", "GPUs"), *STATUS_COLUMNS),
    note=lambda rows, scope: (
        f"GPU jobs; counts that are not powers of two are in “other”. {status_note(scope)}"
    ),
    method="Shares of the ended GPU jobs that ask for so many GPUs. A click on a bar opens those jobs in the "
    "job finder. Hu et al., SC'21, figure 7.",
    absent=no_states,
    span="wide",
)
VIEWS = (DURATIONS, GPU_COUNTS, STATUS_BY_KIND, STATUS_BY_GPUS, *job_failures.VIEWS)


def body() -> list[html.Div]:
    """The charts."""
    return [card_grid(*(view.card() for view in VIEWS))]


def layout(**query: object) -> html.Div:
    """The page about the scope that the address names."""
    return scoped_page(QUESTION, ANSWER, body, query)


dash.register_page(
    __name__,
    path="/jobs",
    title="Jobs · Heliograph",
    label="Jobs",
    group="What is going on",
    order=2,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=scope_exists,
)


@callback(Output(ANSWER, "children"), FILTERS_CHANGED)
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


def answer(scope: Scope) -> str:
    """One sentence from the data: typical duration, what single-GPU jobs use, how many do not complete."""
    gpus = scope.ask("gpu_count_cdf")
    parts = [median_sentence(scope.ask("median_duration").iloc[0]), single_gpu_sentence(gpus)]
    if scope.knows("has_state"):
        parts.append(status_sentence(scope.ask("final_status_by_kind")))
    said = [part for part in parts if part]
    return f"{'; '.join(said)}." if said else "There is no job in this choice."


def median_sentence(median: pd.Series) -> str | None:
    """The typical GPU job; None where no duration is known."""
    if not median["timed_jobs"]:
        return None
    return f"Half of the GPU jobs end within {duration(median['median_duration_s'])}"


def single_gpu_sentence(curve: pd.DataFrame) -> str | None:
    """What jobs of one GPU or less are of all jobs and of all GPU time."""
    small = curve[curve["gpu_num"] <= 1]
    if small.empty or pd.isna(small["share_of_gpu_time"].iloc[-1]):
        return None
    last = small.iloc[-1]
    jobs, gpu_time = percent(last["share_of_jobs"], 0), percent(last["share_of_gpu_time"], 0)
    return f"{jobs} ask for one GPU at most and use {gpu_time} of the GPU time"


def status_sentence(bars: pd.DataFrame) -> str | None:
    """How many GPU jobs do not complete."""
    shares = bars[bars["kind"] == "GPU jobs"].set_index("status")["share"]
    if shares.empty:
        return None
    failed, cancelled = (percent(shares.get(status, 0.0), 0) for status in ("failed", "cancelled"))
    return f"{failed} fail and {cancelled} are cancelled"


for _view in VIEWS:
    wire(_view, FILTERS_CHANGED, scope_of_store, of_stored_traces=True)
