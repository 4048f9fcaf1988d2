"""What would another schedule have done to these jobs?"""

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
    ctx,
    dcc,
    html,
    no_update,
)

from components import replay_form as form
from components.carried import carried_text
from components.filter_bar import FILTERS, Choices, filter_bar
from components.filters import Filters
from components.notices import way_back, welcome
from components.numbers import plural
from components.page_frame import page_frame
from components.replay_preview import preview_place
from components.replay_rules import OPTIONS
from components.run_status import ANSWER, RUN, live_run
from components.theme import POLICIES
from components.what_if_tabs import tabs
from pages import replay_preview, start_button
from pages.frame import SENTENCES, shows
from pages.live_run import run_of
from pages.live_run import skeleton as run_skeleton
from pages.replay_scenario import (
    changeable_vcs,
    choice_of,
    choices_with_jobs,
    every_day,
    form_address,
    form_scope,
    query_of,
)
from pages.scope import Scope, scope_of_query
from pages.start_button import Form
from queries import manifests
from runs import RunError
from runs.scenario import SchedulingScenario

QUESTION = "What would another schedule have done to these jobs?"
INVITATION = (
    "Choose jobs and policies, then replay them: the result says who would have waited less, and who longer."
)
PLACEHOLDER = "Results appear here, and stay at an address of their own."
ADDRESS, DEFAULTS = "replay-address", "replay-defaults"


def layout(**query: Any) -> html.Div:
    """The form that the address fills, and the run that it names."""
    if not manifests.names():
        return welcome()
    try:
        scope, choice = chosen(query)
        parts = filter_bar(scope.filters, choices_with_jobs(scope)), changeable_vcs(scope), _kept(scope)
    except SENTENCES as error:
        return way_back("This address shows nothing", str(error))
    run_id = run_of(query, "scheduling")
    return _page(
        choice,
        *parts,
        days=every_day(scope),
        known=form_address(scope, choice) if run_id else None,
        run_id=run_id,
        generated=scope.generated,
    )


def chosen(query: Mapping[str, Any]) -> tuple[Scope, form.ReplayChoice]:
    """What an address is about, and what it asks of that. Raises what cannot be as a sentence."""
    return form_scope(query), choice_of(query)


def exists(**query: Any) -> bool:
    """Whether :func:`layout` shows the form; the server answers 404 otherwise."""
    return shows(chosen, query)


def skeleton() -> html.Div:
    """The page without data: every id that callbacks name, a changed VC and a result among them."""
    choice = form.ReplayChoice(extra_nodes=(("cluster/vc", 1),))
    page = _page(choice, filter_bar(Filters(), Choices()), [], [], run_id=None, generated=False)
    return html.Div([page, run_skeleton()])


def _page(
    choice: form.ReplayChoice,
    bar: Any,
    vcs: list[dict[str, str]],
    kept: list[tuple[str, str]],
    *,
    days: str = "",
    known: str | None = None,
    run_id: str | None,
    generated: bool,
) -> html.Div:
    defaults: dict[str, Any] = {"policies": list(form.DEFAULT_POLICIES), "order": list(POLICIES)}
    defaults["options"] = {name: each.key for name, each in OPTIONS.items()}
    defaults |= {"carried": carried_text(choice.carried), "days": days}
    return page_frame(
        QUESTION,
        dcc.Store(id=ADDRESS),
        dcc.Store(id=DEFAULTS, data=defaults),
        html.Div(
            [
                form.replay_form(choice, bar, vcs, kept),
                html.Div([preview_place(known), live_run(run_id, PLACEHOLDER)], className="what-if-right"),
            ],
            className="what-if",
        ),
        answer_id=ANSWER,
        answer=INVITATION,
        generated=generated,
        bar=tabs("/scheduling"),
    )


def _kept(scope: Scope) -> list[tuple[str, str]]:
    """The filter bar's choice as keys and values of an address, the days left out."""
    filters = scope.filters
    pairs = [("trace", scope.trace), *(("cluster", each) for each in filters.clusters)]
    return pairs + [("vc", each) for each in filters.vcs]


dash.register_page(
    __name__,
    path="/scheduling",
    title="Scheduling what-if · Heliograph",
    label="Scheduling",
    group="What if",
    order=1,
    layout=layout,
    skeleton=skeleton,
    exists=exists,
)

replay_preview.register()

clientside_callback(
    ClientsideFunction("whatIf", "keepReplay"),
    Output(ADDRESS, "data"),
    Input(FILTERS, "data"),
    Input(form.POLICY, "value"),
    Input(form.PLACEMENT, "value"),
    Input(form.LOAD, "value"),
    Input(form.DURATIONS, "value"),
    Input(form.option_id(ALL), "checked"),
    Input(form.change_part("change-vc", ALL), "value"),
    Input(form.change_part("change-nodes", ALL), "value"),
    Input(RUN, "data"),
    State(DEFAULTS, "data"),
    State(form.option_id(ALL), "id"),
)


def asked(address: str) -> SchedulingScenario:
    """What the form's address asks for. Raises what cannot be replayed as a sentence."""
    _, scenario = replay_preview.asked(address)
    if not scenario.policies:
        raise RunError("Choose at least one policy to replay.")
    return scenario


start_button.wire(Form(ADDRESS, form.NAME, form.START, form.START_ERROR), asked)


@callback(
    Output(form.CHANGES, "children"),
    Input(form.ADD_CHANGE, "n_clicks"),
    Input(form.change_part("change-remove", ALL), "n_clicks"),
    State(form.change_part("change-vc", ALL), "value"),
    State(form.change_part("change-nodes", ALL), "value"),
    State(form.change_part("change-vc", ALL), "id"),
    State(FILTERS, "data"),
    prevent_initial_call=True,
)
def choose_changes(
    _add: int, _remove: list[int], vcs: list[Any], nodes: list[Any], ids: list[Any], filters: Any
) -> Any:
    """Add a row for one more VC, or take one away."""
    if not ctx.triggered or not ctx.triggered[0]["value"]:
        return no_update
    rows = [(each["row"], vc, number) for each, vc, number in zip(ids, vcs, nodes, strict=True)]
    if ctx.triggered_id == form.ADD_CHANGE:
        rows.append((max((row for row, _, _ in rows), default=-1) + 1, None, 1))
    else:
        rows = [row for row in rows if row[0] != ctx.triggered_id["row"]]
    options = changeable_vcs(scope_of_query({"trace": filters["trace"]}))
    return [form.change_row(row, options, vc, number) for row, vc, number in rows]


@callback(Output(form.SIZE, "children"), Input(ADDRESS, "data"), prevent_initial_call=True)
def show_size(address: str) -> str:
    """How much there is to replay."""
    query = query_of(address)
    try:
        scope, choice = scope_of_query(query), choice_of(query)
        jobs = scope.ask("jobs_submitted").iloc[0]["gpu_jobs"]
    except SENTENCES:
        return ""
    policies = plural(len(choice.policies), "policy", "policies")
    return f"{plural(round(jobs * choice.load_factor), 'GPU job')} × {policies}."
