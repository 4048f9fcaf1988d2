"""All rejected rows of an import as one table, which operators get as CSV."""

from collections.abc import Sequence

import pandas as pd

from traces.cluster_import import ClusterImport

COLUMNS = ("source", "line", "reason", "text")


def of_cluster(item: ClusterImport) -> pd.DataFrame:
    """The rejected rows of one import (`COLUMNS`), each with the name of its file."""
    name = item.sources[0].name if item.sources else ""
    rows = pd.DataFrame(columns=["line", "reason", "text"]) if item.rejects is None else item.rejects
    return (rows if "source" in rows else rows.assign(source=name))[list(COLUMNS)]


def together(parts: Sequence[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """The rejected rows of several clusters, (name, `of_cluster`), with the column `cluster` in front."""
    named = [rows.assign(cluster=cluster) for cluster, rows in parts if len(rows)]
    columns = ["cluster", *COLUMNS]
    return pd.concat(named, ignore_index=True)[columns] if named else pd.DataFrame(columns=columns)
