"""Who goes next. A policy is a priority per job, of which the smallest goes first, and what the engine must
do with it."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from scheduling.errors import ScenarioError

Priority = Callable[[pd.DataFrame], "pd.Series[float]"]


@dataclass(frozen=True)
class Policy:
    """One scheduling policy.

    ``priority`` reads the columns submit_s, duration_s and gpu_num. Where ``estimates`` is true it is a
    priority per second of estimated duration, so that the policy never sees a true duration. Where
    ``preempts`` is true the jobs are ordered by their remaining time at every decision.
    """

    name: str
    title: str
    priority: Priority
    estimates: bool = False
    preempts: bool = False


def submission(jobs: pd.DataFrame) -> "pd.Series[float]":
    """First come, first served."""
    return jobs["submit_s"]


def duration(jobs: pd.DataFrame) -> "pd.Series[float]":
    """The shortest first, by the duration that the trace will turn out to hold."""
    return jobs["duration_s"]


def gpus(jobs: pd.DataFrame) -> "pd.Series[float]":
    """GPU time per second of duration."""
    return jobs["gpu_num"]


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("fifo", "First in, first out (FIFO)", submission),
        Policy("sjf", "Shortest job first (SJF)", duration),
        Policy("srtf", "Shortest remaining time first (SRTF)", duration, preempts=True),
        Policy("qssf", "Quasi-shortest service first (QSSF)", gpus, estimates=True),
    )
}
"""Every policy by its name."""


def policy_named(name: str) -> Policy:
    """The policy of this name."""
    if name not in POLICIES:
        raise ScenarioError(f"There is no policy {name!r}; choose one of {', '.join(POLICIES)}.")
    return POLICIES[name]
