"""Who goes next. A policy is a priority per job, of which the smallest goes first, and what the engine must
do with it."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from scheduling.errors import ScenarioError
from scheduling.orders import ATTAINED, BY_PRIORITY, FAIR_SHARE, REMAINING, REMAINING_GPU_TIME

Priority = Callable[[pd.DataFrame], "pd.Series[float]"]


@dataclass(frozen=True)
class Policy:
    """One scheduling policy. ``label`` is what sentences call it, ``title`` says it in full.

    ``priority`` reads the columns of the jobs. Where ``estimates`` is true it is a priority per second of
    estimated duration, so that the policy never sees a true duration. ``order`` is how the engine uses it
    (:mod:`scheduling.orders`); ``oracle`` says that the order is made of true durations.
    """

    name: str
    label: str
    title: str
    priority: Priority
    order: int = BY_PRIORITY
    estimates: bool = False
    oracle: bool = False

    @property
    def preempts(self) -> bool:
        """Whether running jobs are stopped for others."""
        return self.order in (REMAINING, REMAINING_GPU_TIME, ATTAINED)


def submission(jobs: pd.DataFrame) -> "pd.Series[float]":
    """First come, first served."""
    return jobs["submit_s"]


def duration(jobs: pd.DataFrame) -> "pd.Series[float]":
    """The shortest first, by the duration that the trace will turn out to hold."""
    return jobs["duration_s"]


def gpus(jobs: pd.DataFrame) -> "pd.Series[float]":
    """The fewest GPUs first; also GPU time per second of duration."""
    return jobs["gpu_num"]


def gpu_time(jobs: pd.DataFrame) -> "pd.Series[float]":
    """The least GPU time first, by the duration that the trace will turn out to hold."""
    return jobs["gpu_num"] * jobs["duration_s"]


def own_column(jobs: pd.DataFrame) -> "pd.Series[float]":
    """The column ``priority`` of the operator's own, the smallest first; unknown goes last."""
    if "priority" not in jobs.columns:
        raise ScenarioError(
            "The policy priority needs a column priority in the jobs: the smallest goes first."
        )
    return pd.to_numeric(jobs["priority"], errors="coerce").astype(float).fillna(float("inf"))


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("fifo", "FIFO", "First in, first out (FIFO)", submission),
        Policy("sjf", "SJF", "Shortest job first (SJF)", duration, oracle=True),
        Policy("srtf", "SRTF", "Shortest remaining time first (SRTF)", duration, REMAINING, oracle=True),
        Policy("qssf", "QSSF", "Quasi-shortest service first (QSSF)", gpus, estimates=True),
        Policy("smallest", "Fewest GPUs", "Fewest GPUs first", gpus),
        Policy("gputime", "True GPU time", "Least true GPU time first", gpu_time, oracle=True),
        Policy("fairshare", "Fair share", "Fair share between users", submission, FAIR_SHARE),
        Policy("priority", "Own priority", "Own priority", own_column),
        Policy(
            "srsf",
            "SRSF",
            "Shortest remaining service first (SRSF)",
            gpu_time,
            REMAINING_GPU_TIME,
            oracle=True,
        ),
        Policy("las", "LAS", "Least attained service (LAS)", submission, ATTAINED),
    )
}
"""Every policy by its name."""


def policy_named(name: str) -> Policy:
    """The policy of this name."""
    if name not in POLICIES:
        raise ScenarioError(f"There is no policy {name!r}; choose one of {', '.join(POLICIES)}.")
    return POLICIES[name]
