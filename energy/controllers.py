"""The family of controllers behind one verb: ``control(controller, …)`` gives the nodes awake in every slot.

A controller is a frozen set of parameters with a pure ``decide``: what is seen when a slot begins in, nodes
wanted awake out. All are causal but `PublishedCes`, which is kept for comparison.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from energy.ces import PRESETS, CesParameters, PublishedCes
from energy.demand import Values
from energy.errors import EnergyError
from energy.fleet import Boot, NodeStates, enact
from energy.foresight import Foresight
from energy.proactive import Margin, Quantile, scaled
from energy.seen import Decision, Seen


class Controller(Protocol):
    """Parameters and a rule."""

    name: ClassVar[str]
    label: ClassVar[str]

    def start_nodes(self, demand: float, rises: Values) -> float:
        """Nodes awake when the window begins, of which ``demand`` were last known in use."""
        ...

    def steps(self, boot_slots: int) -> int:
        """How many slots ahead it reads the forecast; 0 if it reads none."""
        ...

    def rises(self, foresight: Foresight | None, boot_slots: int, window: int) -> Values:
        """What it reads of the forecast, shape (window, k); one row is ``seen.rises``."""
        ...

    def decide(self, seen: Seen) -> Decision:
        """The nodes wanted awake, and until which slot nothing may be put to sleep."""
        ...


@dataclass(frozen=True)
class AlwaysOn:
    """No node ever sleeps."""

    name: ClassVar[str] = "always_on"
    label: ClassVar[str] = "Always on"

    def start_nodes(self, demand: float, rises: Values) -> float:
        """All of them."""
        return np.inf

    def steps(self, boot_slots: int) -> int:
        """It reads no forecast."""
        return 0

    def rises(self, foresight: Foresight | None, boot_slots: int, window: int) -> Values:
        """It reads no forecast."""
        return np.empty((window, 0))

    def decide(self, seen: Seen) -> Decision:
        """All of them."""
        return Decision(np.inf, seen.hold_until)


@dataclass(frozen=True)
class Drs:
    """Vanilla dynamic resource sleep: as many nodes are awake as were in use in the last slot."""

    name: ClassVar[str] = "drs"
    label: ClassVar[str] = "Follow demand (vanilla DRS)"

    def start_nodes(self, demand: float, rises: Values) -> float:
        """Those in use."""
        return demand

    def steps(self, boot_slots: int) -> int:
        """It reads no forecast."""
        return 0

    def rises(self, foresight: Foresight | None, boot_slots: int, window: int) -> Values:
        """It reads no forecast."""
        return np.empty((window, 0))

    def decide(self, seen: Seen) -> Decision:
        """Those in use."""
        return Decision(seen.needed_nodes, seen.hold_until)


CONTROLLERS: dict[str, type[Controller]] = {
    each.name: each for each in (CesParameters, PublishedCes, AlwaysOn, Drs, Quantile, Margin)
}
"""Every controller by its name."""


def controller_named(
    name: str,
    values: Mapping[str, float] | None = None,
    preset: str = "Earth",
    nodes: float | None = None,
) -> Controller:
    """The controller of this name, with ``values`` in place of single parameters.

    CES takes the others from ``preset``; the others have defaults, of which those in nodes are in proportion
    to the cluster's ``nodes`` where those are given, and a low-water mark is at most the margin. Raises
    EnergyError for a controller, preset or parameter that there is not, and for a value out of range.
    """
    if name not in CONTROLLERS:
        raise EnergyError(f"There is no controller {name!r}: choose one of {', '.join(CONTROLLERS)}.")
    kind = CONTROLLERS[name]
    if preset not in PRESETS:
        raise EnergyError(f"There is no preset {preset!r}; the presets are {', '.join(PRESETS)}.")
    known: dict[str, Any] = asdict(PRESETS[preset] if issubclass(kind, CesParameters) else kind())  # type: ignore[call-overload]
    if nodes is not None and not issubclass(kind, CesParameters):
        known |= {each: scaled(known[each], nodes) for each in known if each.endswith("_nodes")}
    if unknown := sorted(set(values or {}) - set(known)):
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise EnergyError(f"The controller {name} has no parameter {unknown[0]!r}; {has}.")
    for parameter, value in (values or {}).items():
        known[parameter] = _whole(parameter, value) if isinstance(known[parameter], int) else float(value)
    if "margin_nodes" in known and "low_water_nodes" not in (values or {}):
        known["low_water_nodes"] = min(known["low_water_nodes"], max(known["margin_nodes"], 0))
    return kind(**known)


def control(
    controller: Controller,
    demand: Values,
    total: Values,
    window: int,
    foresight: Foresight | None = None,
    boot: Boot | None = None,
) -> NodeStates:
    """Node states of the last ``window`` slots of a series, each decided when its slot begins.

    ``demand`` and ``total``: nodes in use and present in all slots of the series. A missing slot keeps the
    state. ``foresight`` None: without forecast. In the causal controllers, awake plus booting nodes are never
    fewer than were in use in the last slot, unless that slot is missing or they have gone.
    """
    boot = boot or Boot()
    if isinstance(controller, PublishedCes):
        return controller.states(demand, total, window, foresight)
    rises = controller.rises(foresight, boot.slots, window)
    first, hold_until = len(demand) - window, 0

    def wanted(slot: int, ordered_nodes: float) -> float:
        nonlocal hold_until
        if slot == 0 or np.isnan(demand[slot - 1]):
            return ordered_nodes
        seen = Seen(slot - first, ordered_nodes, demand[:slot], rises[slot - first], hold_until)
        decision = controller.decide(seen)
        hold_until = decision.hold_until
        return decision.wanted_nodes

    return enact(wanted, total, first, start_nodes(controller, demand[:first], rises[0]), boot)


def start_nodes(controller: Controller, before: Values, rises: Values) -> float:
    """Nodes awake when a window begins, after the demand ``before``: all where nothing is known of it."""
    known = before[~np.isnan(before)]
    return controller.start_nodes(float(np.ceil(known[-1])), rises) if known.size else np.inf


def _whole(parameter: str, value: float) -> int:
    if value != int(value):
        raise EnergyError(f"The controller's {parameter} must be a whole number, not {value:g}.")
    return int(value)
