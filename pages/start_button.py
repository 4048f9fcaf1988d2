"""The button of a what-if's form: it starts a stored run of what the form's address says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dash import Input, Output, State, callback, no_update

from components.notices import notice
from components.run_status import RUN
from pages.frame import SENTENCES
from runs import queue
from runs.scenario import Scenario

#: Letters of a run's name.
LONGEST_NAME = 80


@dataclass(frozen=True)
class Form:
    """The ids of a form's address, of its field for a name, of its button, and of the place of an error."""

    address: str
    name: str
    start: str
    error: str


def wire(form: Form, scenario: Callable[[str], Scenario]) -> None:
    """Register the button. ``scenario`` reads an address; what it cannot be is raised as a sentence."""

    @callback(
        Output(RUN, "data", allow_duplicate=True),
        Output(form.error, "children"),
        Input(form.start, "n_clicks"),
        State(form.address, "data"),
        State(form.name, "value"),
        prevent_initial_call=True,
    )
    def start(clicks: int | None, address: str, name: str | None) -> tuple[Any, Any]:
        if not clicks:
            return no_update, no_update
        try:
            run = queue.start(scenario(address), (name or "").strip()[:LONGEST_NAME])
        except SENTENCES as error:
            return no_update, notice(str(error))
        return run.id, None
