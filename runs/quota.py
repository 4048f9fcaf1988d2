"""GPUs of a virtual cluster over time, on a replay's clock."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import scheduling
from runs.window import Window
from traces import clock


@dataclass(frozen=True)
class Quota:
    """``gpus[i]`` GPUs from ``time_s[i]`` on (s since the window's start); the first also before."""

    time_s: tuple[float, ...]
    gpus: tuple[int, ...]

    @property
    def most(self) -> int:
        """The most GPUs that there ever are."""
        return max(self.gpus)

    def at(self, time_s: NDArray[np.float64]) -> NDArray[np.int64]:
        """GPUs at each instant."""
        step = np.searchsorted(np.array(self.time_s[1:]), time_s, side="right")
        present: NDArray[np.int64] = np.array(self.gpus, dtype=np.int64)[step]
        return present

    def plus(self, gpus: int, from_s: float | None = None) -> "Quota":
        """With so many GPUs more (or fewer, never below none), from an instant on or always."""
        start = self.starting_at(from_s) if from_s is not None else self
        changed = (
            max(0, n + gpus) if from_s is None or at_s >= from_s else n
            for at_s, n in zip(start.time_s, start.gpus, strict=True)
        )
        return replace(start, gpus=tuple(changed))

    def starting_at(self, time_s: float) -> "Quota":
        """The same with a step at this instant."""
        return _sampled([self], sorted({*self.time_s, time_s, min(self.time_s[0], time_s - 1)}))

    def capacity(self, gpus_per_node: int) -> scheduling.Capacity:
        """As a replay takes it: a number where it never changes."""
        if len(set(self.gpus)) == 1:
            return self.gpus[0]
        return scheduling.gpu_steps(self.time_s, self.gpus, gpus_per_node)


Quotas = Mapping[str, Quota]
"""The quota of each VC whose capacity is known."""


def constant(gpus: int) -> Quota:
    """The same number of GPUs always."""
    return Quota((0.0,), (gpus,))


def together(first: Quota, second: Quota) -> Quota:
    """The GPUs of both at each instant."""
    return _sampled([first, second], sorted({*first.time_s, *second.time_s}))


def _sampled(quotas: list[Quota], time_s: list[float]) -> Quota:
    """The sum of the quotas with steps at these instants, of which the first is no later than theirs."""
    total = sum(each.at(np.array(time_s)) for each in quotas)
    return Quota(tuple(time_s), tuple(int(n) for n in np.asarray(total)))


def over_time(quota: pd.DataFrame, span: Window) -> dict[str, Quota]:
    """The quota of each VC from dated rows ``vc, date, gpus``: each holds from its local midnight on.

    Rows that hold before the window are the first step, at the window's start.
    """
    midnight_s = {day: _midnight_s(day, span) for day in quota["date"].unique()}
    made = {}
    for vc, own in quota.sort_values("date").groupby("vc"):
        steps: dict[float, int] = {}
        for day, gpus in zip(own["date"], own["gpus"], strict=True):
            steps[max(0.0, midnight_s[day]) if steps else 0.0] = int(gpus)
        made[str(vc)] = Quota(tuple(steps), tuple(steps.values()))
    return made


def _midnight_s(day: Any, span: Window) -> float:
    local = clock.instant(str(pd.Timestamp(day).date()), span.timezone)
    return (local - span.start_time).total_seconds()
