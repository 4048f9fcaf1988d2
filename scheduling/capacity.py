"""How many nodes a VC has, and when: the capacity that a replay is given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduling.cluster import Nodes, absent_nodes, set_open_nodes
from scheduling.compilation import part_of_kernel
from scheduling.errors import ScenarioError

MOST_GPUS_PER_NODE = 1024
MOST_NODES = 1_000_000


@dataclass(frozen=True)
class NodeSteps:
    """Nodes of one size and GPU type of a VC over time.

    From ``time_s[i]`` (seconds since the window's start, ascending) the VC is to have ``nodes[i]`` of them;
    the first number also holds before its time. ``gpu_type`` is "" where types do not matter. Raises
    ScenarioError for numbers that cannot be.
    """

    time_s: Sequence[float]
    nodes: Sequence[int]
    gpus_per_node: int = 8
    gpu_type: str = ""

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be."""
        time_s, nodes = np.asarray(self.time_s, dtype=float), np.asarray(self.nodes, dtype=float)
        if not 1 <= self.gpus_per_node <= MOST_GPUS_PER_NODE:
            raise ScenarioError(
                f"GPUs per node must be between 1 and {MOST_GPUS_PER_NODE:,}, not {self.gpus_per_node}."
            )
        if time_s.shape != nodes.shape or time_s.ndim != 1 or not time_s.size:
            raise ScenarioError("A capacity over time needs one number of nodes for each instant.")
        if not np.isfinite(time_s).all() or (np.diff(time_s) <= 0).any():
            raise ScenarioError("The instants of a capacity over time must be known and ascend.")
        if not ((nodes >= 0) & (nodes <= MOST_NODES) & (nodes == np.floor(nodes))).all():
            raise ScenarioError(f"A VC's nodes must be whole numbers from 0 to {MOST_NODES:,}.")


Capacity = int | NodeSteps | Sequence[NodeSteps]
"""GPUs of a VC (full nodes, and a smaller last one for a remainder), or its nodes over time."""


def gpu_steps(
    time_s: Sequence[float], gpus: Sequence[int], gpus_per_node: int = 8, gpu_type: str = ""
) -> tuple[NodeSteps, ...]:
    """A VC with ``gpus[i]`` GPUs from ``time_s[i]`` on: full nodes, and a smaller one for a remainder.

    A remainder of another size is another node, which comes and goes.
    """
    values = np.asarray(gpus, dtype=float)
    if not ((values >= 0) & (values == np.floor(values))).all():
        wrong = values[~((values >= 0) & (values == np.floor(values)))][0]
        raise ScenarioError(f"A capacity of {wrong:g} GPUs cannot be; give a whole number, 0 or more.")
    if (values // max(gpus_per_node, 1) > MOST_NODES).any():
        raise ScenarioError(
            f"A VC of {values.max():,.0f} GPUs has more than {MOST_NODES:,} nodes; check its capacity."
        )
    rest = values % max(gpus_per_node, 1)
    full = NodeSteps(time_s, [int(v) for v in values // max(gpus_per_node, 1)], gpus_per_node, gpu_type)
    remainders = [
        NodeSteps(time_s, [int(r == size) for r in rest], int(size), gpu_type)
        for size in np.unique(rest[rest > 0])
    ]
    return full, *remainders


class Changes(NamedTuple):
    """Changes of the number of nodes, by time: from ``time_s[i]`` on ``group[i]`` is to have ``nodes[i]``."""

    time_s: NDArray[np.float64]
    group: NDArray[np.int64]
    nodes: NDArray[np.int64]


@part_of_kernel
def change_nodes(nodes: Nodes, changes: Changes, changed: int, time_s: float) -> int:
    """Let nodes come and go that do so by ``time_s``; return how many changes have been made by then."""
    while changed < changes.time_s.size and changes.time_s[changed] <= time_s:
        set_open_nodes(nodes, changes.group[changed], changes.nodes[changed])
        changed += 1
    return changed


@dataclass(frozen=True)
class Fleet:
    """The nodes of one VC over time, group by group.

    ``classes``: for each class of jobs from 1 on the GPU types that suit it; class 0 takes any.
    """

    groups: tuple[NodeSteps, ...]
    classes: Collection[frozenset[str]] = ()

    @cached_property
    def periods(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Start of each period of constant capacity (−inf first), and the nodes in it: period × group."""
        later = [np.asarray(group.time_s, dtype=float)[1:] for group in self.groups]
        start_s = np.unique(np.concatenate([np.array([-np.inf]), *later]))
        nodes = np.zeros((start_s.size, len(self.groups)), dtype=np.int64)
        for g, group in enumerate(self.groups):
            step = np.searchsorted(np.asarray(group.time_s, dtype=float)[1:], start_s, side="right")
            nodes[:, g] = np.asarray(group.nodes, dtype=np.int64)[step]
        return start_s, nodes

    @cached_property
    def gpus(self) -> NDArray[np.int64]:
        """GPUs in each period."""
        sizes = np.array([group.gpus_per_node for group in self.groups], dtype=np.int64)
        present: NDArray[np.int64] = self.periods[1] @ sizes
        return present

    @cached_property
    def most_gpus(self) -> int:
        """GPUs of all nodes that are ever there."""
        most = self.periods[1].max(axis=0)
        return sum(int(n) * group.gpus_per_node for n, group in zip(most, self.groups, strict=True))

    def gpu_seconds(self, start_s: float, end_s: float) -> float:
        """GPUs × time of [start_s, end_s)."""
        period_s = np.clip(np.append(self.periods[0], np.inf), start_s, end_s)
        return float((np.diff(period_s) * self.gpus).sum())

    def idle_nodes(self, nodes: NDArray[np.int64], shareable_gpus: int = 0) -> Nodes:
        """The VC with so many idle nodes of each group, and room for the most that it ever has."""
        sizes = np.array([group.gpus_per_node for group in self.groups], dtype=np.int64)
        suits = np.ones((1 + len(self.classes), len(self.groups)), dtype=np.bool_)
        for c, types in enumerate(self.classes, start=1):
            suits[c] = [group.gpu_type in types for group in self.groups]
        idle = absent_nodes(self.periods[1].max(axis=0), sizes, suits, shareable_gpus)
        for group, count in enumerate(nodes):
            set_open_nodes(idle, group, count)
        return idle

    def changes(self) -> Changes:
        """What changes after the first period."""
        start_s, nodes = self.periods
        period, group = np.nonzero(np.diff(nodes, axis=0))
        return Changes(start_s[period + 1], group.astype(np.int64), nodes[period + 1, group])


def fleets(capacity: Mapping[str, Any], gpus_per_node: int) -> dict[str, Fleet]:
    """The nodes of every VC. Raises ScenarioError, which names the VC, for a capacity that cannot be."""
    return {str(vc): Fleet(_groups(str(vc), given, gpus_per_node)) for vc, given in capacity.items()}


def _groups(vc: str, given: Any, gpus_per_node: int) -> tuple[NodeSteps, ...]:
    if isinstance(given, NodeSteps):
        return (given,)
    if isinstance(given, Sequence):
        return tuple(given)
    try:
        return gpu_steps([0.0], [given], gpus_per_node)
    except ScenarioError as error:
        raise ScenarioError(f"The capacity of VC {vc} cannot be used. {error}") from error
