"""What would a grid of schedules have done: policies × nodes × loads?"""

from collections.abc import Mapping
from typing import Any

import dash
from dash import (
    ALL,
    ClientsideFunction,
    Input,
    Output,
    State,
    callback,
    clientside_callback,
    dcc,
    html,
)

from components import sweep_form as form
from components import what_if_tabs
from components.filter_bar import FILTERS, Choices, filter_bar
from components.filters import Filters
from components.notices import way_back, welcome
from components.numbers import plural
from components.page_frame import page_frame
from components.run_status import ANSWER, RUN, live_run
from components.theme import POLICIES
from pages import start_button
from pages.frame import SENTENCES, exists
from pages.live_run import run_of
from pages.live_run import skeleton as run_skeleton
from pages.replay_scenario import choices_with_jobs, every_day, form_scope, query_of, with_jobs
from pages.scope import scope_of_query
from pages.start_button import Form
from pages.sweep_scenario import points_of, sweep_scenario
from queries import manifests
from runs.scenario import SweepScenario

QUESTION = "How do waiting and use change with nodes, load and policy?"
INVITATION = (
    "Choose the axes; every combination is replayed, and a chart shows where it gets better or worse."
)
PLACEHOLDER = "The grid's results appear here, and stay at an address of their own."
PATH = "/scheduling/sweep"
ADDRESS, DEFAULTS = "sweep-address", "sweep-defaults"


def layout(**query: Any) -> html.Div:
    """The form that the address fills, and the run that it names."""
    if not manifests.names():
        return welcome()
    try:
        scope = form_scope(query)
        choice, bar = form.sweep_choice(query), filter_bar(scope.filters, choices_with_jobs(scope))
    except SENTENCES as error:
        return way_back("This address shows nothing", str(error))
    return _page(choice, bar, run_of(query, "sweep"), scope.generated, every_day(scope))


def skeleton() -> html.Div:
    """The page without data: every id that callbacks name, a result among them."""
    page = _page(form.SweepChoice(), filter_bar(Filters(), Choices()), None, False)
    return html.Div([page, run_skeleton()])


def _page(
    choice: form.SweepChoice, bar: Any, run_id: str | None, generated: bool, days: str = ""
) -> html.Div:
    return page_frame(
        QUESTION,
        dcc.Store(id=ADDRESS),
        dcc.Store(id=DEFAULTS, data={"usual": form.DEFAULTS, "order": list(POLICIES), "days": days}),
        html.Div([form.sweep_form(choice, bar), live_run(run_id, PLACEHOLDER)], className="what-if"),
        answer_id=ANSWER,
        answer=INVITATION,
        generated=generated,
        bar=what_if_tabs.tabs(PATH),
    )


dash.register_page(
    __name__,
    path=PATH,
    title="Sweep · Heliograph",
    layout=layout,
    skeleton=skeleton,
    exists=exists,
)

what_if_tabs.register()
clientside_callback(
    ClientsideFunction("whatIfForms", "keepForm"),
    Output(ADDRESS, "data"),
    Input(FILTERS, "data"),
    Input(form.field(ALL), "value"),
    Input(form.switch(ALL), "checked"),
    Input(RUN, "data"),
    State(DEFAULTS, "data"),
    State(form.field(ALL), "id"),
    State(form.switch(ALL), "id"),
)


def asked(address: str) -> SweepScenario:
    """What the form's address asks for. Raises a grid that is too large or cannot be as a sentence."""
    scope, scenario = _asked(query_of(address))
    points_of(scope, scenario)
    return scenario


start_button.wire(Form(ADDRESS, form.NAME, form.START, form.START_ERROR), asked)


def _asked(query: Mapping[str, Any]) -> tuple[Any, Any]:
    """The scope and the sweep of an address."""
    scope = with_jobs(scope_of_query(query))
    return scope, sweep_scenario(scope, form.sweep_choice(query))


@callback(Output(form.SIZE, "children"), Input(ADDRESS, "data"), prevent_initial_call=True)
def show_size(address: str) -> str:
    """How many scenarios the grid has, or why it cannot be."""
    try:
        scope, scenario = _asked(query_of(address))
        number = len(points_of(scope, scenario))
        jobs = scope.ask("jobs_submitted").iloc[0]["gpu_jobs"]
    except SENTENCES as error:
        return str(error)
    clusters = len(scenario.clusters or scope.all_clusters)
    among = f" in {plural(clusters, 'cluster')}" if clusters > 1 else ""
    return f"{plural(number, 'scenario')}{among}, of {plural(jobs, 'GPU job')}{' together' if among else ''}."
