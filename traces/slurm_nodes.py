"""Machines as Slurm lists them: ``scontrol show nodes`` (also ``--oneliner``) and ``sinfo`` with GRES.

GPUs of a partition are the sum over its nodes; a node in several partitions counts in each of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from traces import gpu_counts, hostlists
from traces.capacity import Capacity
from traces.errors import TraceError

SINFO = "sinfo --Node --format '%N|%P|%G'"
_PAIR = re.compile(r"(?:^|\s)([A-Za-z]\w*)=(\S*)")
_NAMED = {
    "node": ("nodelist", "hostnames", "hostname", "nodehost", "node", "nodes_list"),
    "partition": ("partition", "partitionname"),
    "gres": ("gres", "generic_resources"),
}


@dataclass(frozen=True)
class _Node:
    name: str
    gres: str
    partitions: tuple[str, ...]
    line: int


def is_node_list(text: str) -> bool:
    """Whether a text is the output of ``scontrol show nodes`` or of ``sinfo``, by its first line."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.lstrip().startswith("NodeName="):
        return True
    words = {word.lower() for word in _words(first)}
    return "partition" in words and bool(words & {"nodelist", "gres", "hostnames", "avail"})


def capacity_of_nodes(name: str, text: str) -> Capacity:
    """The machines and the GPUs per partition in the file called `name`.

    Raises TraceError, with the line, where nodes, partitions or GPU counts cannot be read.
    """
    found = list(_scontrol(text) if text.lstrip().startswith("NodeName=") else _sinfo(name, text))
    machines: dict[str, tuple[int, str]] = {}
    partitions: dict[str, set[str]] = {}
    for each in found:
        gpus = _gpus(name, each)
        if machines.setdefault(each.name, gpus) != gpus:
            raise TraceError(f"{name}, line {each.line}: node {each.name} is there with other GPUs before.")
        for partition in each.partitions:
            partitions.setdefault(partition, set()).add(each.name)
    if not any(gpus for gpus, _ in machines.values()):
        raise TraceError(f"{name} has no node with GPUs in Gres: list the nodes with {SINFO}.")
    rows = [(vc, sum(machines[node][0] for node in nodes)) for vc, nodes in sorted(partitions.items())]
    shared = sum(len(nodes) for nodes in partitions.values()) - len(set().union(*partitions.values()))
    return Capacity(
        pd.DataFrame({"vc": [vc for vc, _ in rows], "date": None, "gpus": [gpus for _, gpus in rows]}),
        nodes=_table(machines),
        notes=_notes(machines, shared),
    )


def _table(machines: dict[str, tuple[int, str]]) -> pd.DataFrame:
    rows = sorted(machines.items())
    return pd.DataFrame(
        {
            "node": [node for node, _ in rows],
            "gpus": [gpus for _, (gpus, _) in rows],
            "gpu_type": [kind or None for _, (_, kind) in rows],
        }
    )


def _notes(machines: dict[str, tuple[int, str]], shared: int) -> tuple[str, ...]:
    total = sum(gpus for gpus, _ in machines.values())
    note = f"The cluster has {total} GPUs in {sum(gpus > 0 for gpus, _ in machines.values())} nodes."
    if shared:
        note += (
            " Some nodes are in several partitions: the partitions' GPUs add up to more than the cluster's."
        )
    return (note,)


def _gpus(name: str, node: _Node) -> tuple[int, str]:
    try:
        found = gpu_counts.gpus(node.gres)
    except ValueError as error:
        raise TraceError(f"{name}, line {node.line}: {node.gres!r} is no GPU count.") from error
    if found is None:
        return 0, ""
    if found.count != int(found.count) or found.count > 1000:
        raise TraceError(f"{name}, line {node.line}: {found.count:g} GPUs on one node cannot be right.")
    return int(found.count), ",".join(found.types)


def _scontrol(text: str) -> Iterator[_Node]:
    """Records begin with NodeName=; a record without Partitions is in none."""
    begins = [found.start() for found in re.finditer(r"(?m)^\s*NodeName=", text)]
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        pairs = dict(_PAIR.findall(text[begin:end]))
        partitions = tuple(filter(None, pairs.get("Partitions", "").split(",")))
        line = text.count("\n", 0, begin) + 1
        gres = pairs.get("Gres", "")
        yield _Node(pairs["NodeName"], "" if gres == "(null)" else gres, partitions, line)


def _sinfo(name: str, text: str) -> Iterator[_Node]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    header = [word.lower() for word in _words(lines[0][1])]
    at = {}
    for what, names in _NAMED.items():
        found = [index for index, word in enumerate(header) if word in names]
        if not found:
            raise TraceError(f"{name} is sinfo output without {names[0].upper()}: make it with {SINFO}.")
        at[what] = found[0]
    for number, line in lines[1:]:
        cells = _words(line)
        if cells == _words(lines[0][1]):
            continue
        if len(cells) != len(header):
            raise TraceError(f"{name}, line {number}: {line.strip()[:200]!r} has not the header's columns.")
        try:
            hosts = hostlists.nodes(cells[at["node"]])
        except ValueError as error:
            raise TraceError(f"{name}, line {number}: {cells[at['node']]!r} is no node list.") from error
        partition = cells[at["partition"]].rstrip("*")
        gres = cells[at["gres"]]
        for host in hosts:
            yield _Node(host, "" if gres == "(null)" else gres, (partition,), number)


def _words(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")] if "|" in line else line.split()
