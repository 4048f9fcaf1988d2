"""How busy is the datacenter, and what needs attention?"""

import dash
import pandas as pd
from dash import Output, callback, get_relative_path, html

from components import numbers
from components.attention import attention_list
from components.cards import card_places
from components.figures.utilization import utilization_by_hour_and_weekday, utilization_over_time
from components.numbers import duration, percent, plural
from components.page_frame import card_grid
from components.tables import Column
from components.vc_table import vc_table
from pages import attention
from pages.frame import FILTERS_CHANGED, scope_exists, scoped_page, skeleton
from pages.overview_cards import CARDS
from pages.scope import Scope, scope_of_store
from pages.utilization import (
    DEFINITION,
    POINTS,
    mean_utilization,
    no_utilization,
    timeline,
    utilization_note,
)
from pages.views import View, wire

QUESTION = "How busy is the datacenter, and what needs attention?"
ANSWER = "overview-answer"
#: Findings and virtual clusters that the lists show; their CSV has all.
FINDINGS, SHOWN_VCS = 5, 8


def vc_address(scope: Scope, cluster: str, vc: str) -> str:
    """The page of one VC."""
    return scope.address(get_relative_path("/vcs"), clusters=(cluster,), vcs=(vc,))


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
    note=lambda rows, scope: utilization_note(scope, f"mean of {duration(scope.bin_s(POINTS))}"),
    method=DEFINITION,
    absent=no_utilization,
    opens=Scope.cluster_addresses,
    span="wide",
    height=400,
)
ATTENTION = View[Scope](
    name="overview-attention",
    title="Needs attention",
    rows=attention.findings,
    table=lambda rows, scope: attention_list(rows.head(FINDINGS)),
    columns=(),
    note=lambda rows, scope: attention_note(rows, scope),
    method=attention.METHOD,
    nothing="Nothing stands out in the last days of this window.",
    span="third",
)
PRESSURE = View[Scope](
    name="overview-vcs",
    title="Virtual clusters under pressure",
    rows=lambda scope: scope.ask("vcs_under_pressure"),
    table=lambda rows, scope: vc_table(
        rows.head(SHOWN_VCS), scope.all_clusters, lambda cluster, vc: vc_address(scope, cluster, vc)
    ),
    columns=(),
    note=lambda rows, scope: pressure_note(rows),
    method="GPU time waited is GPUs asked for × queueing delay, of the GPU jobs submitted in the window. "
    "GPUs are those present at its end, the percentile is interpolated linearly. " + DEFINITION,
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
    method="Local hours, also on days on which clocks change. " + DEFINITION,
    opens=lambda scope: scope.address(get_relative_path("/clusters")),
    click=" A click on a cell opens the Clusters page with the same choice.",
    absent=no_utilization,
)
VIEWS = (UTILIZATION, ATTENTION, PRESSURE, RHYTHM)


def attention_note(rows: pd.DataFrame, scope: Scope) -> str:
    """What the findings are about, and that there are more."""
    more = f" The first {FINDINGS} of {len(rows)}; the CSV has all." if len(rows) > FINDINGS else ""
    return f"The last {attention.DAYS} days, {scope.recent(attention.DAYS).window_text()}.{more}"


def pressure_note(rows: pd.DataFrame) -> str:
    """How the table is sorted and how much of it is shown."""
    if len(rows) <= SHOWN_VCS:
        return "Sorted by GPU time that waited."
    shown = f"The first {SHOWN_VCS} of {plural(len(rows), 'virtual cluster')}; the CSV has all."
    return f"Sorted by GPU time that waited. {shown}"


def body() -> list[html.Div]:
    """Cards and charts."""
    return [card_places(list(CARDS)), card_grid(*(view.card() for view in VIEWS))]


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
    exists=scope_exists,
)


def wire_card(id: str, card: object) -> None:
    """The callback that fills one card's place."""

    @callback(Output(id, "children"), FILTERS_CHANGED)
    def show_card(data: dict) -> html.Div:
        return card(scope_of_store(data))


@callback(Output(ANSWER, "children"), FILTERS_CHANGED)
def show_answer(data: dict) -> str:
    return answer(scope_of_store(data))


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
    return f"{sentence}; {waiting_sentence(scope.ask('waits_and_durations_by_vc'))}"


def waiting_sentence(vcs: pd.DataFrame) -> str:
    """Where the GPU time that waited concentrates."""
    waited = vcs.dropna(subset=["waited_gpu_s"]).sort_values("waited_gpu_s", ascending=False, kind="stable")
    total = waited["waited_gpu_s"].sum()
    if not total > 0:
        return "no GPU job waited."
    shares = waited["waited_gpu_s"].cumsum() / total
    few = int((shares < 0.5).sum()) + 1
    names = numbers.listing([f"{row.vc} ({row.cluster})" for row in waited.head(min(few, 3)).itertuples()])
    half = percent(shares.iloc[min(few, 3) - 1], 0)
    return f"{half} of the waiting is in {names}."


for _view in VIEWS:
    wire(_view, FILTERS_CHANGED, scope_of_store, of_stored_traces=True)
for _id, _card in CARDS.items():
    wire_card(_id, _card)
