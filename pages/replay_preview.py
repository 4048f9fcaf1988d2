"""The preview of a scheduling what-if: replayed by this process whenever the form's settings change."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pandas as pd
from dash import ClientsideFunction, Input, Output, State, callback, clientside_callback, html, no_update

import settings
from components import replay_preview as card
from components.chart_card import figure_json, part
from components.figures.scheduling import queueing_delay_cdf
from components.notices import notice
from components.replay_form import FACTOR_SLIDERS, FACTORS
from components.tables import Column, csv, data_table
from pages.frame import SENTENCES
from pages.replay_scenario import choice_of, query_of, replay_scenario
from pages.scope import Scope, scope_of_query
from queries import manifests
from runs.scenario import SchedulingScenario

if TYPE_CHECKING:
    from runs.preview import Preview

#: Previews that a process remembers, for the table and the CSV of the one on the page.
REMEMBERED = 4
CDF_COLUMNS = (
    Column("policy", "Policy"),
    Column("queueing_delay_s", "Queueing delay at most", "duration"),
    Column("share", "Share of jobs", "percent"),
)


def asked(address: str) -> tuple[Scope, SchedulingScenario]:
    """What the form's address asks for. Raises what the reading of an address raises."""
    query = query_of(address)
    scope = scope_of_query(query)
    return scope, replay_scenario(scope, choice_of(query))


def previewed(address: str) -> "Preview":
    """The preview of an address, remembered for the trace's version. Raises with a sentence."""
    scope, _ = asked(address)
    return _previewed(address, manifests.version(scope.trace))


@lru_cache(maxsize=REMEMBERED)
def _previewed(address: str, _version: Any) -> "Preview":
    from runs import preview  # with numba, which not every web process needs

    return preview.preview(asked(address)[1])


def too_large(scope: Scope, scenario: SchedulingScenario) -> str:
    """The sentence that says why a page does not replay this itself; empty where it does."""
    from runs import preview

    jobs = int(scope.ask("jobs_submitted").iloc[0]["gpu_jobs"])
    if preview.affordable(scenario, jobs):
        return ""
    most = settings.current().replay_jobs_in_web
    return card.too_large_sentence(preview.cost(scenario, jobs), most) if most else card.SWITCHED_OFF


def register() -> None:
    """The callbacks: when to ask, the answer, its table and its CSV, and sliders that follow their fields."""
    clientside_callback(
        ClientsideFunction("whatIf", "askPreview"),
        Output(card.ASK, "data"),
        Input("replay-address", "data"),
        Input(card.ANSWERED, "data"),
        State(card.ASK, "data"),
    )
    for field, slider in zip(FACTORS, FACTOR_SLIDERS, strict=True):
        clientside_callback(
            ClientsideFunction("whatIf", "followSlider"),
            Output(field, "value"),
            Output(slider, "value"),
            Input(field, "value"),
            Input(slider, "value"),
            State(slider, "min"),
            State(slider, "max"),
            prevent_initial_call=True,
        )

    @callback(
        Output(card.PLACE, "className"),
        Output(card.TOTALS, "children"),
        Output(part("figure", card.CARD), "data"),
        Output(part("sentence", card.CARD), "children"),
        Output(part("note", card.CARD), "children"),
        Output(card.ANSWERED, "data"),
        Input(card.ASK, "data"),
        prevent_initial_call=True,
    )
    def show_preview(ask: Mapping[str, Any] | None) -> tuple[Any, ...]:
        if not ask:
            return (no_update,) * 6
        try:
            return *_answer(ask["address"]), ask["address"]
        except SENTENCES as error:
            return "preview only-totals", notice(str(error)), None, None, "", ask["address"]

    @callback(
        Output(part("table", card.CARD), "children"),
        Input(part("table-shown", card.CARD), "checked"),
        Input(card.ANSWERED, "data"),
        prevent_initial_call=True,
    )
    def show_table(shown: bool, address: str | None) -> Any:
        return data_table(previewed(address).cdf, CDF_COLUMNS) if shown and address else None

    @callback(
        Output(part("download", card.CARD), "data"),
        Input(part("csv", card.CARD), "n_clicks"),
        State(card.ANSWERED, "data"),
        prevent_initial_call=True,
    )
    def save(_clicks: int, address: str | None) -> Any:
        if not address:
            return no_update
        name = f"heliograph-{card.CARD}.csv"
        return {"content": csv(previewed(address).cdf), "filename": name, "type": "text/csv"}


def _answer(address: str) -> tuple[Any, ...]:
    """The preview's class, its totals, figure, sentence in the figure's place and note of an address."""
    scope, scenario = asked(address)
    sentence = too_large(scope, scenario)
    if sentence:
        return "preview only-totals", html.P(sentence, className="note"), None, None, ""
    made = previewed(address)
    said = [card.speed_sentence(made.rows, made.elapsed_s), card.unfitted_sentence(made.unfitted)]
    totals = card.totals_card(made.rows, [each for each in said if each])
    return "preview", totals, *_drawn(made.cdf, scope)


def _drawn(cdf: pd.DataFrame, scope: Scope) -> tuple[Any, Any, str]:
    if cdf.empty:
        return None, card.nothing(), ""
    figure = queueing_delay_cdf(cdf).update_layout(height=card.CHART_PX)
    note = (
        f"Share of the GPU jobs submitted {scope.window_text()} ({scope.timezone}) that wait at most so long."
    )
    return figure_json(figure), None, note
