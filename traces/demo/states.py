"""Final states, conditioned on the GPU count."""

import numpy as np

from traces.demo.clusters import CLUSTERS, GPU_NUM_BUCKETS, STATE_SHARES_BY_GPU_NUM, ClusterProfile
from traces.demo.raking import Floats, Ints, ratio
from traces.demo.sizes import bucket_shares

NAMES = ("COMPLETED", "CANCELLED", "FAILED", "NODE_FAIL", "TIMEOUT")
"""Final states of the demo's jobs; the last three are the group `failed`."""


def joint_shares() -> dict[str, Floats]:
    """For each cluster the share of its GPU jobs in each (GPU-count class, state group): 13 × 3, sum 1.

    Fitted to three published margins at once: GPU-count classes by cluster, states by cluster, and, over all
    clusters, states by GPU count (figure 7b, which says nothing of 12, 24, 40, 48 and 56 GPUs).
    """
    jobs = np.array([profile.gpu_jobs for profile in CLUSTERS], float)
    by_bucket = np.stack([bucket_shares(profile) * profile.gpu_jobs for profile in CLUSTERS])
    by_state = np.array([np.array(p.gpu_states) / sum(p.gpu_states) for p in CLUSTERS]) * jobs[:, None]
    rows = {key: np.array(shares) / sum(shares) for key, shares in STATE_SHARES_BY_GPU_NUM.items()}
    sizes = (*GPU_NUM_BUCKETS, 99_999)
    known = [(_members(size, sizes), shares) for size, shares in rows.items()]
    start = np.stack([rows[max(key for key in rows if key <= size)] for size in sizes])
    table = by_bucket[:, :, None] * start[None]
    for _ in range(100):
        for members, shares in known:
            part = table[:, members].sum(axis=(0, 1))
            table[:, members] *= ratio(shares * part.sum(), part)
        table *= ratio(by_state, table.sum(axis=1))[:, None]
        table *= ratio(by_bucket, table.sum(axis=2))[:, :, None]
    return {profile.name: table[i] / jobs[i] for i, profile in enumerate(CLUSTERS)}


def _members(size: int, sizes: tuple[int, ...]) -> list[int]:
    """Positions of the classes that a row of figure 7b speaks of; its last row is 64 GPUs and more."""
    return [i for i, upper in enumerate(sizes) if upper == size or (size == 64 and upper > 64)]


def state_names(profile: ClusterProfile, groups: Ints, rng: np.random.Generator) -> Ints:
    """Positions in NAMES for state groups 0, 1, 2.

    The third group is split into failures, node failures and time-outs in their published proportions.
    """
    names = groups.copy()
    failed = np.flatnonzero(groups == 2)
    draw = rng.random(len(failed))
    names[failed[draw < profile.node_fail_share + profile.timeout_share]] = 4
    names[failed[draw < profile.node_fail_share]] = 3
    return names
