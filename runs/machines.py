"""The machines of a cluster where a trace knows them one by one: nodes of several sizes and GPU types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from queries import fetch
from runs.quota import Quota
from scheduling import NodeSteps, gpu_steps


@dataclass(frozen=True)
class Machines:
    """``nodes`` machines of ``gpus`` GPUs each; ``gpu_type`` is "" where it is unknown."""

    gpus: int
    gpu_type: str
    nodes: int


def machines_of(trace: str, cluster: str, quotas: Mapping[str, Quota]) -> tuple[Machines, ...]:
    """The machines of a cluster that is one VC of exactly their GPUs; none otherwise, since no trace says
    which machine belongs to which VC.
    """
    rows = fetch("machines", trace=trace, cluster=cluster).to_dict("records")
    known = tuple(Machines(int(row["gpus"]), str(row["gpu_type"]), int(row["nodes"])) for row in rows)
    return known if [quota.gpus for quota in quotas.values()] == [(_gpus(known),)] else ()


def with_quota(machines: Sequence[Machines], quota: Quota, gpus_per_node: int) -> tuple[NodeSteps, ...]:
    """The machines as a replay takes them, where a scenario gives their VC another quota.

    GPUs beyond theirs are nodes of ``gpus_per_node`` and of no type. Where there are to be fewer, machines
    leave, those of ``gpus_per_node`` GPUs first, of several types the most numerous; one that would leave
    too much is replaced by a smaller one of its type.
    """
    present = [_without(machines, _gpus(machines) - gpus, gpus_per_node) for gpus in quota.gpus]
    kinds = sorted({(each.gpus, each.gpu_type) for kept in present for each in kept})
    counts = {
        kind: [sum(each.nodes for each in kept if (each.gpus, each.gpu_type) == kind) for kept in present]
        for kind in kinds
    }
    steps = [NodeSteps(quota.time_s, nodes, gpus, kind) for (gpus, kind), nodes in counts.items()]
    more = [max(0, gpus - _gpus(machines)) for gpus in quota.gpus]
    return (*steps, *(gpu_steps(quota.time_s, more, gpus_per_node) if any(more) else ()))


def _gpus(machines: Sequence[Machines]) -> int:
    return sum(each.gpus * each.nodes for each in machines)


def _without(machines: Sequence[Machines], gpus: int, gpus_per_node: int) -> list[Machines]:
    """The machines that are left when so many GPUs leave."""
    kept: list[Machines] = []
    gpus = max(gpus, 0)
    for each in sorted(machines, key=lambda each: (each.gpus != gpus_per_node, -each.nodes)):
        leaving = min(each.nodes, -(-gpus // each.gpus))
        gpus -= leaving * each.gpus
        kept.append(Machines(each.gpus, each.gpu_type, each.nodes - leaving))
        if gpus < 0:
            kept.append(Machines(-gpus, each.gpu_type, 1))
            gpus = 0
    return kept
