"""Controls that every replay's form has: where jobs are placed, and what else the rules are."""

from collections.abc import Callable, Mapping
from typing import Any

import dash_mantine_components as dmc

from components.filters import FilterError
from components.labels import labelled
from components.policies import PLACEMENT_TITLES, POLICY_TITLES
from components.replay_form import OPTIONS
from components.theme import POLICIES

FieldId = Callable[[str], dict[str, Any]]


def policy_options() -> list[dict[str, Any]]:
    """The policies as options; those that no stored trace can be replayed under are disabled."""
    return [{"value": name, "label": POLICY_TITLES[name].label} for name in POLICIES]


def checked_policies(names: list[str], usual: tuple[str, ...]) -> tuple[str, ...]:
    """The policies that an address names, in the order of charts. Raises FilterError for another one."""
    for name in names:
        if name not in POLICY_TITLES:
            raise FilterError(f"There is no policy “{name}”; choose from {', '.join(POLICY_TITLES)}.")
    return tuple(policy for policy in POLICIES if policy in names) or usual


def checked_placement(name: Any) -> str:
    """The placement that an address names. Raises FilterError for another one."""
    placement = str(name or "consolidate")
    if placement not in PLACEMENT_TITLES:
        raise FilterError(f"There is no placement “{placement}”; choose from {', '.join(PLACEMENT_TITLES)}.")
    return placement


def placement_select(value: str, field: FieldId) -> dmc.Select:
    """Where jobs run."""
    return dmc.Select(
        id=field("placement"),
        label=labelled(
            "Placement", "Consolidate: as few nodes as possible, or wait. Else spread: over the idlest nodes."
        ),
        data=[{"value": name, "label": title} for name, title in PLACEMENT_TITLES.items()],
        value=value,
        allowDeselect=False,
    )


def switches(chosen: tuple[str, ...], names: tuple[str, ...], switch: FieldId) -> list[dmc.Switch]:
    """A switch for each of these options of a replay; its name in the address is the option's key."""
    return [
        dmc.Switch(
            id=switch(OPTIONS[name].key),
            label=labelled(OPTIONS[name].title, OPTIONS[name].help_text),
            checked=name in chosen,
            size="xs",
        )
        for name in names
    ]


def chosen_options(query: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """The options that an address switches on."""
    return tuple(name for name in names if query.get(OPTIONS[name].key) == "1")
