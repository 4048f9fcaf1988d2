"""Which part of a cluster the demo keeps: virtual clusters, their nodes and loads, and how many jobs."""

from dataclasses import dataclass

import numpy as np

from traces.demo.calendar import DAYS, PERIOD_S, day_number
from traces.demo.clusters import ClusterProfile
from traces.demo.raking import Floats, Ints, apportioned
from traces.demo.streams import stream

GPUS_PER_NODE = 8
LEAST_VCS, LEAST_NODES = 2, 8
OPENING_DATES = ("2020-05-01", "2020-06-01", "2020-07-01", "2020-07-13", "2020-08-01")
SIZE_SPREAD = 1.05
"""Standard deviation of the log of VC sizes: the largest VC of a cluster holds about a sixth of its nodes."""
LOAD_SPREAD = 0.9
"""Standard deviation of the logit of VC loads: Earth's VCs in May 2020 ran between 1 % and 93 % (figure
4)."""
HIGHEST_LOAD = 0.95


@dataclass(frozen=True)
class Slice:
    """The kept part of one cluster.

    Arrays have one element per VC: `nodes`, `opens_s` (seconds after the begin; before it the VC has no GPUs)
    and `load` (GPU time of its jobs ÷ GPU time it offers in the period). `gpu_time_gpu_s` is the GPU time of
    all jobs.
    """

    profile: ClusterProfile
    vcs: tuple[str, ...]
    nodes: Ints
    opens_s: Ints
    load: Floats
    gpu_jobs: int
    cpu_jobs: int
    users: int

    @property
    def gpus(self) -> Ints:
        """GPUs of each VC once it is open."""
        return self.nodes * GPUS_PER_NODE

    @property
    def gpu_time_gpu_s(self) -> Floats:
        """GPU time that each VC's jobs are to have, in GPU × s."""
        return self.load * self.gpus * (PERIOD_S - self.opens_s)


def kept_slice(profile: ClusterProfile, scale: float, seed: int) -> Slice:
    """The part of `profile` kept at `scale` (0 < scale ≤ 1): virtual clusters are thinned, then their nodes.

    Offered load per GPU stays that of the full cluster. GPU jobs are thinned like the nodes where `scale` can
    be met; where the least nodes keep more than that, jobs are thinned further (geometric mean, one part
    nodes to two parts scale) and each is longer instead, so that small demos stay small.
    """
    rng = stream(seed, profile.name, "virtual clusters")
    nodes, opens_s = _full_layout(profile, rng)
    names = _names(profile.vcs, rng)
    spread = rng.normal(0, LOAD_SPREAD, profile.vcs) + 0.25 * np.log(nodes)
    full_gpu_s = float((nodes * (PERIOD_S - opens_s)).sum())
    chosen = _chosen(profile, scale, opens_s)
    kept_nodes = max(LEAST_NODES, round(profile.nodes * scale))
    nodes = nodes if scale == 1 else apportioned(kept_nodes, nodes[chosen].astype(float), least=1)
    opens_s = opens_s[chosen]
    share = float((nodes * (PERIOD_S - opens_s)).sum()) / full_gpu_s
    jobs_share = 1.0 if scale == 1 else scale ** (2 / 3) * max(share, scale) ** (1 / 3)
    offered = profile.gpu_time_gpu_s / (full_gpu_s * GPUS_PER_NODE)
    return Slice(
        profile=profile,
        vcs=tuple(names[i] for i in chosen),
        nodes=nodes,
        opens_s=opens_s,
        load=_loads(spread[chosen], (nodes * (PERIOD_S - opens_s)).astype(float), offered),
        gpu_jobs=round(profile.gpu_jobs * jobs_share),
        cpu_jobs=round(profile.cpu_jobs * scale),
        users=profile.users if scale == 1 else max(24, round(profile.users * share)),
    )


def _full_layout(profile: ClusterProfile, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Nodes and opening times of the whole cluster's VCs, largest first.

    VCs open one after the other so that the mean of the daily GPU totals is the published one.
    """
    ranks = np.linspace(2.2, -1.8, profile.vcs)
    nodes = apportioned(profile.nodes, np.exp(SIZE_SPREAD * ranks), least=1)
    nodes = -np.sort(-nodes)
    opens = np.zeros(profile.vcs, np.int64)
    missing = profile.nodes - profile.mean_gpus / GPUS_PER_NODE
    for vc in rng.permutation(np.arange(2, profile.vcs)):
        day = day_number(OPENING_DATES[rng.integers(len(OPENING_DATES))])
        if nodes[vc] * day / DAYS <= missing:
            opens[vc] = day
            missing -= nodes[vc] * day / DAYS
    return nodes, opens * 86_400


def _names(count: int, rng: np.random.Generator) -> list[str]:
    """Distinct names of VCs: `vc` and three letters or digits."""
    letters = np.array(list("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"))
    names: dict[str, None] = {}
    while len(names) < count:
        names["vc" + "".join(rng.choice(letters, 3))] = None
    return list(names)


def _chosen(profile: ClusterProfile, scale: float, opens_s: Ints) -> Ints:
    """Positions of the kept VCs: all at scale 1, else evenly spread over the sizes of those always open."""
    if scale == 1:
        return np.arange(profile.vcs)
    always = np.flatnonzero(opens_s == 0)
    count = min(max(LEAST_VCS, round(profile.vcs * scale)), len(always))
    spread: Ints = ((np.arange(count) + 0.5) / count * len(always)).astype(np.int64)
    return np.asarray(always[spread])


def _loads(spread: Floats, weights: Floats, mean: float) -> Floats:
    """Loads with logits `spread` + a constant, capped, whose weighted mean is `mean` (found by bisection)."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        load = HIGHEST_LOAD / (1 + np.exp(-(spread + middle)))
        low, high = (middle, high) if np.average(load, weights=weights) < mean else (low, middle)
    return np.asarray(load)
