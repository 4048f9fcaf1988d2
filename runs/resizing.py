"""A step of a cluster's capacity: every VC's nodes times a factor, or some more or fewer."""

import math

from runs.capacity_step import checked_step
from runs.quota import Quota, Quotas


def resized(quotas: Quotas, step: str, gpus_per_node: int) -> dict[str, Quota]:
    """The quotas after a step. A factor rounds to whole nodes and leaves a VC that had any at least one; x1
    leaves everything as it is."""
    kind, number = checked_step(step)
    if kind == "+":
        return {vc: quota.plus(int(number) * gpus_per_node) for vc, quota in quotas.items()}
    if number == 1:
        return dict(quotas)
    return {
        vc: Quota(quota.time_s, tuple(_times(gpus, number, gpus_per_node) for gpus in quota.gpus))
        for vc, quota in quotas.items()
    }


def _times(gpus: int, factor: float, gpus_per_node: int) -> int:
    nodes = math.floor(gpus / gpus_per_node * factor + 0.5)
    return max(nodes, int(gpus > 0)) * gpus_per_node
