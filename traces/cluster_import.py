"""One cluster as an importer hands it to the store: tables, facts and report. Nothing is published yet."""

from dataclasses import dataclass

import pandas as pd

from traces.report import Report, Source


@dataclass(frozen=True)
class Facts:
    """What the source of a cluster knows. `format` is the importer's name, e.g. ``csv``.

    `gpus_per_node` is the size of a whole node; `ids_follow_submission` says that among jobs of one submit
    second the smaller numeric job_id came first.
    """

    format: str
    gpus_per_node: int = 8
    has_start: bool = False
    has_end: bool = False
    has_state: bool = False
    has_user: bool = False
    has_vc: bool = False
    has_job_name: bool = False
    ids_follow_submission: bool = False


@dataclass(frozen=True)
class ClusterImport:
    """The tables of one cluster, with the columns of `traces.schema` (JOBS, QUOTA, NODES, SERIES).

    `trace` and `cluster` columns may be left out: the store writes them. A table that the source does not
    have is None. A series alone is added to the jobs that the cluster may already have.
    """

    cluster: str
    facts: Facts
    report: Report
    sources: tuple[Source, ...] = ()
    jobs: pd.DataFrame | None = None
    quota: pd.DataFrame | None = None
    nodes: pd.DataFrame | None = None
    series: pd.DataFrame | None = None
