"""Running means of ended jobs' durations, per group and rung, for estimates that see no later job."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import inner_kernel, kernel

PRIOR_DURATION_S = 1.0
"""Stands for the duration of a job of which nothing is known: it is ordered by its GPU count alone."""


class RollingMeans(NamedTuple):
    """Sums over the jobs that have ended so far.

    ``group[job, rung]`` numbers the group to which a job belongs on each rung, −1 where the job has none (no
    user). Groups are numbered through all rungs; ``total_s[group]`` and ``ended[group]`` are their sums.
    """

    group: NDArray[np.int64]
    total_s: NDArray[np.float64]
    ended: NDArray[np.int64]


def no_means() -> RollingMeans:
    """Means of nothing, for replays that learn nothing as they go."""
    return RollingMeans(np.zeros((0, 0), np.int64), np.zeros(0), np.zeros(0, np.int64))


def empty_means(group: NDArray[np.int64]) -> RollingMeans:
    """Means before the first job has ended."""
    groups = int(group.max(initial=-1)) + 1
    return RollingMeans(group, np.zeros(groups), np.zeros(groups, np.int64))


@inner_kernel
def learn(means: RollingMeans, job: int, duration_s: float) -> None:
    """Count a job that has ended."""
    for rung in range(means.group.shape[1]):
        group = means.group[job, rung]
        if group >= 0:
            means.total_s[group] += duration_s
            means.ended[group] += 1


@inner_kernel
def expected_duration(means: RollingMeans, job: int) -> tuple[float, int]:
    """Mean duration in the first of the job's groups in which a job has ended, in s, and the number of its
    rung.

    The number is that of the rungs' count, and the duration :data:`PRIOR_DURATION_S`, where none has.
    """
    rungs = means.group.shape[1]
    for rung in range(rungs):
        group = means.group[job, rung]
        if group >= 0 and means.ended[group] > 0:
            return means.total_s[group] / means.ended[group], rung
    return PRIOR_DURATION_S, rungs


@kernel
def expected_as_of_submission(
    means: RollingMeans,
    submit_s: NDArray[np.float64],
    end_s: NDArray[np.float64],
    duration_s: NDArray[np.float64],
    by_end: NDArray[np.int64],
    expected_s: NDArray[np.float64],
    rung: NDArray[np.int64],
) -> None:
    """Write each job's expected duration and rung from the jobs with end ≤ its submission, itself excluded.

    Jobs are in order of submission. ``by_end`` lists those with a known end, by end and then by index; no end
    lies before its job's submission.
    """
    ended = 0
    for job in range(submit_s.size):
        while ended < by_end.size and end_s[by_end[ended]] <= submit_s[job] and by_end[ended] < job:
            learn(means, by_end[ended], duration_s[by_end[ended]])
            ended += 1
        expected_s[job], rung[job] = expected_duration(means, job)
