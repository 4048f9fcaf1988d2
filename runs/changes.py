"""What a scenario changes about a cluster's jobs and quotas before they are replayed. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from runs.errors import RunError
from runs.quota import Quota, Quotas, together
from runs.window import Window
from traces import clock

LARGEST_FACTOR = 100.0


def lengthened(jobs: pd.DataFrame, factor: float) -> pd.DataFrame:
    """The jobs with ``factor`` times their duration. Their recorded ends are no longer theirs.

    Raises RunError unless 0 < factor ≤ 100.
    """
    if not 0 < factor <= LARGEST_FACTOR:
        raise RunError(
            f"The duration factor is {factor:g}; it must be above 0 and at most {LARGEST_FACTOR:g}."
        )
    if factor == 1:
        return jobs
    return jobs.assign(duration_s=jobs["duration_s"] * factor, end_s=np.nan)


def moved(
    jobs: pd.DataFrame, moves: Mapping[str, str], quotas: Quotas
) -> tuple[pd.DataFrame, dict[str, int]]:
    """The jobs after ``moves`` (``user:U`` or ``vc:A`` → VC), and how many jobs each of them moved.

    All moves look at where the jobs were before; a later one wins. In a cluster without the VC that a move
    goes to it moves nobody. Raises RunError for a move of neither a user nor a VC.
    """
    counts = {}
    vc = jobs["vc"].astype(object)
    for source, target in moves.items():
        kind, _, name = source.partition(":")
        if kind not in ("user", "vc") or not name:
            raise RunError(f"A move is of user:NAME or vc:NAME to a VC, not of {source!r}.")
        chosen = (jobs[kind] == name).to_numpy(dtype=bool) & (target in quotas)
        vc = vc.mask(chosen, target)
        counts[source] = int(chosen.sum())
    return (jobs.assign(vc=vc) if any(counts.values()) else jobs), counts


def merged(
    jobs: pd.DataFrame, quotas: Quotas, merges: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, Quota]]:
    """The jobs and quotas after VCs (keys) gave their jobs and their GPUs to others (values), in that order.

    A cluster that lacks one of the two VCs stays as it is.
    """
    changed = dict(quotas)
    for vc, into in merges.items():
        if vc == into:
            raise RunError(f"VC {vc} cannot be merged into itself.")
        if vc in changed and into in changed:
            changed[into] = together(changed.pop(vc), changed[into])
            own = jobs["vc"].astype(object)
            jobs = jobs.assign(vc=own.mask(own == vc, into))
    return jobs, changed


@dataclass(frozen=True)
class NodeChange:
    """Nodes more (or fewer) of a VC, from an instant on (s since the window's start), or always."""

    cluster: str
    vc: str
    nodes: int
    from_s: float | None = None


def dated_change(text: str, span: Window) -> NodeChange:
    """The change that ``CLUSTER/VC:NODES@DATE`` says, such as ``Venus/vcA:+3@2020-09-10``.

    Raises RunError for another form, TraceError for an unreadable date.
    """
    place, _, date = text.rpartition("@")
    cluster, vc, nodes = node_change(place or text)
    if not place or not date:
        raise RunError(f"{text!r} does not say from when on; write it as CLUSTER/VC:NODES@DATE.")
    from_s = (clock.instant(date, span.timezone) - span.start_time).total_seconds()
    return NodeChange(cluster, vc, nodes, from_s)


def node_change(text: str) -> tuple[str, str, int]:
    """Cluster, VC and nodes of ``CLUSTER/VC:NODES``, such as ``Venus/vcA:-2``. Raises RunError."""
    place, _, nodes = text.rpartition(":")
    cluster, slash, vc = place.partition("/")
    try:
        count = int(nodes)
    except ValueError:
        count = None
    if count is None or not (cluster and slash and vc):
        raise RunError(f"{text!r} does not say how a VC's nodes change; write it as CLUSTER/VC:NODES.")
    return cluster, vc, count


def node_changes(given: Sequence[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Changes as text, those that always hold (nodes by ``cluster/vc``, added up) and dated ones apart.

    Raises RunError for one of another form.
    """
    always: dict[str, int] = {}
    for text in given:
        if "@" not in text:
            cluster, vc, nodes = node_change(text)
            always[f"{cluster}/{vc}"] = always.get(f"{cluster}/{vc}", 0) + nodes
    return always, tuple(text for text in given if "@" in text)


def with_nodes(
    quotas: Quotas, cluster: str, changes: list[NodeChange], gpus_per_node: int
) -> dict[str, Quota]:
    """The cluster's quotas after the changes of its VCs' nodes, never below none.

    Raises RunError for a VC whose capacity is unknown.
    """
    changed = dict(quotas)
    for each in changes:
        if each.cluster != cluster:
            continue
        if each.vc not in changed:
            raise RunError(
                f"Nodes of {cluster}/{each.vc} cannot change: the capacity of VC {each.vc} is unknown."
            )
        changed[each.vc] = changed[each.vc].plus(each.nodes * gpus_per_node, each.from_s)
    return changed
