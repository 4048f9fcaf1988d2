"""How many nodes could sleep, and who would wait for them?"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import dash
from dash import (
    ALL,
    MATCH,
    ClientsideFunction,
    Input,
    Output,
    State,
    clientside_callback,
    dcc,
    html,
)

from components import energy_form as form
from components.carried import carried_text
from components.controllers import PARAMETERS
from components.energy_choice import POWER, EnergyChoice, energy_choice, preset_of
from components.notices import way_back, welcome
from components.page_frame import page_frame
from components.run_status import ANSWER, RUN, live_run
from pages import start_button
from pages.energy_scenario import DemandScope, demand_scope, energy_scenario
from pages.frame import SENTENCES, shows
from pages.live_run import run_of
from pages.live_run import skeleton as run_skeleton
from pages.start_button import Form
from queries import manifests
from runs import RunError
from runs.scenario import EnergyScenario

QUESTION = "How many nodes could sleep, and who would wait for them?"
INVITATION = (
    "Choose a cluster and a controller, then run it: the result says how many nodes sleep, what that saves, "
    "and when too few are awake."
)
PLACEHOLDER = "Results appear here, and stay at an address of their own."
ADDRESS, DEMAND = "energy-address", "energy-demand"


def layout(**query: Any) -> html.Div:
    """The form that the address fills, and the run that it names."""
    if not manifests.names():
        return welcome()
    try:
        scope = chosen(query)
    except SENTENCES as error:
        return way_back("This address shows nothing", str(error))
    if scope.too_short:
        return _page(scope.choice, scope.choices(), None, scope.generated, _too_short(scope.choice.cluster))
    return _page(scope.choice, scope.choices(), run_of(query, "energy"), scope.generated)


def chosen(query: Mapping[str, Any]) -> DemandScope:
    """What an address asks about. Raises what it cannot be about as a sentence."""
    return demand_scope(energy_choice(query))


def exists(**query: Any) -> bool:
    """Whether :func:`layout` shows the form; the server answers 404 otherwise."""
    return shows(chosen, query)


def skeleton() -> html.Div:
    """The page without data: every id that callbacks name, those of a result among them."""
    page = _page(EnergyChoice(), form.DemandChoices(), None, False)
    return html.Div([page, run_skeleton()])


def _page(
    choice: EnergyChoice,
    choices: form.DemandChoices,
    run_id: str | None,
    generated: bool,
    nothing: str = PLACEHOLDER,
) -> html.Div:
    first, last = choices.default_first_day, choices.last_day
    demand = {
        "trace": choice.trace,
        "cluster": choice.cluster,
        "default_first_day": first and first.isoformat(),
        "last_day": last and last.isoformat(),
        "default_preset": preset_of(EnergyChoice(cluster=choice.cluster)),
        "carried": carried_text(choice.carried),
        "keys": {name: each.key for name, each in {**PARAMETERS, **POWER}.items()},
    }
    return page_frame(
        QUESTION,
        dcc.Store(id=ADDRESS),
        dcc.Store(id=DEMAND, data=demand),
        html.Div([form.energy_form(choice, choices), live_run(run_id, nothing)], className="what-if"),
        answer_id=ANSWER,
        answer=INVITATION,
        generated=generated,
    )


def _too_short(cluster: str | None) -> str:
    return f"Cluster “{cluster}” has less than three days of data: a forecast learns from two days."


dash.register_page(
    __name__,
    path="/energy",
    title="Energy what-if · Heliograph",
    label="Energy",
    group="What if",
    order=2,
    layout=layout,
    skeleton=skeleton,
    exists=exists,
)

clientside_callback(
    ClientsideFunction("whatIf", "keepEnergy"),
    Output(ADDRESS, "data"),
    Input(form.DATES, "value"),
    Input(form.POLICY, "value"),
    Input(form.MODEL, "value"),
    Input(form.CONTROLLER, "value"),
    Input(form.PRESET, "value"),
    Input(form.parameter_id(ALL), "value"),
    Input(form.BOOT, "value"),
    Input(form.FAILURES, "value"),
    Input(form.FRONTIER, "checked"),
    Input(form.power_id(ALL), "value"),
    Input(RUN, "data"),
    State(DEMAND, "data"),
    State(form.USUAL, "data"),
    State(form.parameter_id(ALL), "id"),
    State(form.power_id(ALL), "id"),
)
clientside_callback(
    ClientsideFunction("whatIf", "openDemand"),
    Output(form.OTHER_DEMAND, "data"),
    Input(form.TRACE, "value"),
    Input(form.CLUSTER, "value"),
    State(DEMAND, "data"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("whatIf", "chooseController"),
    Output(form.parameter_id(ALL), "value"),
    Output(form.parameter_box(ALL), "className"),
    Output(form.PRESET_BOX, "className"),
    Output(form.SCALED, "children"),
    Input(form.CONTROLLER, "value"),
    Input(form.PRESET, "value"),
    State(form.USUAL, "data"),
    State(form.parameter_id(ALL), "id"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("whatIf", "agree"),
    Output(form.parameter_id(MATCH), "suffix"),
    Input(form.parameter_id(MATCH), "value"),
    State(form.parameter_id(MATCH), "suffix"),
    prevent_initial_call=True,
)


def asked(address: str) -> EnergyScenario:
    """What the form's address asks for. Raises what cannot be studied as a sentence."""
    query = {key: values[0] for key, values in parse_qs(address.removeprefix("?")).items()}
    scope = chosen(query)
    if scope.too_short:
        raise RunError(_too_short(scope.choice.cluster))
    return energy_scenario(scope)


start_button.wire(Form(ADDRESS, form.NAME, form.START, form.START_ERROR), asked)
