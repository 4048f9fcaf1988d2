"""Users who give way: which job starts when, if hardly anybody insists on a place in a queue.

Under strict FIFO one gang at the head of the queue blocks everybody, and arrivals that ignored it would pile
up for weeks at the published utilization. So the jobs of a VC are rehearsed with users who coordinate:
whoever finds no room comes back when there is, and meanwhile lets others pass who do not delay them (EASY
backfilling: Lifka, 1995). Only when its start is so near that its user accepts to wait does a job join the
queue, and then nobody passes.

The rehearsal ends in submit times and an order that a FIFO replay turns into the very same starts.
"""

from heapq import heappop, heappush

import numpy as np

from traces.demo.calendar import PERIOD_S
from traces.demo.raking import Floats, Ints

EPISODE_S = 2 * 86_400.0
"""Users of a VC queue up or stay away for days at a time (before a deadline they queue)."""
DEPTH = 40
"""How many waiting jobs behind the first are looked at for one that may pass."""


class Rehearsal:
    """The nodes and the waiting jobs of one VC; placement as in the replay (consolidated, fullest node
    first).

    `accepted_s` is the longest wait that users accept, one per episode of EPISODE_S.
    """

    def __init__(
        self, gpu_num: Ints, duration_s: Floats, nodes: int, gpus_per_node: int, accepted_s: Floats
    ) -> None:
        self.gpus: list[int] = gpu_num.tolist()
        self.duration: list[float] = duration_s.tolist()
        self.accepted: list[float] = accepted_s.tolist()
        self.size = gpus_per_node
        self.free = [gpus_per_node] * nodes
        self.busy_until = [0.0] * nodes
        self.ends: list[tuple[float, int, tuple[tuple[int, int], ...]]] = []
        self.waiting: list[int] = []
        self.started: list[int] = []
        self.submit = [0.0] * len(self.gpus)
        self.last = 0.0

    def run(self, wish_s: Floats) -> tuple[Floats, Ints]:
        """Submit times in s for sorted `wish_s`, and the jobs in order of their start."""
        self.wish: list[float] = wish_s.tolist()
        ends, waiting = self.ends, self.waiting
        for job, wish in enumerate(self.wish):
            while ends and ends[0][0] <= wish:
                self._end()
            if waiting:
                waiting.append(job)
                if len(waiting) <= DEPTH:
                    self._let_pass(wish, len(waiting) - 1)
            elif not self._start(job, wish):
                waiting.append(job)
        while ends:
            self._end()
        return np.array(self.submit), np.array(self.started, np.int64)

    def _accepted(self, now: float) -> float:
        return self.accepted[min(int(now // EPISODE_S), len(self.accepted) - 1)]

    def _end(self) -> None:
        """Move to the next end of a job, and start whom that gives room."""
        now = self.ends[0][0]
        while self.ends and self.ends[0][0] <= now:
            for node, gpus in heappop(self.ends)[2]:
                self.free[node] += gpus
        if self.waiting:
            count = 0
            for job in self.waiting:
                if not self._start(job, now):
                    break
                count += 1
            del self.waiting[:count]
            if len(self.waiting) > 1:
                self._let_pass(now, 1)

    def _let_pass(self, now: float, first: int) -> None:
        """Start waiting jobs, from position `first` on, that do not delay the one that has waited longest.

        Nobody passes once that one is in the queue.
        """
        room = max(self.free)
        if not room:
            return
        head = self.gpus[self.waiting[0]]
        need = max(1, -(-head // self.size))
        shadow = sorted(self.busy_until)[need - 1]
        begins = shadow if head >= self.size else self.ends[0][0]
        if begins - now <= self._accepted(now):
            return
        position = first
        whole = self.free.count(self.size) * self.size
        while room and position < min(len(self.waiting), DEPTH):
            job = self.waiting[position]
            fits = self.gpus[job] <= (room if self.gpus[job] <= self.size else whole + room)
            if fits and self._start(job, now, shadow, need):
                del self.waiting[position]
                room, whole = max(self.free), self.free.count(self.size) * self.size
            else:
                position += 1

    def _start(self, job: int, now: float, shadow: float = 0.0, need: int = 0) -> bool:
        """Start a job if there is room, and if so that `need` nodes are still free at `shadow`."""
        places = self._places(self.gpus[job])
        if not places:
            return False
        end = now + self.duration[job]
        if need and end > shadow:
            left = sum(until <= shadow for until in self.busy_until)
            left -= sum(self.busy_until[node] <= shadow for node, _ in places)
            if left < need:
                return False
        for node, gpus in places:
            self.free[node] -= gpus
            self.busy_until[node] = max(self.busy_until[node], end)
        heappush(self.ends, (end, job, places))
        # Whoever passed would have started earlier, had it queued earlier, unless others just started.
        stays_away = need and now > self.last
        self.submit[job] = now if stays_away else min(now, max(self.wish[job], now - self._accepted(now)))
        self.last = now
        self.started.append(job)
        return True

    def _places(self, gpus: int) -> tuple[tuple[int, int], ...]:
        """(node, GPUs) for a job, or nothing if it does not fit."""
        free, size = self.free, self.size
        if gpus <= size:
            best = min((left for left in free if left >= gpus), default=0)
            return ((free.index(best), gpus),) if best else ()
        whole, rest = divmod(gpus, size)
        empty = [node for node, left in enumerate(free) if left == size]
        if len(empty) < whole:
            return ()
        places = tuple((node, size) for node in empty[:whole])
        if not rest:
            return places
        taken = set(empty[:whole])
        left, node = max(
            ((left, -node) for node, left in enumerate(free) if node not in taken), default=(0, 0)
        )
        return (*places, (-node, rest)) if left >= rest else ()


def rehearsed(
    wish_s: Floats, gpu_num: Ints, duration_s: Floats, nodes: int, gpus_per_node: int, accepted_s: Floats
) -> tuple[Floats, Ints]:
    """Submit times in s of one VC's jobs and, per job, its place in the order of submission.

    `accepted_s` is the longest wait that users accept, one per episode of EPISODE_S.
    """
    order = np.argsort(wish_s, kind="stable")
    rehearsal = Rehearsal(gpu_num[order], duration_s[order], nodes, gpus_per_node, accepted_s)
    early, started = rehearsal.run(wish_s[order])
    submit, place = np.empty(len(wish_s)), np.empty(len(wish_s), np.int64)
    # in order of starts, a job is submitted at or after those before it
    submit[order[started]] = np.maximum.accumulate(np.minimum(np.ceil(early[started]), PERIOD_S - 1.0))
    place[order[started]] = np.arange(len(wish_s))
    return submit, place
