"""A fleet of nodes under a controller: which are awake, which boot, and which sleep, slot by slot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from energy.demand import SLOT_S, Values
from energy.errors import EnergyError

# (slot about to begin, nodes awake or booting) → nodes wanted awake, decided from the slots before that slot
Wanted = Callable[[int, float], float]

LONGEST_BOOT_S = 86_400.0
HIGHEST_FAILURE = 0.9  # beyond it a fleet of a thousand nodes boots for days


@dataclass(frozen=True)
class Boot:
    """How a sleeping node wakes. Raises EnergyError for a value out of range.

    ``time_s``: from the wake action to a node that takes jobs; ``failure_probability``: of one attempt, each
    node for itself; a failed attempt is noticed after the boot time and repeated. ``seed`` settles which
    fail.
    """

    time_s: float = 0.0
    failure_probability: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.time_s <= LONGEST_BOOT_S:
            raise EnergyError(f"The boot time must be between 0 s and a day, not {self.time_s} s.")
        if not 0 <= self.failure_probability <= HIGHEST_FAILURE:
            raise EnergyError(
                f"The probability that a wake-up fails must be between 0 and {HIGHEST_FAILURE}, "
                f"not {self.failure_probability}."
            )
        if self.seed < 0:
            raise EnergyError(f"The seed must be a whole number of at least 0, not {self.seed}.")

    @property
    def slots(self) -> int:
        """Slots from the slot that made a wake necessary to the first one in which the nodes are awake."""
        return max(1, int(np.ceil(self.time_s / SLOT_S)))


class NodeStates(NamedTuple):
    """Nodes by slot: awake at the slot's beginning, booting (neither awake nor asleep) and ``failed``, those
    whose wake-up turned out to have failed when the slot began."""

    awake: Values
    booting: Values
    failed: Values


class _Fleet:
    """Awake nodes and open orders; the state that `enact` carries from slot to slot."""

    def __init__(self, awake: float, room: float, boot: Boot) -> None:
        self.awake, self.room, self.boot = min(awake, room), room, boot
        self.orders: list[tuple[int, float]] = []  # (slot from which they are awake, nodes), earliest first
        self.random = np.random.default_rng(boot.seed)

    @property
    def booting(self) -> float:
        return sum(nodes for _, nodes in self.orders)

    def begin(self, slot: int, present: float) -> float:
        """Let what is due in ``slot`` wake, cut to the nodes present (NaN: as before); return how many
        failed."""
        self.room = self.room if np.isnan(present) else np.floor(present)
        failed = 0.0
        later: list[tuple[int, float]] = []
        for due, nodes in self.orders:
            if due > slot:
                later.append((due, nodes))
                continue
            again = float(self.random.binomial(int(nodes), self.boot.failure_probability))
            self.awake += nodes - again
            failed += again
            later += [(slot + self.boot.slots, again)] if again else []
        self.awake = min(self.awake, self.room)
        self.orders = _cut(sorted(later), self.room - self.awake)
        return failed

    def wake(self, slot: int, nodes: float) -> float:
        """Order ``nodes`` because of the slot before ``slot``; return how many failed at once."""
        self.orders.append((slot - 1 + self.boot.slots, nodes))
        return self.begin(slot, self.room)


def enact(wanted: Wanted, present: Values, first: int, start_nodes: float, boot: Boot) -> NodeStates:
    """The states of the slots from ``first`` on, when ``wanted`` says how many nodes should be awake.

    ``present[i]`` nodes are there in slot i (NaN where unknown, but not in every slot up to ``first``); of
    them ``start_nodes`` are awake when the first slot begins.

    A controller that wants more nodes does so because of the slot just past: they are awake from that slot
    plus the boot time on, so in the slot that begins now for boot times up to one slot; longer ones are
    rounded up to slots, and each failed attempt adds as much again. Nodes put to sleep sleep at once, and
    none do while others boot. Awake and booting nodes never exceed the nodes present in the latest slot in
    which that is known.
    """
    room = np.floor(present[: first + 1][~np.isnan(present[: first + 1])][-1])
    fleet = _Fleet(start_nodes, room, boot)
    states = NodeStates(*(np.empty(len(present) - first) for _ in NodeStates._fields))
    for slot in range(first, len(present)):
        failed = fleet.begin(slot, present[slot])
        ordered = fleet.awake + fleet.booting
        target = min(wanted(slot, ordered), fleet.room)
        if target > ordered:
            failed += fleet.wake(slot, target - ordered)
        elif not fleet.orders:
            fleet.awake = target
        states.awake[slot - first] = fleet.awake
        states.booting[slot - first] = fleet.booting
        states.failed[slot - first] = failed
    return states


def _cut(orders: list[tuple[int, float]], room: float) -> list[tuple[int, float]]:
    """The earliest orders, as far as there is ``room`` for their nodes."""
    kept = []
    for due, nodes in orders:
        if room > 0:
            kept.append((due, min(nodes, room)))
            room -= min(nodes, room)
    return kept
