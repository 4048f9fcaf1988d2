"""Which virtual clusters are full, who waits, and who idles?"""

from typing import Any

import dash
import pandas as pd
from dash import Input, Output, callback, dcc, get_relative_path, html

from components.figures import virtual_clusters as figures
from components.filter_bar import FILTERS
from components.numbers import count, duration, gpu_hours, is_unknown, percent, plural
from components.page_frame import card_grid
from components.tables import Column, data_table
from pages.frame import FILTERS_CHANGED, scope_exists, scoped_page, skeleton
from pages.scope import Scope, local_times, scope_of_store
from pages.utilization import DEFINITION, POINTS, no_utilization, no_waits, utilization_note
from pages.views import CLICK_DAY, View, wire

QUESTION = "Which virtual clusters are full, who waits, and who idles?"
ANSWER, TRAIL = "vcs-answer", "vcs-trail"
#: Bins of the window in questions about single VCs. It is the window alone that makes them longer or shorter:
#: what is counted by whole bins must not change with the VCs beside it.
VC_BINS = 1500


def vc_bin_s(scope: Scope) -> int:
    """The bin of questions about single VCs, in s: ten minutes where the window is short enough."""
    return scope.bin_s(VC_BINS)


def address(scope: Scope, cluster: str, vc: str | None) -> str | None:
    """The query of the page about one VC; None for jobs without one."""
    return None if is_unknown(vc) else scope.address("", clusters=(cluster,), vcs=(vc,))


def shown_of(rows: pd.DataFrame, order: str, rest: str = "table") -> str:
    """Which VCs are shown, where they are not all; ``rest`` has the others."""
    if len(rows) <= figures.SHOWN_VCS:
        return ""
    return f" The {figures.SHOWN_VCS} of {count(len(rows))} {order}; the {rest} has all."


def use(scope: Scope) -> pd.DataFrame:
    """GPUs in use and present over time, with local times."""
    series = scope.ask("use_over_time", bin_s=scope.bin_s(POINTS))
    series.insert(1, "local_time", local_times(series["time"], scope.timezone))
    return series


def waiting(scope: Scope) -> pd.DataFrame:
    """Jobs and GPUs waiting over time, with local times."""
    series = scope.ask("waiting_over_time", bin_s=scope.bin_s(POINTS))
    series.insert(1, "local_time", local_times(series["time"], scope.timezone))
    return series


def idle_table(rows: pd.DataFrame, scope: Scope) -> html.Div:
    """Who waits while who idles, each VC a link to its own page."""
    links = [
        place and get_relative_path("/vcs") + place
        for place in (address(scope, row.cluster, row.vc) for row in rows.itertuples())
    ]
    return data_table(rows.head(figures.SHOWN_VCS), IDLE_COLUMNS, links)


def spread_note(rows: pd.DataFrame, scope: Scope) -> str:
    """What a box is made of."""
    what = f"box and whiskers over means of {duration(vc_bin_s(scope))}, diamond the mean over time"
    return utilization_note(scope, what) + shown_of(rows, "with most GPUs")


NAMES = (Column("vc", "Virtual cluster"), Column("cluster", "Cluster"))
IDLE_COLUMNS = (
    *NAMES,
    Column("present_gpus", "GPUs", "count"),
    Column("full_share", "Full", "percent"),
    Column("waited_gpu_s", "Waited for", "gpu_time"),
    Column("servable_gpu_s", "Idle elsewhere", "gpu_time"),
    Column("idle_gpu_s", "Idle here", "gpu_time"),
)
SPREAD = View[Scope](
    name="vcs-utilization",
    title="How full are virtual clusters?",
    rows=lambda scope: scope.ask("utilization_spread_by_vc", bin_s=vc_bin_s(scope)),
    figure=lambda rows, scope: figures.utilization_boxes(
        rows, scope.all_clusters, lambda cluster, vc: address(scope, cluster, vc)
    ),
    columns=(
        *NAMES,
        Column("present_gpus", "GPUs", "count"),
        Column("min_utilization", "Least", "percent"),
        Column("q1_utilization", "Lower quarter", "percent"),
        Column("median_utilization", "Median", "percent"),
        Column("q3_utilization", "Upper quarter", "percent"),
        Column("max_utilization", "Highest", "percent"),
        Column("mean_utilization", "Mean over time", "percent"),
        Column("bins", "Means counted", "count"),
    ),
    note=spread_note,
    opens=Scope.cluster_addresses,
    method="A box holds the middle half of the means, its line is the median, the whiskers reach to the "
    "least and the highest; quartiles are interpolated linearly. Times without GPUs are left out. The "
    "paper's boxes are of minutes. " + DEFINITION,
    absent=no_utilization,
    height=figures.HEIGHT_PX,
)
DELAYS = View[Scope](
    name="vcs-delays",
    title="How long do their jobs wait, and run?",
    rows=lambda scope: scope.ask("waits_and_durations_by_vc"),
    figure=lambda rows, scope: figures.waits_and_durations(
        rows, lambda cluster, vc: address(scope, cluster, vc)
    ),
    columns=(
        *NAMES,
        Column("gpu_jobs", "GPU jobs", "count"),
        Column("avg_queueing_delay_s", "Mean queueing delay", "duration"),
        Column("avg_duration_s", "Mean duration", "duration"),
        Column("gpu_s", "GPU time", "gpu_time"),
    ),
    note=lambda rows, scope: (
        "Means of the GPU jobs submitted in the window; under a second at the left edge."
        + shown_of(rows, "with most GPU time")
    ),
    method="Queueing delay is submission to start, of jobs that started; duration is of jobs that ran. "
    "Figure 4 of the Helios paper shows the same means, scaled to the least and the highest. A click on a "
    "point shows its virtual cluster alone.",
    nothing="There is no GPU job in this choice.",
    height=figures.HEIGHT_PX,
)
USE = View[Scope](
    name="vcs-use",
    title="Is the quota used?",
    rows=use,
    figure=lambda rows, scope: figures.use_against_quota(rows, scope.timezone),
    columns=(
        Column("local_time", "Time", "time"),
        Column("multi_gpus", "In use, jobs of several GPUs", "count"),
        Column("single_gpus", "In use, jobs of one", "count"),
        Column("present_gpus", "Present", "count"),
    ),
    note=lambda rows, scope: (
        f"GPUs of all chosen virtual clusters, means of {duration(scope.bin_s(POINTS))}."
    ),
    method=DEFINITION,
    opens=lambda scope: scope.day_address,
    click=CLICK_DAY,
    absent=no_utilization,
)
WAITING = View[Scope](
    name="vcs-waiting",
    title="When do jobs wait?",
    rows=waiting,
    figure=lambda rows, scope: figures.waiting_over_time(rows, scope.timezone),
    columns=(
        Column("local_time", "Time", "time"),
        Column("waiting_jobs", "Jobs waiting", "count"),
        Column("waiting_gpus", "GPUs waited for", "count"),
    ),
    note=lambda rows, scope: (
        f"GPUs asked for by GPU jobs submitted and not started, every {duration(scope.bin_s(POINTS))}."
    ),
    method="A job waits from its submission until it starts, or until it leaves without having started. Each "
    "point counts those that wait at that instant.",
    opens=lambda scope: scope.day_address,
    click=CLICK_DAY,
    absent=no_waits,
)
IDLE = View[Scope](
    name="vcs-idle",
    title="Who waits while who idles?",
    rows=lambda scope: scope.ask("waiting_beside_idle", bin_s=vc_bin_s(scope)),
    table=idle_table,
    columns=IDLE_COLUMNS,
    note=lambda rows, scope: (
        "GPU time that jobs waited for, and what idle GPUs of the cluster's other virtual clusters could "
        f"have given of it. A name opens its virtual cluster.{shown_of(rows, 'where that is most', 'CSV')}"
    ),
    method="In each bin the smaller of two means: GPUs waited for, and GPUs idle in the other VCs of the "
    "cluster. The same idle GPUs may be counted for several VCs. Full: bins with 95 % or more of the "
    "GPUs in use.",
    span="wide",
    absent=no_utilization,
)
GANGS = View[Scope](
    name="vcs-gangs",
    title="Do gangs wait beside free GPUs?",
    rows=lambda scope: scope.ask("gangs_beside_free_gpus", bin_s=vc_bin_s(scope)),
    figure=lambda rows, scope: figures.gangs_beside_free_gpus(
        rows, lambda cluster, vc: address(scope, cluster, vc)
    ),
    columns=(
        *NAMES,
        Column("gang_jobs", "Gangs that waited", "count"),
        Column("waited_gpu_s", "Waited", "gpu_time"),
        Column("beside_free_jobs", "Gangs beside free GPUs", "count"),
        Column("beside_free_gpu_s", "Waited beside free GPUs", "gpu_time"),
    ),
    note=lambda rows, scope: (
        f"Jobs of several GPUs that waited through {duration(vc_bin_s(scope))} or more while their virtual "
        "cluster had as many free." + shown_of(rows, "where it happens most")
    ),
    method="Free GPUs are the mean of the bin: GPUs present less GPUs in use. A longer window has longer "
    "bins, which fewer gangs wait through: a lower bound. Such a gang waits because free "
    "GPUs are scattered over nodes (fragmentation) or because another job is ahead; a trace without "
    "placements cannot tell which. A replay on the Scheduling page can. A click on a bar shows its virtual "
    "cluster alone.",
    span="third",
    absent=no_utilization,
    nothing="No job of several GPUs waited in this choice.",
    height=figures.HEIGHT_PX,
)
VIEWS = (SPREAD, DELAYS, USE, WAITING, IDLE, GANGS)


def body() -> list[Any]:
    """The trail above a single VC, and the charts."""
    return [html.Div(id=TRAIL, className="trail"), card_grid(*(view.card() for view in VIEWS))]


def layout(**query: Any) -> html.Div:
    """The page about the scope that the address names; one VC in it is that VC's page."""
    return scoped_page(QUESTION, ANSWER, body, query)


dash.register_page(
    __name__,
    path="/vcs",
    title="Virtual clusters · Heliograph",
    label="Virtual clusters",
    group="What is going on",
    order=1.2,
    layout=layout,
    skeleton=lambda: skeleton(QUESTION, ANSWER, body),
    exists=scope_exists,
)


@callback(Output(TRAIL, "children"), Input(FILTERS, "data"))
def show_trail(data: dict) -> list[Any]:
    return trail(scope_of_store(data))


def trail(scope: Scope) -> list[Any]:
    """The way from one VC back to all of its cluster; nothing where several are shown."""
    if len(scope.filters.vcs) != 1:
        return []
    path = get_relative_path("/vcs")
    everything = dcc.Link("All virtual clusters", href=scope.address(path, clusters=(), vcs=()))
    if len(scope.filters.clusters) != 1:
        return [everything, f" › {scope.filters.vcs[0]}"]
    cluster = scope.filters.clusters[0]
    return [
        everything,
        " › ",
        dcc.Link(cluster, href=scope.address(path, vcs=())),
        f" › {scope.filters.vcs[0]}",
    ]


@callback(Output(ANSWER, "children"), FILTERS_CHANGED)
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


def answer(scope: Scope) -> str:
    """One sentence from the data: how full the fullest is, how much waiting idle GPUs could have ended."""
    why = no_utilization(scope)
    if why:
        return why
    rows = scope.ask("waiting_beside_idle", bin_s=vc_bin_s(scope))
    used = rows.dropna(subset=["mean_utilization"])
    if used.empty:
        return "None of these virtual clusters had GPUs in this window."
    fullest, emptiest = (used.loc[used["mean_utilization"].agg(pick)] for pick in ("idxmax", "idxmin"))
    said = (
        f"{fullest['vc']} ({fullest['cluster']}) used {percent(fullest['mean_utilization'])} of its GPU time"
    )
    if len(used) > 1:
        said += f", {emptiest['vc']} ({emptiest['cluster']}) {percent(emptiest['mean_utilization'])}"
    return f"{said}; {waiting_sentence(rows)}"


def waiting_sentence(rows: pd.DataFrame) -> str:
    """How much was waited for, and how much of that idle GPUs next door could have given."""
    waited = rows["waited_gpu_s"].sum()
    if not waited > 0:
        return "no GPU job waited."
    waiting_vcs = int((rows["waited_gpu_s"] > 0).sum())
    share = percent(rows["servable_gpu_s"].sum() / waited, 0)
    return (
        f"jobs of {plural(waiting_vcs, 'virtual cluster')} waited for {gpu_hours(waited)}, {share} of it "
        "while other virtual clusters of their cluster, for each taken alone, had as many idle."
    )


for _view in VIEWS:
    wire(_view, FILTERS_CHANGED, scope_of_store, of_stored_traces=True)
