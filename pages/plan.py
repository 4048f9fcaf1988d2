"""How many nodes do we need, or how much load can we take, for a target?"""

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

from components import plan_form as form
from components.filter_bar import FILTERS, Choices, filter_bar
from components.filters import Filters
from components.notices import way_back, welcome
from components.numbers import plural
from components.page_frame import page_frame
from components.run_status import ANSWER, RUN, live_run
from components.theme import POLICIES
from components.what_if_tabs import tabs
from pages import start_button
from pages.frame import SENTENCES, exists
from pages.live_run import run_of
from pages.live_run import skeleton as run_skeleton
from pages.plan_scenario import plan_scenario
from pages.replay_scenario import (
    choices_with_jobs,
    clusters_with_jobs,
    every_day,
    form_scope,
    query_of,
    with_jobs,
)
from pages.scope import scope_of_query
from pages.start_button import Form
from queries import manifests
from runs.scenario import PlanScenario

QUESTION = "How many nodes do we need, or how much load can we take?"
INVITATION = "Name a target; the smallest number of nodes, or the largest load, that meets it is searched."
PLACEHOLDER = "The answer appears here, and stays at an address of its own."
PATH = "/scheduling/plan"
ADDRESS, DEFAULTS = "plan-address", "plan-defaults"


def layout(**query: Any) -> html.Div:
    """The form that the address fills, and the run that it names."""
    if not manifests.names():
        return welcome()
    try:
        scope = form_scope(query)
        choice, bar = form.plan_choice(query), filter_bar(scope.filters, choices_with_jobs(scope))
    except SENTENCES as error:
        return way_back("This address shows nothing", str(error))
    return _page(choice, bar, run_of(query, "plan"), scope.generated, every_day(scope))


def skeleton() -> html.Div:
    """The page without data: every id that callbacks name, a result among them."""
    page = _page(form.PlanChoice(), filter_bar(Filters(), Choices()), None, False)
    return html.Div([page, run_skeleton()])


def _page(choice: form.PlanChoice, bar: Any, run_id: str | None, generated: bool, days: str = "") -> html.Div:
    return page_frame(
        QUESTION,
        dcc.Store(id=ADDRESS),
        dcc.Store(id=DEFAULTS, data={"usual": form.DEFAULTS, "order": list(POLICIES), "days": days}),
        html.Div([form.plan_form(choice, bar), live_run(run_id, PLACEHOLDER)], className="what-if"),
        answer_id=ANSWER,
        answer=INVITATION,
        generated=generated,
        bar=tabs(PATH),
    )


dash.register_page(
    __name__,
    path=PATH,
    title="Plan · Heliograph",
    layout=layout,
    skeleton=skeleton,
    exists=exists,
)

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


def asked(address: str) -> PlanScenario:
    """What the form's address asks for. Raises what cannot be planned as a sentence."""
    query = query_of(address)
    return plan_scenario(with_jobs(scope_of_query(query)), form.plan_choice(query))


start_button.wire(Form(ADDRESS, form.NAME, form.START, form.START_ERROR), asked)


@callback(Output(form.SIZE, "children"), Input(ADDRESS, "data"), prevent_initial_call=True)
def show_size(address: str) -> str:
    """What is replayed again and again, or why it cannot be planned."""
    query: Mapping[str, Any] = query_of(address)
    try:
        scope = with_jobs(scope_of_query(query))
        plan_scenario(scope, form.plan_choice(query))
        jobs = scope.ask("jobs_submitted").iloc[0]["gpu_jobs"]
    except SENTENCES as error:
        return str(error)
    where = ", ".join(scope.filters.clusters or clusters_with_jobs(scope))
    return f"{plural(jobs, 'GPU job')} of {where}, replayed at each size that the search asks."
