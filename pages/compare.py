"""How do two traces, clusters, virtual clusters or periods differ?"""

from typing import Any

import dash
import pandas as pd
from dash import Input, Output, callback, html

from components import second_bar
from components.figures import comparison as figures
from components.filter_bar import Choices, filter_bar
from components.filters import Filters
from components.notices import way_back, welcome
from components.numbers import duration, percent
from components.page_frame import card_grid, page_frame
from components.second_bar import COMPARISON
from components.tables import Column, data_table
from pages import published
from pages.comparison import (
    Comparison,
    comparison_of_query,
    comparison_of_store,
    gpu_jobs_curve,
    gpu_time_by_status,
    in_numbers,
)
from pages.frame import SENTENCES, shows
from pages.scope import scope_of_query
from pages.views import View, wire
from queries import manifests

QUESTION = "How do these two differ?"
ANSWER = "compare-answer"
CHANGED = Input(COMPARISON, "data")
SIDE = Column("side", "Side")
REFERENCE_NOTE = " Published: Hu et al., SC'21, figure 1 (Helios, April to September 2020; Philly, 2017)."


def with_references(rows: pd.DataFrame, references: pd.DataFrame, about: Comparison) -> pd.DataFrame:
    """The rows, and the published ones below where they are wanted."""
    return pd.concat([rows, references], ignore_index=True) if about.references and len(rows) else rows


def reference_note(about: Comparison) -> str:
    """Where the published figures come from, where they are shown."""
    return REFERENCE_NOTE if about.references else ""


def no_states(about: Comparison) -> str | None:
    """Why neither side has final states, if so."""
    if about.one.knows("has_state") or about.other.knows("has_state"):
        return None
    return "Neither side has job states, so it is not known how their jobs ended."


NUMBERS_COLUMNS = (
    SIDE,
    Column("gpu_jobs", "GPU jobs", "count"),
    Column("gpu_s", "GPU time", "gpu_time"),
    Column("mean_gpus", "Mean GPUs", "count"),
    Column("median_duration_s", "Median duration", "duration"),
    Column("completion", "Completed", "percent"),
    Column("p50_queueing_delay_s", "Queueing, median", "duration"),
    Column("p95_queueing_delay_s", "Queueing, p95", "duration"),
)
NUMBERS = View[Comparison](
    name="compare-numbers",
    title="In numbers",
    rows=lambda about: about.both(in_numbers),
    table=lambda rows, about: data_table(rows, NUMBERS_COLUMNS),
    columns=NUMBERS_COLUMNS,
    note=lambda rows, about: "GPU jobs submitted in each side's window; completed ÷ ended.",
    method="Delays are of GPU jobs that started, durations of those that ran; medians and percentiles are "
    "interpolated linearly. GPU time is GPUs × duration of jobs with a known duration.",
    span="full",
)
DURATIONS = View[Comparison](
    name="compare-durations",
    title="How long do GPU jobs run?",
    rows=lambda about: with_references(about.both(gpu_jobs_curve), published.duration_curves(), about),
    figure=lambda rows, about: figures.duration_curves(rows, about.sides),
    columns=(
        SIDE,
        Column("duration_s", "At most", "duration"),
        Column("share", "Share of GPU jobs", "percent"),
    ),
    note=lambda rows, about: f"Share of GPU jobs that ran at most so long.{reference_note(about)}",
    method="GPU jobs submitted in each side’s window whose duration is known, counted at eight durations per "
    "octave, exact at each.",
    opens=Comparison.addresses,
    nothing="No GPU job of either side has a known duration.",
)
GPU_TIME = View[Comparison](
    name="compare-gpu-time",
    title="Where does the GPU time go?",
    rows=lambda about: with_references(about.both(gpu_time_by_status), published.gpu_time_by_status(), about),
    figure=lambda rows, about: figures.gpu_time_by_status(rows, about.addresses()),
    columns=(
        SIDE,
        Column("status", "Final status"),
        Column("gpu_s", "GPU time", "gpu_time"),
        Column("share", "Share", "percent"),
    ),
    note=lambda rows, about: (
        "GPU time (GPUs × duration) by how jobs ended; failed is every final state but completed and "
        "cancelled."
        f"{reference_note(about)}"
    ),
    method="Of GPU jobs submitted in each side’s window that have ended and whose duration is known; shares "
    "are of their sum. A click on a side’s bar opens its jobs.",
    absent=no_states,
    nothing="No ended GPU job of either side has a known GPU time.",
)


def gpu_count_view(share: str, of: str, words: str, title: str) -> View[Comparison]:
    """The view of GPU counts by jobs or by GPU time."""
    return View[Comparison](
        name=f"compare-{share.removeprefix('share_of_').replace('_', '-')}-by-gpus",
        title=title,
        rows=lambda about: about.both(lambda scope: scope.ask("gpu_count_cdf")),
        figure=lambda rows, about: figures.gpu_count_curves(rows, about.sides, share, f"share of {words}"),
        columns=(
            SIDE,
            Column("gpu_num", "GPUs", "count"),
            Column("jobs", "Jobs", "count"),
            Column("gpu_s", "GPU time", "gpu_time"),
            Column(share, f"Share of {words}", "percent"),
        ),
        note=lambda rows, about: f"Share of {of} that ask for at most so many GPUs.",
        method="GPU jobs submitted in each side’s window, each step a GPU count that some job asks for; GPU "
        "time is GPUs × duration of jobs with a known duration.",
        opens=Comparison.addresses,
        nothing="Neither side has a GPU job.",
    )


VIEWS = (
    NUMBERS,
    DURATIONS,
    GPU_TIME,
    gpu_count_view("share_of_jobs", "GPU jobs", "GPU jobs", "How many GPUs do jobs ask for?"),
    gpu_count_view("share_of_gpu_time", "the GPU time of jobs", "GPU time", "Which jobs use the GPU time?"),
)


def body() -> html.Div:
    """The charts."""
    return card_grid(*(view.card() for view in VIEWS))


def layout(**query: Any) -> html.Div:
    """The page about what the address compares."""
    if not manifests.names():
        return welcome()
    try:
        about = comparison_of_query(query)
        bar = filter_bar(about.one.filters, about.one.choices(), side="A")
        every_vc = scope_of_query({"trace": about.other.trace}).choices()
        second = second_bar.second_bar(about.one.filters, about.other.filters, every_vc, about.references)
    except SENTENCES as error:
        return way_back("This address compares nothing", str(error))
    generated = about.one.generated or about.other.generated
    return page_frame(QUESTION, second, body(), answer_id=ANSWER, generated=generated, bar=bar)


def exists(**query: Any) -> bool:
    """Whether both sides are there, or no trace is yet; the server answers 404 otherwise."""
    return shows(comparison_of_query, query)


def skeleton() -> html.Div:
    """The page without data, for Dash's validation."""
    bars = filter_bar(Filters(), Choices()), second_bar.second_bar(Filters(), Filters(), Choices(), True)
    return page_frame(QUESTION, bars[1], body(), answer_id=ANSWER, bar=bars[0])


dash.register_page(
    __name__,
    path="/compare",
    title="Compare · Heliograph",
    label="Compare",
    group="What is going on",
    order=7,
    layout=layout,
    skeleton=skeleton,
    exists=exists,
)


@callback(Output(ANSWER, "children"), CHANGED)
def show_answer(data: dict) -> str:
    return answer(comparison_of_store(data))


def answer(about: Comparison) -> str:
    """One sentence from the data: how typical durations and completed GPU time differ."""
    numbers = about.both(in_numbers)
    if not (numbers["gpu_jobs"] > 0).all():
        return "One of the two has no GPU jobs, so there is nothing to compare."
    first, second = numbers["median_duration_s"]
    if pd.isna(first) or pd.isna(second):
        return "The durations of one of the two are unknown."
    sentence = f"The typical GPU job of A runs {duration(first)}, that of B {duration(second)}"
    shares = about.both(gpu_time_by_status)
    completed = shares[shares["status"] == "completed"]["share"] if len(shares) else shares
    if len(completed) == 2:
        one, other = (percent(share, 0) for share in completed)
        sentence += f"; of A's GPU time {one} is in completed jobs, of B's {other}"
    return f"{sentence}."


second_bar.register()
for _view in VIEWS:
    wire(_view, CHANGED, comparison_of_store, of_stored_traces=True)
