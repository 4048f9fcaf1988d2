"""A step of a cluster's capacity: every VC's nodes times a factor, or some more or fewer."""

import math

from runs.errors import RunError
from runs.quota import Quota, Quotas

LARGEST_FACTOR = 100.0
MOST_NODES = 100_000


def checked_step(step: str) -> tuple[str, float]:
    """``x`` and the factor of a step such as ``x1.2``, or ``+`` and the nodes of ``+3`` or ``-1``.

    Raises RunError for another form or a number out of range.
    """
    kind = "x" if step.startswith("x") else "+"
    try:
        number = float(step[1:]) if kind == "x" else float(int(step))
    except ValueError:
        number = math.nan
    known = step[:1] in ("x", "+", "-")
    if known and (0 < number <= LARGEST_FACTOR if kind == "x" else abs(number) <= MOST_NODES):
        return kind, number
    raise RunError(
        f"A step of capacity is a factor of every VC's nodes, such as x1.2 (at most x{LARGEST_FACTOR:g}), or "
        f"nodes more or fewer, such as +3 or -1; not {step!r}."
    )


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
