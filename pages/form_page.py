"""A page with a form on the left and the run that it starts on the right; what Plan and Sweep share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

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
from dash.development.base_component import Component

from components.filter_bar import FILTERS, Choices, filter_bar
from components.filters import Filters
from components.notices import way_back, welcome
from components.page_frame import page_frame
from components.run_status import ANSWER, RUN, live_run
from components.theme import POLICIES
from components.what_if_tabs import tabs
from pages import start_button
from pages.frame import SENTENCES, shows
from pages.live_run import run_of
from pages.live_run import skeleton as run_skeleton
from pages.replay_scenario import choices_with_jobs, every_day, form_scope
from pages.scope import Scope
from pages.start_button import Form
from queries import manifests

C = TypeVar("C")


@dataclass(frozen=True)
class FormPage(Generic[C]):
    """What such a page is made of.

    ``kind`` is the kind of run; ``form`` the room of its controls, whose fields are ``form.field`` and
    ``form.switch``; ``choice`` reads a query, the empty one for the form at rest; ``drawn`` draws a choice
    with a filter bar. ``asked`` makes the scenario of the form's address, ``size`` the sentence about how
    large it is; both raise one of ``SENTENCES`` for what cannot be. ``scope`` is what an address is about.
    """

    kind: str
    path: str
    question: str
    invitation: str
    placeholder: str
    form: ModuleType
    choice: Callable[[Mapping[str, Any]], C]
    drawn: Callable[[C, Component], Component]
    asked: Callable[[str], Any]
    size: Callable[[str], str]
    scope: Callable[[Mapping[str, Any]], Scope] = form_scope

    @property
    def address(self) -> str:
        """The id of the store that holds the form's address."""
        return f"{self.kind}-address"

    @property
    def defaults(self) -> str:
        """The id of the store that holds what need not be in the address."""
        return f"{self.kind}-defaults"

    def layout(self, **query: Any) -> html.Div:
        """The form that the address fills, and the run that it names."""
        if not manifests.names():
            return welcome()
        try:
            scope, choice, choices = self._chosen(query)
        except SENTENCES as error:
            return way_back("This address shows nothing", str(error))
        assumed = bool(scope.filters.clusters) and not query.get("cluster")
        bar = filter_bar(scope.filters, choices, clusters_assumed=assumed)
        return self._page(choice, bar, run_of(query, self.kind), scope.generated, every_day(scope))

    def exists(self, **query: Any) -> bool:
        """Whether :meth:`layout` shows the form; the server answers 404 otherwise."""
        return shows(self._chosen, query)

    def _chosen(self, query: Mapping[str, Any]) -> tuple[Scope, C, Choices]:
        scope = self.scope(query)
        return scope, self.choice(query), choices_with_jobs(scope)

    def skeleton(self) -> html.Div:
        """The page without data: every id that callbacks name, a result among them."""
        page = self._page(self.choice({}), filter_bar(Filters(), Choices()), None, False)
        return html.Div([page, run_skeleton()])

    def _page(
        self, choice: C, bar: Component, run_id: str | None, generated: bool, days: str = ""
    ) -> html.Div:
        usual = {"usual": self.form.DEFAULTS, "order": list(POLICIES), "days": days}
        return page_frame(
            self.question,
            dcc.Store(id=self.address),
            dcc.Store(id=self.defaults, data=usual),
            html.Div([self.drawn(choice, bar), live_run(run_id, self.placeholder)], className="what-if"),
            answer_id=ANSWER,
            answer=self.invitation,
            generated=generated,
            bar=tabs(self.path),
        )

    def wire(self) -> None:
        """The callbacks: the address follows the form, the button starts it, a line says how large it is."""
        form = self.form
        clientside_callback(
            ClientsideFunction("whatIfForms", "keepForm"),
            Output(self.address, "data"),
            Input(FILTERS, "data"),
            Input(form.field(ALL), "value"),
            Input(form.switch(ALL), "checked"),
            Input(RUN, "data"),
            State(self.defaults, "data"),
            State(form.field(ALL), "id"),
            State(form.switch(ALL), "id"),
        )
        start_button.wire(Form(self.address, form.NAME, form.START, form.START_ERROR), self.asked)

        @callback(Output(form.SIZE, "children"), Input(self.address, "data"), prevent_initial_call=True)
        def show_size(address: str) -> str:
            try:
                return self.size(address)
            except SENTENCES as error:
                return str(error)
