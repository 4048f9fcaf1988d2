"""GPUs per job: the published distribution, with gangs capped at the largest virtual cluster."""

import numpy as np

from traces.demo.clusters import GPU_NUM_BUCKETS, ClusterProfile
from traces.demo.raking import Floats, Ints, apportioned

WITHIN_BUCKET = {
    4: {3: 0.02, 4: 0.98},
    8: {5: 0.001, 6: 0.004, 7: 0.008, 8: 0.987},
    12: {10: 0.5, 12: 0.5},
}
"""Shares of the GPU counts inside a class (Venus, 20 days); the other classes hold only their upper end."""
BEYOND_64 = np.array([72, 80, 88, 96, 104, 112, 120, 128, 144, 160, 192, 256, 320, 384, 512, 1024, 2048])


def bucket_shares(profile: ClusterProfile) -> Floats:
    """Share of the cluster's GPU jobs in each of the 13 GPU-count classes."""
    return np.diff(np.array(profile.gpu_num_cdf_pct) / 100, prepend=0.0)


def buckets(gpu_num: Ints) -> Ints:
    """The class (0 … 12) of each GPU count."""
    return np.searchsorted(np.array(GPU_NUM_BUCKETS), gpu_num, side="left")


def gpu_numbers(profile: ClusterProfile, jobs: int, rng: np.random.Generator) -> Ints:
    """GPU counts of `jobs` jobs in random order, class counts as published.

    Beyond 64 GPUs only a mean is published: counts are multiples of 8 with shares that fall off so as to have
    it.
    """
    counts = apportioned(jobs, bucket_shares(profile))
    parts = []
    for bucket, count in enumerate(counts):
        values, shares = _inside(profile, bucket)
        parts.append(np.repeat(values, apportioned(int(count), shares)))
    return rng.permutation(np.concatenate(parts))


def _inside(profile: ClusterProfile, bucket: int) -> tuple[Ints, Floats]:
    if bucket == len(GPU_NUM_BUCKETS):
        return BEYOND_64, _shares_with_mean(BEYOND_64, profile.mean_gpus_beyond_64)
    upper = GPU_NUM_BUCKETS[bucket]
    inside = WITHIN_BUCKET.get(upper, {upper: 1.0})
    return np.array(list(inside)), np.array(list(inside.values()))


def _shares_with_mean(values: Ints, mean: float) -> Floats:
    """Shares of `values` that fall off as a power of the value and have `mean` (or the nearest possible)."""
    low, high = -40.0, 5.0
    for _ in range(60):
        power = (low + high) / 2
        shares = (values / values[0]) ** power
        low, high = (power, high) if np.average(values, weights=shares) < mean else (low, power)
    return np.asarray(shares / shares.sum())
