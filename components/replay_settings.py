"""What a replay does otherwise than the trace as it is, in words: for the list of runs and for a result."""

from collections.abc import Mapping
from typing import Any

from components.numbers import count, factor, listing
from components.policies import PLACEMENT_TITLES

Settings = Mapping[str, Any]

CONSOLIDATE = "consolidate"


def differences(settings: Settings) -> list[str]:
    """Every setting of a scheduling scenario that is not as the trace has it, each in a few words."""
    return [
        *_elsewhere(settings),
        *_capacity(settings),
        *_jobs(settings),
        *_rules(settings),
    ]


def described(settings: Settings) -> list[tuple[str, str]]:
    """The same as named facts, for the card beside a result; empty where nothing differs."""
    facts = {
        "Moved": listing(_elsewhere(settings)),
        "Capacity": listing(_capacity(settings)),
        "Jobs": listing(_jobs(settings)),
        "Rules": listing(_rules(settings)),
    }
    return [(name, _sentence(text)) for name, text in facts.items() if text]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _elsewhere(settings: Settings) -> list[str]:
    moves = [f"{_moved(source)} to {vc}" for source, vc in settings.get("moves", {}).items()]
    return moves + [f"VC {vc} merged into {into}" for vc, into in settings.get("merges", {}).items()]


def _moved(source: str) -> str:
    kind, _, name = source.partition(":")
    return f"jobs of {'user' if kind == 'user' else 'VC'} {name}"


def _capacity(settings: Settings) -> list[str]:
    said = [f"{place} {_signed(nodes)}" for place, nodes in settings.get("extra_nodes", {}).items()]
    said += [_dated(text) for text in settings.get("dated_nodes", ())]
    return said + (["each VC's quota of the day"] if settings.get("capacity_over_time") else [])


def _dated(text: str) -> str:
    """``cluster/vc:nodes@date`` in words."""
    change, _, day = text.partition("@")
    place, _, nodes = change.rpartition(":")
    return f"{place} {_signed(int(nodes))} from {day}"


def _signed(nodes: int) -> str:
    return f"{nodes:+d} {'node' if abs(nodes) == 1 else 'nodes'}".replace("-", "−")


def _jobs(settings: Settings) -> list[str]:
    said = []
    if settings["load_factor"] != 1:
        drawn = f" (draw {settings['seed']})" if settings.get("seed", 1) != 1 else ""
        said.append(f"load {factor(settings['load_factor'])}{drawn}")
    if settings.get("duration_factor", 1) != 1:
        said.append(f"durations {factor(settings['duration_factor'])}")
    return said + (
        ["starts with the jobs that ran and waited at the beginning"] if settings.get("start_state") else []
    )


def _rules(settings: Settings) -> list[str]:
    placement = settings["placement"]
    said = [] if placement == CONSOLIDATE else [PLACEMENT_TITLES.get(placement, placement).lower()]
    said += ["backfill"] if settings.get("backfill") else []
    said += ["both orders of simultaneous jobs"] if settings.get("tie_sensitivity") else []
    return said + ([f"stops at {settings['until']}"] if settings.get("until") else [])


def nothing_differs(policies: int) -> str:
    """What is said where only the policy may be another one."""
    what = f"Only the order of the queue, by {count(policies)} policies" if policies > 1 else "Nothing"
    return f"{what}: jobs, nodes and rules are those of the trace."
