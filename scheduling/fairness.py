"""GPU time that each user has attained so far, fading with age: the order of fair share."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.compilation import allocating_kernel, inner_kernel


class Usage(NamedTuple):
    """Of each user: attained GPU·s, faded, as of ``since_s``, and the GPUs of the jobs that run since."""

    gpu_s: NDArray[np.float64]
    since_s: NDArray[np.float64]
    gpus: NDArray[np.float64]


@allocating_kernel
def no_usage(users: int) -> Usage:
    """Nobody has had a GPU yet."""
    return Usage(np.zeros(users), np.zeros(users), np.zeros(users))


@inner_kernel
def usage_at(usage: Usage, user: int, time_s: float, half_life_s: float) -> float:
    """GPU·s attained by the user as of ``time_s``, of which what lies ``half_life_s`` back counts half."""
    elapsed_s = time_s - usage.since_s[user]
    if half_life_s == np.inf:
        return float(usage.gpu_s[user] + usage.gpus[user] * elapsed_s)
    faded = 0.5 ** (elapsed_s / half_life_s)
    attained_since = usage.gpus[user] * (1 - faded) * half_life_s / math.log(2)
    return float(usage.gpu_s[user] * faded + attained_since)


@inner_kernel
def change_usage(usage: Usage, user: int, gpus: float, time_s: float, half_life_s: float) -> None:
    """Let the user have so many more (or fewer) GPUs from ``time_s`` on."""
    usage.gpu_s[user] = usage_at(usage, user, time_s, half_life_s)
    usage.since_s[user] = time_s
    usage.gpus[user] += gpus
