"""``import slurm``: what ``sacct`` prints, in one file or in daily ones, for one cluster or for several."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from traces import capacity_source, clock, inputs
from traces.capacity import Capacity
from traces.cluster_import import ClusterImport
from traces.errors import TraceError
from traces.job_import import Reading, job_import
from traces.ledger import Findings
from traces.names import is_name
from traces.progress import stretch
from traces.report import Source
from traces.sacct_jobs import VC_FIELD, SacctJobs, sacct_jobs
from traces.sacct_table import sacct_table_of
from traces.source_table import SourceTable

GPUS_PER_NODE = 8
NO_GPU_ACCOUNTING = (
    "no GPU accounting: no row names a GPU in AllocTRES, ReqTRES, AllocGRES or ReqGRES; set "
    "AccountingStorageTRES=gres/gpu in slurm.conf, which counts the GPUs of jobs from then on, and ask sacct "
    "for AllocTRES"
)


@dataclass(frozen=True)
class SlurmOptions:
    """How extracts are to be read.

    `cluster` names the cluster of files without a column Cluster (or of the only one in that column).
    `file_timezone` is the zone of the times in the file (None: each must have an offset), `timezone` that of
    the site. `vc_field` is the field that is the VC. `capacity` is a capacity file. `needs_gpus` refuses
    extracts in which no row names a GPU.
    """

    cluster: str | None = None
    timezone: str | None = None
    file_timezone: str | None = None
    vc_field: str = VC_FIELD
    capacity: Path | None = None
    gpus_per_node: int | None = None
    needs_gpus: bool = True


def read(path: Path, options: SlurmOptions) -> list[ClusterImport]:
    """The clusters in the extract at `path` (a file, a folder or an archive of files), for each file in turn.

    Each adds its jobs to those that its cluster has. Raises TraceError for what cannot be right as a whole.
    """
    for name in filter(None, (options.timezone, options.file_timezone)):
        clock.zone(name)
    if options.gpus_per_node is not None and options.gpus_per_node < 1:
        raise TraceError(f"A node has at least 1 GPU, not {options.gpus_per_node} (--gpus-per-node).")
    extracts = _extracts(path, options)
    if options.needs_gpus and not any(extract.names_gpus for extract in extracts):
        raise TraceError(f"{Path(path).name} has {NO_GPU_ACCOUNTING}.")
    names = _cluster_names(Path(path).name, extracts, options.cluster)
    capacity = None
    if options.capacity is not None:
        if len(set(names.values())) > 1:
            raise TraceError(
                f"{Path(path).name} has several clusters ({', '.join(sorted(set(names.values())))}) and "
                "--capacity is of one: import each cluster's extract with its own capacity."
            )
        capacity = capacity_source.read(options.capacity, options.gpus_per_node or GPUS_PER_NODE)
    found: list[ClusterImport] = []
    for number, extract in enumerate(extracts):
        with stretch(0.5 + number / len(extracts) / 2, 0.5 + (number + 1) / len(extracts) / 2):
            found += _clusters(extract, names, options, capacity, len(extracts))
    if not any(each.report.rows_kept for each in found):
        raise TraceError(f"{Path(path).name}: not one row of its {len(extracts)} files can be read as a job.")
    return found


def _extracts(path: Path, options: SlurmOptions) -> list[SacctJobs]:
    """The jobs of every file at `path`."""
    may_be_empty, total, behind = Path(path).is_dir(), max(inputs.size(path), 1), 0
    extracts = []
    for content in inputs.contents(path):
        before, behind = behind, behind + len(content.data)
        with stretch(before / total / 2, behind / total / 2):
            table = sacct_table_of(content.name, content.data, may_be_empty=may_be_empty)
            extracts.append(sacct_jobs(table, options.vc_field))
    return extracts


def _cluster_names(file: str, extracts: list[SacctJobs], given: str | None) -> dict[str, str]:
    """The cluster in the trace for each text of the column Cluster; rows without one are the given one's."""
    found = sorted({str(name) for extract in extracts for name in extract.cluster.unique() if is_name(name)})
    named = [name for name in found if name.lower() != "cluster"]  # a header in the middle of the file
    if given is not None and len(named) > 1:
        raise TraceError(
            f"{file} has the clusters {', '.join(named)}: leave out --cluster, or extract one of them."
        )
    only = given or (named[0] if len(named) == 1 else None)
    names = {name: given or name for name in named}
    return names | {"": only} if only is not None else names


def _clusters(
    extract: SacctJobs,
    names: dict[str, str],
    options: SlurmOptions,
    capacity: tuple[Source, Capacity] | None,
    files: int,
) -> list[ClusterImport]:
    """The import of each cluster that one extract has; rows that name none are counted with the first."""
    if extract.table.rows_read == 0:
        return []
    target = extract.cluster.map(lambda name: names.get(name, "")).astype("str")
    present = sorted(set(target) - {""}) or sorted(set(names.values()))[:1]
    if not present:
        raise TraceError(
            f"{extract.table.source.name} does not say which cluster it is from (no column Cluster): "
            "name it with --cluster."
        )
    result = []
    for number, cluster in enumerate(present):
        rows = (target == cluster).to_numpy()
        if number == 0:
            rows = rows | (target == "").to_numpy()
        part, findings = _part(extract, rows, target == "", with_malformed=number == 0)
        if len(present) > 1 and number == 0 and (part.malformed or (target == "").any()):
            note = f"Rows that name no cluster are counted with {cluster}."
            findings = replace(findings, notes=(*findings.notes, note))
        read = _cluster(cluster, part, findings, options, capacity, files > 1 or len(present) > 1)
        result.append(read)
    return result


def _part(
    extract: SacctJobs, rows: npt.NDArray[np.bool_], nameless: pd.Series, with_malformed: bool
) -> tuple[SourceTable, Findings]:
    """The chosen rows of an extract and what is known about them."""
    table = extract.table
    part = SourceTable(
        table.source,
        table.cells.filter(rows),
        table.row[rows],
        table.line[rows],
        table.malformed if with_malformed else (),
        table.notes,
    )
    found = extract.findings
    assert found.texts is not None
    rejected = {reason: mask[rows] for reason, mask in found.rejected.items()}
    findings = Findings(
        found.texts[rows].reset_index(drop=True),
        rejected | {"missing_cluster": nameless.to_numpy()[rows]},
        {reason: mask[rows] for reason, mask in found.flagged.items()},
        found.notes,
    )
    return part, findings


def _cluster(
    cluster: str,
    table: SourceTable,
    findings: Findings,
    options: SlurmOptions,
    capacity: tuple[Source, Capacity] | None,
    may_be_empty: bool,
) -> ClusterImport:
    reading = Reading(
        "slurm",
        options.file_timezone or options.timezone,
        gpus_per_node=options.gpus_per_node or _usual_gpus(capacity),
        ids_follow_submission=True,
        vc_field=options.vc_field,
        adds=True,
        site_timezone=options.timezone,
    )
    columns = {name: name for name in table.columns}
    return job_import(cluster, table, columns, reading, capacity, findings, may_be_empty)


def _usual_gpus(capacity: tuple[Source, Capacity] | None) -> int:
    """GPUs of a whole node: the most frequent count among the machines that have any."""
    nodes = capacity[1].nodes if capacity else None
    if nodes is None or not (nodes["gpus"] > 0).any():
        return GPUS_PER_NODE
    return int(nodes.loc[nodes["gpus"] > 0, "gpus"].mode().max())
