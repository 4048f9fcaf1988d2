"""How busy is the datacenter, and what needs attention?"""

import dash
import pandas as pd
from dash import Output, callback, html

from components import numbers
from components.cards import result_card, result_cards, waiting_cards
from components.figures.utilization import utilization_by_hour_and_weekday, utilization_over_time
from components.numbers import count, duration, percent, plural
from components.page_frame import card_grid
from components.tables import Column
from components.vc_table import vc_table
from pages.frame import FILTERS_CHANGED, exists, scoped_page, skeleton
from pages.scope import Scope, local, local_times, scope_of_store
from pages.views import View, wire

QUESTION = "How busy is the datacenter, and what needs attention?"
ANSWER, CARDS = "overview-answer", "overview-cards"
#: Lengths of a bin of the timeline; the shortest that needs at most so many points is taken. A chart can draw
#: 1,500, but several clusters' lines are only legible with fewer.
BINS_S = (600, 1800, 3600, 10800, 21600, 86400, 7 * 86400)
POINTS = 600
NO_CAPACITY = "The capacity of this choice is unknown, so its utilization is too; import it with --capacity."
NO_STARTS_HERE = "This trace has no start times."
NO_STARTS = "This trace has no start times, so it is not known which GPUs were in use, or who waited."


def no_utilization(scope: Scope) -> str | None:
    """Why there is no utilization of this scope, if so."""
    if not scope.knows("has_start"):
        return NO_STARTS
    return None if scope.knows("has_capacity") else NO_CAPACITY


def bin_s(scope: Scope) -> int:
    """The bin of the timeline, in s."""
    window_s = (scope.end_time - scope.start_time).total_seconds()
    return next((length for length in BINS_S if window_s / length <= POINTS), BINS_S[-1])


def timeline(scope: Scope) -> pd.DataFrame:
    """Utilization by cluster over the window, with local times for the axis."""
    series = scope.ask("utilization_by_cluster", bin_s=bin_s(scope))
    series.insert(2, "local_time", local_times(series["time"], scope.timezone))
    return series


def utilization_note(scope: Scope, what: str) -> str:
    """The definition of utilization, and whom it leaves out."""
    sentence = (
        f"GPUs allocated ÷ GPUs present (that day's quota), {what}; jobs count from start up to their end."
    )
    lacking = scope.lacking("has_capacity")
    return f"{sentence} Left out, capacity unknown: {numbers.listing(lacking)}." if lacking else sentence


UTILIZATION = View[Scope](
    name="overview-utilization",
    title="GPU utilization by cluster",
    rows=timeline,
    figure=lambda rows, scope: utilization_over_time(rows, scope.all_clusters, scope.timezone),
    columns=(
        Column("cluster", "Cluster"),
        Column("local_time", "Time", "time"),
        Column("held_gpu_s", "GPU time in use", "gpu_time"),
        Column("present_gpu_s", "GPU time present", "gpu_time"),
        Column("utilization", "Utilization", "percent"),
    ),
    note=lambda rows, scope: utilization_note(scope, f"mean of {duration(bin_s(scope))}"),
    absent=no_utilization,
    span="full",
)
PRESSURE = View[Scope](
    name="overview-vcs",
    title="Virtual clusters under pressure",
    rows=lambda scope: scope.ask("vcs_under_pressure"),
    table=lambda rows, scope: vc_table(rows.head(8), scope.all_clusters),
    columns=(),
    note=lambda rows, scope: pressure_note(rows),
)
RHYTHM = View[Scope](
    name="overview-rhythm",
    title="When are GPUs busy, when do they idle?",
    rows=lambda scope: scope.ask("utilization_by_hour_and_weekday"),
    figure=lambda rows, scope: utilization_by_hour_and_weekday(rows, scope.timezone),
    columns=(
        Column("weekday", "Weekday (1 is Monday)", "count"),
        Column("hour", "Hour", "count"),
        Column("utilization", "Utilization", "percent"),
    ),
    note=lambda rows, scope: utilization_note(scope, f"by hour and weekday, time zone {scope.timezone}"),
    absent=no_utilization,
)
VIEWS = (UTILIZATION, PRESSURE, RHYTHM)


def pressure_note(rows: pd.DataFrame) -> str:
    """How the table is sorted and how much of it is shown."""
    shown = f"The first {min(8, len(rows))} of {plural(len(rows), 'virtual cluster')}; the CSV has all."
    return (
        f"Sorted by GPU time that waited (GPUs × queueing delay) of the jobs submitted in the window. {shown}"
    )


def body() -> list[html.Div]:
    """Cards and charts."""
    return [result_cards(waiting_cards(5), id=CARDS), card_grid(*(view.card() for view in VIEWS))]


def layout(**query: object) -> html.Div:
    """The page about the scope that the address names."""
    return scoped_page(QUESTION, ANSWER, body, query)


dash.register_page(
    __name__,
    path="/",
    title="Overview · Heliograph",
    label="Overview",
    group="What is going on",
    order=1,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=exists,
)


@callback(Output(CARDS, "children"), FILTERS_CHANGED)
def show_cards(data: dict) -> list[html.Div]:
    scope = scope_of_store(data)
    submitted = scope.ask("jobs_submitted").iloc[0]
    return [
        utilization_card(scope),
        jobs_card(submitted),
        queueing_card(scope, submitted),
        waiting_card(scope),
        lost_card(scope, submitted),
    ]


@callback(Output(ANSWER, "children"), FILTERS_CHANGED)
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


def mean_utilization(series: pd.DataFrame) -> float | None:
    """Time-weighted utilization of all rows together, 0–1; None where no GPU was present."""
    present = series["present_gpu_s"].sum()
    return series["held_gpu_s"].sum() / present if present > 0 else None


def utilization_card(scope: Scope) -> html.Div:
    """Utilization over the window."""
    why = no_utilization(scope)
    if why:
        return result_card("GPU utilization", "unknown", detail=NO_STARTS_HERE if why == NO_STARTS else why)
    series = timeline(scope)
    window_s = (scope.end_time - scope.start_time).total_seconds()
    mean_gpus = series["present_gpu_s"].sum() / window_s
    value = mean_utilization(series)
    return result_card(
        "GPU utilization",
        "unknown" if value is None else f"{100 * value:.1f}",
        "" if value is None else "%",
        detail=f"of {count(round(mean_gpus))} GPUs on average",
    )


def jobs_card(submitted: pd.Series) -> html.Div:
    """Jobs submitted in the window."""
    rest = f"and {plural(submitted['cpu_jobs'], 'CPU job')}"
    unknown = submitted["unknown_gpu_jobs"]
    return result_card(
        "GPU jobs submitted",
        count(submitted["gpu_jobs"]),
        detail=f"{rest}; {plural(unknown, 'job')} of unknown GPU count" if unknown else rest,
    )


def queueing_card(scope: Scope, submitted: pd.Series) -> html.Div:
    """How long the GPU jobs of the window waited to start."""
    label = "Queueing delay, p95"
    if not scope.knows("has_start"):
        return result_card(label, "unknown", detail=NO_STARTS_HERE)
    unstarted = submitted["gpu_jobs"] - submitted["started_gpu_jobs"]
    waits = scope.ask("queueing_delays").iloc[0]
    detail = f"median {duration(waits['p50_queueing_delay_s'])}"
    left_out = f"; left out: {plural(unstarted, 'GPU job')} without a start"
    return result_card(
        label, duration(waits["p95_queueing_delay_s"]), detail=detail + (left_out if unstarted else "")
    )


def waiting_card(scope: Scope) -> html.Div:
    """Who waits and who runs at the window's last instant."""
    if not scope.knows("has_start"):
        return result_card("Waiting", "unknown", detail=NO_STARTS_HERE)
    instant = scope.end_time - pd.Timedelta(seconds=1)
    now = scope.ask("waiting_and_running", instant=instant).iloc[0]
    return result_card(
        f"Waiting, {numbers.minute(local(instant, scope.timezone))}",
        count(now["waiting_jobs"]),
        f"{'job' if now['waiting_jobs'] == 1 else 'jobs'} · {plural(now['waiting_gpus'], 'GPU')}",
        detail=f"{plural(now['running_jobs'], 'job')} running on {plural(now['running_gpus'], 'GPU')}",
    )


def lost_card(scope: Scope, submitted: pd.Series) -> html.Div:
    """GPU time of the window's jobs that ended failed or cancelled."""
    label = "GPU time lost"
    if not scope.knows("has_state"):
        return result_card(label, "unknown", detail="This trace has no job states.")
    parts = submitted[["completed_gpu_s", "cancelled_gpu_s", "failed_gpu_s"]].astype(float)
    total = parts.sum()
    if not total > 0:
        return result_card(label, "unknown", detail="No ended job of this choice has a known GPU time.")
    failed, cancelled = parts["failed_gpu_s"] / total, parts["cancelled_gpu_s"] / total
    return result_card(
        label,
        f"{100 * (failed + cancelled):.1f}",
        "%",
        detail=f"{percent(failed)} in failed, {percent(cancelled)} in cancelled jobs",
    )


def answer(scope: Scope) -> str:
    """One sentence from the data: how busy, who is busiest, where waiting concentrates."""
    submitted = scope.ask("jobs_submitted").iloc[0]
    why = no_utilization(scope)
    if why:
        return f"{plural(submitted['gpu_jobs'], 'GPU job')} submitted ({scope.window_text()}). {why}"
    series = timeline(scope)
    sums = series.groupby("cluster")[["held_gpu_s", "present_gpu_s"]].sum()
    shares = (sums["held_gpu_s"] / sums["present_gpu_s"]).dropna()
    sentence = f"{percent(mean_utilization(series))} of GPU time was in use ({scope.window_text()})"
    if len(shares) > 1:
        least, most = percent(shares.min()), percent(shares.max())
        sentence += f", from {least} in {shares.idxmin()} to {most} in {shares.idxmax()}"
    return f"{sentence}; {waiting_sentence(scope.ask('vcs_under_pressure'))}"


def waiting_sentence(pressure: pd.DataFrame) -> str:
    """Where the GPU time that waited concentrates."""
    waited = pressure.dropna(subset=["waited_gpu_s"])
    total = waited["waited_gpu_s"].sum()
    if not total > 0:
        return "no GPU job waited."
    shares = waited["waited_gpu_s"].cumsum() / total
    few = int((shares < 0.5).sum()) + 1
    names = numbers.listing([f"{row.vc} ({row.cluster})" for row in waited.head(min(few, 3)).itertuples()])
    half = percent(shares.iloc[min(few, 3) - 1], 0)
    return f"{half} of the waiting is in {names}."


for _view in VIEWS:
    wire(_view, FILTERS_CHANGED, scope_of_store)
