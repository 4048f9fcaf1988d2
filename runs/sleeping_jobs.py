"""What sleeping nodes cost the jobs: the trace's jobs, replayed on the awake nodes only.

The loop is closed: at every slot's beginning the controller sees the demand that its own decisions have made
(nodes in use, and sleeping nodes that waiting jobs need), and what it wakes then runs the jobs. Nodes that
waiting jobs need are woken in any case: the controller counts the cluster's nodes, and free ones of one VC
serve no job of another. Its forecast is the one thing outside the loop: how far demand will rise comes from
the replay without sleep, which knows nothing of later jobs either, and is added to the demand that it sees.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import energy
from energy.controllers import start_nodes
from energy.demand import SLOT_S
from energy.seen import Seen
from runs.node_demand import Demand, Replay
from runs.vc_nodes import spread_sleeps, spread_wakes
from scheduling.paused import PausedReplay

DELAYED_FROM_S = 1.0  # as a job counts as queued
FORECAST_NOTE = (
    "The jobs, the queue and the controller's decisions are one closed loop; only the forecast's rise is "
    "that of the replay without sleep."
)


@dataclass(frozen=True)
class SleepingJobs:
    """What sleep did to the jobs of a window.

    ``document`` is ready for JSON; ``slots`` are those of the closed loop (time, used, demand, total, awake,
    booting, asleep, lack, failed_wakes); ``delayed`` the jobs that sleep delayed (job_id, vc, gpu_num,
    submit_s, added_delay_s).
    """

    document: dict[str, Any]
    slots: pd.DataFrame
    delayed: pd.DataFrame


def sleeping_jobs(
    demand: Demand, replay: Replay, slots: pd.DataFrame, rises: NDArray[np.float64], settings: "Loop"
) -> SleepingJobs:
    """Replay the jobs of a replayed demand on the nodes that a controller keeps awake in a window.

    ``slots``: the window's, from `energy.study`, and ``rises`` what the controller reads of its forecast.
    Before the window all nodes are awake, and from its end on. A node with a running job does not sleep, and
    no job is moved. The boot time counts from the slot's beginning at which the wake was decided. Raises
    ScenarioError for a policy that preempts.
    """
    begin_s: NDArray[np.float64] = np.asarray((slots["time"] - replay.start_time).dt.total_seconds())
    loop = _ClosedLoop(replay, begin_s, settings)
    before = demand.series["used"].to_numpy(float)[: len(demand.series) - len(slots)]
    made = loop.run(before, rises)
    table = pd.DataFrame({"time": slots["time"], **made})
    added = loop.added_delays()
    window = added[(added["submit_s"] >= begin_s[0]) & (added["submit_s"] < begin_s[-1] + SLOT_S)]
    late = window["added_delay_s"] >= DELAYED_FROM_S
    result = energy.outcome(*(table[c].to_numpy(float) for c in ("used", "total", "awake", "asleep", "lack")))
    by_vc = [
        {"vc": str(vc), **delay_figures(own["added_delay_s"])}
        for vc, own in window.groupby("vc", observed=True)
    ]
    document = {"policy": replay.policy, **delay_figures(window["added_delay_s"]), "by_vc": by_vc}
    document |= {"result": result, "note": FORECAST_NOTE}
    return SleepingJobs(document, table, window[late].reset_index(drop=True))


def delay_figures(added_delay_s: "pd.Series[float]") -> dict[str, Any]:
    """Jobs, those delayed by at least 1 s, the mean over all jobs (some start earlier: negative), and of the
    delayed ones mean, 95th percentile (linear interpolation) and maximum; None where there are none."""
    delays = added_delay_s.to_numpy(float)
    late = delays[delays >= DELAYED_FROM_S]
    return {
        "jobs": int(delays.size),
        "jobs_delayed": int(late.size),
        "mean_added_delay_s": float(delays.mean()) if delays.size else None,
        "delayed_mean_s": float(late.mean()) if late.size else None,
        "delayed_p95_s": float(np.percentile(late, 95)) if late.size else None,
        "delayed_max_s": float(late.max()) if late.size else None,
    }


@dataclass(frozen=True)
class Loop:
    """Who decides, and how nodes wake."""

    controller: energy.Controller
    boot: energy.Boot


class _ClosedLoop:
    """The VCs' replays, paused at every slot's beginning for the controller."""

    def __init__(self, replay: Replay, begin_s: NDArray[np.float64], settings: Loop) -> None:
        self.replay, self.begin_s, self.settings = replay, begin_s, settings
        self.vcs = [_Vc(replay, vc, gpus) for vc, gpus in replay.capacity.items()]
        self.random = np.random.default_rng(settings.boot.seed)
        self.failed = np.zeros(len(begin_s))

    def run(self, before: NDArray[np.float64], rises: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Columns of the closed loop's slots, after the demand ``before`` the window."""
        slots, first = len(self.begin_s), len(before)
        demand = np.concatenate([before, np.full(slots, np.nan)])
        used, awake, booting = np.empty(slots), np.empty(slots), np.empty(slots)
        decide, hold_until = self.settings.controller.decide, 0
        self._go_on(self.begin_s[0])
        self._enact(0, start_nodes(self.settings.controller, before, rises[0]))
        for i, now_s in enumerate(self.begin_s):
            self._go_on(now_s)
            if i:
                used[i - 1], demand[first + i - 1] = self._seen(i - 1)
            seen = Seen(i, self._count("awake", "booting"), demand[: first + i], rises[i], hold_until)
            wanted, hold_until = decide(seen)
            self._enact(i, wanted)
            awake[i], booting[i] = self._count("awake"), self._count("booting")
        self._go_on(self.begin_s[-1] + SLOT_S)
        used[-1], demand[-1] = self._seen(slots - 1)
        self._wake_all()
        total = np.full(slots, float(sum(vc.present for vc in self.vcs)))
        own = demand[first:]
        return {
            "used": used,
            "demand": own,
            "total": total,
            "awake": awake,
            "booting": booting,
            "asleep": total - awake - booting,
            "lack": energy.lack_nodes(own, awake),
            "failed_wakes": self.failed,
        }

    def added_delays(self) -> pd.DataFrame:
        """Every job that ran, and by how much later it starts than without sleep (s)."""
        parts = [vc.added_delays() for vc in self.vcs if len(vc.paused.jobs)]
        return pd.concat(parts).sort_index() if parts else self.vcs[0].added_delays()

    def _go_on(self, until_s: float) -> None:
        for vc in self.vcs:
            vc.go_on(until_s)

    def _count(self, *states: str) -> float:
        return float(sum(getattr(vc, state) for vc in self.vcs for state in states))

    def _seen(self, slot: int) -> tuple[float, float]:
        """Most nodes in use in the slot that has just passed, and the demand in it: at least what is in use
        now and the sleeping nodes that waiting jobs need."""
        begin_s = self.begin_s[slot]
        peak = _peak([vc.paused.steps_between(begin_s, begin_s + SLOT_S) for vc in self.vcs])
        now = sum(vc.paused.used_nodes + vc.needed for vc in self.vcs)
        return peak, max(peak, float(now))

    def _enact(self, slot: int, wanted: float) -> None:
        """Wake or put to sleep as many nodes as make ``wanted`` awake or booting, and wake at least those
        that waiting jobs need; none sleep while some boot."""
        awake, booting, present = (self._count(name) for name in ("awake", "booting", "present"))
        needed = np.array([max(0, vc.needed - vc.booting) for vc in self.vcs])
        more = int(min(np.ceil(wanted), present) - awake - booting)
        if needed.any():
            more = max(more, int(needed.sum()))
        if more > 0:
            free = np.array([vc.awake + vc.booting - vc.paused.used_nodes for vc in self.vcs])
            asleep = np.array([vc.asleep for vc in self.vcs])
            for vc, nodes in zip(self.vcs, spread_wakes(more, needed, free, asleep), strict=True):
                self._wake(vc, int(nodes), slot)
        elif more < 0 and not booting:
            idle = np.array([vc.paused.idle_nodes for vc in self.vcs])
            for vc, nodes in zip(self.vcs, spread_sleeps(-more, needed, idle), strict=True):
                vc.sleep(int(nodes))

    def _wake(self, vc: "_Vc", nodes: int, slot: int) -> None:
        """Each attempt takes the boot time; one that fails is noticed then, a slot later at the earliest."""
        boot, now_s = self.settings.boot, self.begin_s[slot]
        attempt_s = max(boot.time_s, SLOT_S)
        for failures in self.random.geometric(1 - boot.failure_probability, nodes) - 1:
            vc.wake(now_s + boot.time_s + failures * attempt_s)
            for failure in range(int(failures)):
                at = slot + int((boot.time_s + failure * attempt_s) // SLOT_S)
                self.failed[min(at, len(self.failed) - 1)] += 1
        vc.go_on(now_s)

    def _wake_all(self) -> None:
        for vc in self.vcs:
            vc.wake_all()


class _Vc:
    """One VC's paused replay, and its nodes that boot."""

    def __init__(self, replay: Replay, vc: str, gpus: int) -> None:
        self.paused = PausedReplay(replay.outcome, vc, gpus, replay.gpus_per_node)
        self.gpus_per_node = replay.gpus_per_node
        self.present = self.paused.open_nodes
        self.ready_s: list[float] = []  # of the booting nodes, ascending

    @property
    def awake(self) -> int:
        return self.paused.open_nodes

    @property
    def booting(self) -> int:
        return len(self.ready_s)

    @property
    def asleep(self) -> int:
        return self.present - self.awake - self.booting

    @property
    def needed(self) -> int:
        """Sleeping or booting nodes that the waiting jobs could use: at least one while any job waits."""
        waiting_gpus = self.paused.waiting_gpus
        if not waiting_gpus:
            return 0
        nodes = -(-waiting_gpus // self.gpus_per_node) - self.paused.idle_nodes
        return min(max(nodes, 1), self.present - self.awake)

    def go_on(self, until_s: float) -> None:
        """Replay all instants before ``until_s``; nodes that are ready by then are awake."""
        while self.ready_s and self.ready_s[0] <= until_s:
            ready_s = self.ready_s[0]
            self.paused.go_on(ready_s)
            nodes = self.ready_s.count(ready_s)
            del self.ready_s[:nodes]
            self.paused.set_open(self.awake + nodes)
        self.paused.go_on(until_s)

    def wake(self, ready_s: float) -> None:
        self.ready_s = sorted([*self.ready_s, ready_s])

    def sleep(self, nodes: int) -> None:
        if nodes:
            self.paused.set_open(self.awake - nodes)

    def wake_all(self) -> None:
        self.ready_s = []
        self.paused.set_open(self.present)
        self.paused.go_on(np.inf)

    def added_delays(self) -> pd.DataFrame:
        jobs = self.paused.jobs
        added = self.paused.start_s - jobs["start_s"].to_numpy(float)
        return jobs[["job_id", "vc", "gpu_num", "submit_s"]].assign(added_delay_s=added)


def _peak(parts: list[tuple[NDArray[np.float64], NDArray[np.int64]]]) -> float:
    """The largest sum of step functions; each is its instants, its value before them and at each of them."""
    base = sum(int(values[0]) for _, values in parts)
    time_s = np.concatenate([instants for instants, _ in parts])
    if not time_s.size:
        return float(base)
    change = np.concatenate([np.diff(values) for _, values in parts])
    order = np.argsort(time_s, kind="stable")
    sums = base + np.cumsum(change[order])
    last_of_instant = np.append(np.diff(time_s[order]) > 0, True)
    return float(max(base, sums[last_of_instant].max()))
