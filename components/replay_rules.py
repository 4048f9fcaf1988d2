"""Controls that every replay's form has: where jobs are placed, and what else the rules are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc

from components.filters import FilterError
from components.labels import labelled
from components.policies import PLACEMENT_TITLES, POLICY_TITLES
from components.theme import POLICIES


@dataclass(frozen=True)
class Option:
    """Something that a replay does or does not do: key in the address, title, what it means."""

    key: str
    title: str
    help_text: str


#: Options by their name in a scenario.
OPTIONS = {
    "backfill": Option(
        "backfill",
        "Backfill behind a waiting job",
        "Jobs overtake a head that waits for nodes if they end before its turn (EASY), by what the "
        "policy knows.",
    ),
    "start_state": Option(
        "start",
        "Start with the jobs that ran and waited then",
        "The cluster begins with the jobs that ran and waited at the window's start; otherwise it is empty.",
    ),
    "capacity_over_time": Option(
        "quota",
        "Follow each VC's quota by day",
        "Each VC has the GPUs of its quota on that day; otherwise those of its largest one in the window.",
    ),
    "tie_sensitivity": Option(
        "ties",
        "Try both orders of simultaneous jobs",
        "Replays jobs submitted in the same second in reverse order too: how far the numbers depend on it.",
    ),
}


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


def placement_select(id: Any, value: str) -> dmc.Select:
    """Where jobs run."""
    return dmc.Select(
        id=id,
        label=labelled(
            "Placement", "Consolidate: as few nodes as possible, or wait. Else spread: over the idlest nodes."
        ),
        data=[{"value": name, "label": title} for name, title in PLACEMENT_TITLES.items()],
        value=value,
        allowDeselect=False,
    )


def switches(ids: Mapping[str, Any], chosen: Sequence[str]) -> list[dmc.Switch]:
    """A switch for each option of ``ids``, on where it is chosen."""
    return [
        dmc.Switch(
            id=id,
            label=labelled(OPTIONS[name].title, OPTIONS[name].help_text),
            checked=name in chosen,
            size="xs",
        )
        for name, id in ids.items()
    ]


def chosen_options(query: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """The options that an address switches on."""
    return tuple(name for name in names if query.get(OPTIONS[name].key) == "1")
