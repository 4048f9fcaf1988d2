"""A fleet of nodes under a controller: which are awake, which boot, and which sleep, slot by slot."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from energy.demand import SLOT_S, Values

# (slot about to begin, nodes awake or booting) → nodes wanted awake, decided from the slots before that slot
Controller = Callable[[int, float], float]


class NodeStates(NamedTuple):
    """Nodes by slot: awake at the slot's beginning, and booting (neither awake nor asleep)."""

    awake: Values
    booting: Values


def enact(
    controller: Controller, present: Values, first: int, start_nodes: float, boot_time_s: float
) -> NodeStates:
    """The states of the slots from ``first`` on, when ``controller`` says how many nodes it wants awake.

    ``present[i]`` nodes are there in slot i (NaN where unknown, but not in every slot up to ``first``); of
    them ``start_nodes`` are awake when the first slot begins.

    A controller that wants more nodes does so because of the slot just past: they are awake from that slot
    plus the boot time on, so in the slot that begins now for boot times up to one slot; longer ones are
    rounded up to slots. Nodes put to sleep sleep at once, and none do while others boot. Awake and booting
    nodes never exceed the nodes present in the latest slot in which that is known.
    """
    room = np.floor(present[: first + 1][~np.isnan(present[: first + 1])][-1])
    boot_slots = max(1, int(np.ceil(boot_time_s / SLOT_S)))
    states = NodeStates(np.empty(len(present) - first), np.empty(len(present) - first))
    awake = min(start_nodes, room)
    orders: list[tuple[int, float]] = []  # (slot from which they are awake, nodes), the earliest first
    for slot in range(first, len(present)):
        room = room if np.isnan(present[slot]) else np.floor(present[slot])
        awake, orders = _arrived(awake, orders, slot, room)
        ordered = awake + sum(nodes for _, nodes in orders)
        wanted = min(controller(slot, ordered), room)
        if wanted > ordered:
            awake, orders = _arrived(awake, [*orders, (slot - 1 + boot_slots, wanted - ordered)], slot, room)
        elif not orders:
            awake = wanted
        states.awake[slot - first] = awake
        states.booting[slot - first] = sum(nodes for _, nodes in orders)
    return states


def _arrived(
    awake: float, orders: list[tuple[int, float]], slot: int, room: float
) -> tuple[float, list[tuple[int, float]]]:
    """Awake nodes and open orders at the beginning of ``slot``, cut to the ``room`` nodes present."""
    awake = min(awake + sum(nodes for due, nodes in orders if due <= slot), room)
    kept, left = [], room - awake
    for due, nodes in orders:
        if due > slot and left > 0:
            kept.append((due, min(nodes, left)))
            left -= min(nodes, left)
    return awake, kept
