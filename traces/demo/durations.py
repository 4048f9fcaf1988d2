"""Durations, conditioned on the GPU count and the final state.

The published duration distribution of a cluster (figure 5) is spread over (GPU-count class, state) cells by
maximum entropy: each cell is the distribution tilted, in its long tail by a power that gives the class its
published mean, and over its whole length by a fixed power per state (failed jobs are short, completed ones
longer).
"""

import numpy as np

from traces.demo.clusters import DURATION_EDGES_S, LONGEST_DURATION_S, ClusterProfile
from traces.demo.raking import Floats, Ints, ratio, sums

PARTS = 6
"""Pieces of equal log width into which each interval of the published CDF is cut."""
TAIL_S = 600.0
"""Where the long tail begins: medians hardly differ between GPU counts, the 90th percentiles do."""
STATE_TILT = np.array([0.11, -0.03, -0.245])
"""Powers of the duration by state group: the shift of the mean log duration in 20 days of Venus ÷ its
variance."""
STATE_TAIL_TILT = {
    "Venus": (0.0, 0.109, 0.264),
    "Earth": (0.0, 0.289, 0.371),
    "Saturn": (0.0, 0.100, 0.398),
    "Uranus": (0.0, 0.190, 0.323),
}
"""Powers of the long tail by state group, tuned so that GPU time by state comes out as published."""


class DurationGrid:
    """The pieces of the published CDF of one cluster and job type.

    `low`, `high` and `middle` are in s (log interpolation inside a piece); `interval` is the published
    interval that a piece belongs to and `weight` its share of the jobs.
    """

    def __init__(self, cdf_pct: tuple[float, ...]) -> None:
        edges = np.array((0.5, *DURATION_EDGES_S), float)
        shares = np.diff(np.array(cdf_pct) / cdf_pct[-1], prepend=0.0)
        steps = np.arange(PARTS) / PARTS
        ratios = edges[1:] / edges[:-1]
        self.low = (edges[:-1, None] * ratios[:, None] ** steps).ravel()
        self.high = self.low * np.repeat(ratios, PARTS) ** (1 / PARTS)
        self.middle = (self.high - self.low) / np.log(self.high / self.low)
        self.interval = np.repeat(np.arange(len(shares)), PARTS)
        self.shares = shares
        self.weight = np.repeat(shares / PARTS, PARTS)
        self.log = np.log(self.middle)
        self.tail = np.maximum(0.0, np.log(self.middle / TAIL_S))

    def weight_with_mean(self, mean_s: float) -> Floats:
        """Shares of the pieces, the long tail tilted by the power that makes the mean `mean_s` (by
        bisection)."""
        low, high = -2.0, 2.0
        for _ in range(50):
            power = (low + high) / 2
            weight = self.weight * np.exp(power * self.tail)
            weight /= weight.sum()
            low, high = (power, high) if (self.middle * weight).sum() < mean_s else (low, power)
        return np.asarray(weight)


def bucket_means(profile: ClusterProfile) -> Floats:
    """Published mean duration of each GPU-count class, in s; the next larger class where it is unknown."""
    means = profile.mean_duration_s_by_gpu_num
    return np.array([m if m is not None else means[i + 1] for i, m in enumerate(means)], float)


def tilted(grid: DurationGrid, cells: Floats, means: Floats, tail_tilt: Floats) -> Floats:
    """Shares of jobs by (piece, GPU-count class, state group) for `cells` (class × state) and class `means`.

    The marginal over durations is the grid's, with its tail tilted just enough to have the mean that `means`
    imply.
    """
    wanted = cells.sum(axis=1)
    weight = grid.weight_with_mean(float((wanted * means).sum() / wanted.sum()))
    intervals = sums(grid.interval, weight)
    state = np.exp(np.outer(grid.log, STATE_TILT) + np.outer(grid.tail, tail_tilt))
    base = np.repeat(intervals / PARTS, PARTS)[:, None, None] * state[:, None, :]
    power = np.zeros(len(means))
    row = np.ones(len(intervals))
    cell = cells.copy()
    for _ in range(80):
        table = base * np.exp(grid.tail[:, None] * power)[:, :, None]
        for _ in range(2):
            scaled = table * row[grid.interval][:, None, None]
            cell = ratio(cells, scaled.sum(axis=0))
            row *= ratio(intervals, sums(grid.interval, (scaled * cell).sum(axis=(1, 2))))
        scaled = (table * row[grid.interval][:, None, None] * cell).sum(axis=2)
        scaled /= np.maximum(scaled.sum(axis=0), 1e-300)
        power = np.clip(power + _newton(scaled, grid, means), -1.5, 1.5)
    joint = base * np.exp(grid.tail[:, None] * power)[:, :, None] * row[grid.interval][:, None, None]
    shares: Floats = joint * ratio(cells, joint.sum(axis=0))
    return shares


def _newton(shares: Floats, grid: DurationGrid, means: Floats) -> Floats:
    """Steps of the tail powers toward class means, for shares by (piece, class) that sum to 1 in each
    class."""
    middle, tail = grid.middle[:, None], grid.tail[:, None]
    mean = (middle * shares).sum(axis=0)
    slope = (middle * tail * shares).sum(axis=0) - mean * (tail * shares).sum(axis=0)
    steps: Floats = np.clip((means - mean) / np.maximum(slope, 1e-9), -0.05, 0.05)
    return steps


def drawn(grid: DurationGrid, shares: Floats, count: int, rng: np.random.Generator) -> Floats:
    """`count` durations in whole s (at least 1), in random order, stratified over `shares` of the grid's
    pieces."""
    if count == 0:
        return np.empty(0)
    cumulative = np.cumsum(shares) / shares.sum()
    level = (rng.permutation(count) + rng.random(count)) / count
    piece = np.minimum(np.searchsorted(cumulative, level, side="right"), len(cumulative) - 1)
    inside = grid.low[piece] * (grid.high[piece] / grid.low[piece]) ** rng.random(count)
    durations: Floats = np.clip(np.ceil(inside), 1, LONGEST_DURATION_S)
    return durations


def gpu_durations(
    profile: ClusterProfile,
    cells: Floats,
    bucket: Ints,
    gpu_num: Ints,
    gpu_time_gpu_s: float,
    rng: np.random.Generator,
) -> tuple[Ints, Floats]:
    """State group and duration in s of each GPU job, for `cells` (class × state shares).

    Class means are stretched together, and the drawn tail once more, until all jobs have `gpu_time_gpu_s`.
    """
    grid = DurationGrid(profile.gpu_duration_cdf_pct)
    means = bucket_means(profile)
    stretch = gpu_time_gpu_s / float((means[bucket] * gpu_num).sum())
    counts = np.bincount(bucket, minlength=len(means))
    shares = cells * ratio(counts.astype(float), cells.sum(axis=1))[:, None] / len(bucket)
    joint = tilted(grid, shares, means * stretch, np.array(STATE_TAIL_TILT[profile.name]))
    group = np.empty(len(bucket), np.int64)
    duration = np.empty(len(bucket))
    for number in np.flatnonzero(counts):
        jobs = rng.permutation(np.flatnonzero(bucket == number))
        cuts = np.cumsum(_rounded(shares[number] / shares[number].sum() * len(jobs)))
        for state, part in enumerate(np.split(jobs, cuts[:-1])):
            group[part] = state
            duration[part] = drawn(grid, joint[:, number, state], len(part), rng)
    return group, _closed(duration, gpu_num, gpu_time_gpu_s)


def _rounded(exact: Floats) -> Ints:
    """Whole numbers near `exact` with the same total."""
    return np.diff(np.rint(np.cumsum(exact)), prepend=0).astype(np.int64)


def _closed(duration: Floats, gpu_num: Ints, gpu_time_gpu_s: float) -> Floats:
    """`duration` with its tail raised to the power that makes the GPU time `gpu_time_gpu_s` (by
    bisection)."""
    low, high = 0.7, 1.3
    for _ in range(30):
        power = (low + high) / 2
        tail = TAIL_S * (duration / TAIL_S) ** power
        closed = np.where(duration > TAIL_S, np.minimum(np.ceil(tail), LONGEST_DURATION_S), duration)
        low, high = (power, high) if (closed * gpu_num).sum() < gpu_time_gpu_s else (low, power)
    return np.asarray(closed)
