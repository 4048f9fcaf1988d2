"""Settings of a stored scenario that a form has no control for: they go along in the form's address."""

import dataclasses
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, TypeVar

from components.filters import FilterError
from runs import RunError
from runs.scenario import KINDS, Scenario, document, scenario

S = TypeVar("S", bound=Scenario)


def carried_settings(kind: str, values: Mapping[str, Any], on_form: Collection[str]) -> dict[str, Any]:
    """The settings that are neither on the form nor what they are by themselves.

    The ends of the window are on the form as whole days only.
    """
    usual = document(_plain(kind))
    return {
        name: value
        for name, value in values.items()
        if name not in on_form and value != usual[name] and not (name in ("from", "to") and is_day(value))
    }


def with_carried(made: S, carried: Mapping[str, Any], *, but: Collection[str] = ()) -> S:
    """The scenario with the settings that its form's address carries, ``but`` those named.

    Raises FilterError for a setting that such a scenario does not have.
    """
    kept = {name: value for name, value in carried.items() if name not in but}
    try:
        return scenario(made.kind, document(made) | kept)  # type: ignore[return-value]
    except RunError as error:
        raise FilterError(f"This address carries what no run can take: {error}") from None


def is_day(text: str) -> bool:
    """Whether a time of a scenario is a whole day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


def _plain(kind: str) -> Scenario:
    needed = {
        each.name: ""
        for each in dataclasses.fields(KINDS[kind])
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    }
    return KINDS[kind](**needed)
