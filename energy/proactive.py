"""Controllers that wake nodes before they lack: while the free ones still reach a low-water mark.

Waking far and seldom, not closely and often: a wake action fills up to the target, and a hold after it
keeps those nodes awake. The defaults were chosen on the Philly series of 20 October – 16 November 2017: the
most nodes asleep at no more than 20 lack events and 3 wake-ups a day. They are for a cluster of its size.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from energy.demand import Values
from energy.errors import EnergyError
from energy.foresight import Foresight
from energy.seen import Decision, Seen

LONGEST_SLOTS = 1008  # a week: a longer hold or outlook is a mistaken unit
MOST_NODES = 1_000_000
CHOSEN_ON_NODES = 420  # nodes of the Philly series


def scaled(default_nodes: int, nodes: float) -> int:
    """A default in nodes for a cluster of ``nodes``, in proportion to that on which it was chosen; at least
    1."""
    return max(1, round(default_nodes * nodes / CHOSEN_ON_NODES))


@dataclass(frozen=True)
class Margin:
    """Awake: the last demand plus a margin. Raises EnergyError for a parameter out of range.

    ``margin_nodes``: free nodes after every action; ``low_water_nodes``: fewer free ones make a wake action;
    ``hold_slots``: how long after a wake action nothing is put to sleep.
    """

    name: ClassVar[str] = "margin"
    label: ClassVar[str] = "Last value plus a margin"

    margin_nodes: int = 20
    low_water_nodes: int = 6
    hold_slots: int = 36

    def __post_init__(self) -> None:
        _check(self, margin_nodes=MOST_NODES, low_water_nodes=self.margin_nodes, hold_slots=LONGEST_SLOTS)

    def start_nodes(self, demand: float, rises: Values) -> float:
        """Those in use, and the margin."""
        return demand + self.margin_nodes

    def steps(self, boot_slots: int) -> int:
        """It reads no forecast."""
        return 0

    def rises(self, foresight: Foresight | None, boot_slots: int, window: int) -> Values:
        """It reads no forecast."""
        return np.empty((window, 0))

    def decide(self, seen: Seen) -> Decision:
        """Fill up to the margin below the low-water mark; come down to it after the hold."""
        low = seen.ordered_nodes - seen.needed_nodes < self.low_water_nodes
        return _decision(seen, low, seen.needed_nodes + self.margin_nodes, self.hold_slots)


@dataclass(frozen=True)
class Quantile:
    """Awake: the forecast's upper quantile over the boot time and the slots after it.

    The target is the ``quantile`` (0–1) of the largest demand in the boot time and the next ``ahead_slots``
    slots, at least the last demand plus the low-water mark. A wake action follows when fewer than
    ``low_water_nodes`` are free or when the forecast itself (its mean) passes what is awake; ``hold_slots``:
    how long after it nothing is put to sleep. Where the quantile is not known yet, nothing is put to sleep.
    """

    name: ClassVar[str] = "quantile"
    label: ClassVar[str] = "Upper quantile of the forecast"

    quantile: float = 0.8
    ahead_slots: int = 36
    low_water_nodes: int = 5
    hold_slots: int = 36

    def __post_init__(self) -> None:
        _check(
            self, quantile=1, ahead_slots=LONGEST_SLOTS, low_water_nodes=MOST_NODES, hold_slots=LONGEST_SLOTS
        )
        if self.ahead_slots < 1:
            raise EnergyError(f"The controller's ahead_slots must be at least 1, not {self.ahead_slots}.")

    def start_nodes(self, demand: float, rises: Values) -> float:
        """The target at that time; all where the quantile is not known yet."""
        return np.inf if np.isnan(rises[1]) else demand + self._free_nodes(rises[1])

    def steps(self, boot_slots: int) -> int:
        """The boot time and the slots after it; a boot within the slot adds none."""
        return boot_slots - 1 + self.ahead_slots

    def rises(self, foresight: Foresight | None, boot_slots: int, window: int) -> Values:
        """Columns: the largest mean, and the upper quantile, above the last demand."""
        if foresight is None:
            raise EnergyError("The controller quantile needs a forecast: choose a model, or margin instead.")
        steps = self.steps(boot_slots)
        upper = foresight.upper_rises(steps, self.quantile)
        return np.column_stack([foresight.peak_rises(steps), upper])

    def decide(self, seen: Seen) -> Decision:
        """Fill up to the quantile below the low-water mark; come down to it after the hold."""
        peak, upper = seen.rises
        free = seen.ordered_nodes - seen.needed_nodes
        target = seen.needed_nodes + self._free_nodes(upper)
        if np.isnan(upper):
            target = max(seen.ordered_nodes, target)
        return _decision(seen, free < self.low_water_nodes or free < peak, target, self.hold_slots)

    def _free_nodes(self, upper: float) -> float:
        return float(np.fmax(np.ceil(upper), self.low_water_nodes))


def _decision(seen: Seen, low: bool, target: float, hold_slots: int) -> Decision:
    """Fill up to the target if ``low``, and hold; else come down to the target once the hold is over."""
    if low and target > seen.ordered_nodes:
        return Decision(target, seen.slot + hold_slots)
    if seen.may_sleep:
        return Decision(min(seen.ordered_nodes, target), seen.hold_until)
    return Decision(seen.ordered_nodes, seen.hold_until)


def _check(parameters: Any, **highest: float) -> None:
    for field in fields(parameters):
        value, high = getattr(parameters, field.name), highest[field.name]
        if not 0 <= value <= high:
            raise EnergyError(f"The controller's {field.name} must be between 0 and {high}, not {value}.")
