"""``--capacity FILE``: which kind of capacity a file holds, recognized by its first line."""

import hashlib
from pathlib import Path

from traces import capacity, inputs, slurm_nodes, source_table
from traces.capacity import Capacity
from traces.report import Source


def read(path: Path, gpus_per_node: int = 8) -> tuple[Source, Capacity]:
    """The capacity in the file at `path`: ``vc,nodes``, ``vc,gpus``, GPUs by date and VC, or Slurm's nodes.

    Raises TraceError, with line and column, for a file that cannot be right.
    """
    content = inputs.single(path)
    if content.data[:4] != b"PAR1":
        text, _ = source_table.utf8(content.name, source_table.unzipped(content.name, content.data))
        if slurm_nodes.is_node_list(text.decode("utf-8")):
            source = Source(content.name, len(content.data), hashlib.sha256(content.data).hexdigest())
            return source, slurm_nodes.capacity_of_nodes(content.name, text.decode("utf-8"))
    table = source_table.table_of(content.name, content.data)
    return table.source, capacity.capacity_of(table, gpus_per_node)
