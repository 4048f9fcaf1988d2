"""Users who look before they submit: long or large jobs are submitted when their VC is likely to have room.

Jobs that arrive regardless of load would wait for days at the published utilization; in the real clusters
four of five do not wait. So each VC has a timetable of nodes in slots of 10 minutes. The largest jobs are
written into it first, each as near to the time its user had in mind as there is room. The timetable only sets
submit times: it does not know when short jobs come or on which node a job runs, and starts come from the
replay.
"""

import numpy as np

from traces.demo.calendar import DAYS
from traces.demo.raking import Floats, Ints, Mask

SLOT_S = 600
SLOTS_PER_DAY = 144
SLOTS = DAYS * SLOTS_PER_DAY
SLOTS_BEYOND = 7300
"""Room for the longest job to run on after the period."""
LONG_S = 1800.0
"""Jobs at least this long, or of a whole node or more, are on the timetable."""
PACKING = 1.1
"""Nodes taken by jobs of less than a node ÷ those that their GPUs would fill."""
NEAR_SLOTS = 7 * SLOTS_PER_DAY
"""A time within a week is taken before the rest of the period is searched."""
HOUR_COST_DAYS = 1.0
"""Users would rather submit a day later than two hours away from the hour of day they had in mind."""


def on_timetable(gpu_num: Ints, duration_s: Floats, gpus_per_node: int) -> Mask:
    """Which jobs are submitted with a look at the load."""
    return np.asarray((duration_s >= LONG_S) | (gpu_num >= gpus_per_node))


class Timetable:
    """Nodes of one VC taken in each slot: whole ones by large jobs, shared ones by jobs of less than a
    node."""

    def __init__(self, nodes: int, gpus_per_node: int, opens_slot: int, spare_nodes: int) -> None:
        """`spare_nodes` are left to the jobs that are not on the timetable, but not by a gang that needs
        them."""
        self.nodes, self.spare, self.gpus_per_node, self.opens = nodes, spare_nodes, gpus_per_node, opens_slot
        self.small = np.zeros(SLOTS + SLOTS_BEYOND, np.float32)
        self.whole = np.zeros(SLOTS + SLOTS_BEYOND, np.float32)
        self.packing = PACKING if nodes > 1 else 1.0

    def write(self, wish: int, slots: int, gpu_num: int) -> int:
        """Write a job of `slots` slots as near to slot `wish` as there is room; its first slot.

        A job for which there is no room at any time goes where the fewest slots are too full.
        """
        start = wish
        if self._full(wish, wish + slots, gpu_num).any():
            start = self._nearest(wish, slots, gpu_num)
        taken = slice(start, start + slots)
        if gpu_num >= self.gpus_per_node:
            self.whole[taken] += -(-gpu_num // self.gpus_per_node)
        else:
            self.small[taken] += gpu_num
        return start

    def _full(self, first: int, end: int, gpu_num: int) -> Mask:
        """Slots of [first, end) that have no room for `gpu_num` more GPUs."""
        small, whole = self.small[first:end], self.whole[first:end]
        if gpu_num >= self.gpus_per_node:
            need = -(-gpu_num // self.gpus_per_node)
            present = max(self.nodes - self.spare, need)
        else:
            need, present = 0, self.nodes - self.spare
            small = small + gpu_num
        return np.asarray(whole + np.ceil(small * (self.packing / self.gpus_per_node)) > present - need)

    def _nearest(self, wish: int, slots: int, gpu_num: int) -> int:
        for low, high in (
            (max(self.opens, wish - NEAR_SLOTS), min(SLOTS, wish + NEAR_SLOTS)),
            (self.opens, SLOTS),
        ):
            full = np.concatenate([[0], np.cumsum(self._full(low, high + slots, gpu_num))])
            blocked = full[slots : high - low + slots] - full[: high - low]
            free = np.flatnonzero(blocked == 0)
            if len(free):
                return low + int(free[np.argmin(_cost(free + (low - wish)))])
        return self.opens + int(np.argmin(blocked))


def _cost(away_slots: Ints) -> Floats:
    """How little users like a time so many slots away."""
    clock = np.abs((away_slots + SLOTS_PER_DAY // 2) % SLOTS_PER_DAY - SLOTS_PER_DAY // 2)
    return np.asarray(np.abs(away_slots) / SLOTS_PER_DAY + HOUR_COST_DAYS / 6 * clock)


def scheduled(intended_s: Floats, gpu_num: Ints, duration_s: Floats, timetable: Timetable) -> Floats:
    """Times in s for one VC's jobs near those intended, written into `timetable` by falling GPU time."""
    wish = np.floor(intended_s / SLOT_S).astype(np.int64)
    slots = np.ceil((intended_s - wish * SLOT_S + duration_s) / SLOT_S).astype(np.int64)
    start = wish.copy()
    order = np.argsort(-gpu_num * duration_s, kind="stable").tolist()
    for job in order:
        start[job] = timetable.write(int(wish[job]), int(slots[job]), int(gpu_num[job]))
    return intended_s + SLOT_S * (start - wish)
