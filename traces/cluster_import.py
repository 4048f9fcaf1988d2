"""One cluster as an importer hands it to the store: tables, facts and report. Nothing is published yet."""

from dataclasses import dataclass

import pandas as pd

from traces.capacity import Capacity
from traces.report import Report, Source


@dataclass(frozen=True)
class Facts:
    """What the source of a cluster knows. `format` is the importer's name, e.g. ``csv``.

    `gpus_per_node` is the size of a whole node; `ids_follow_submission` says that among jobs of one submit
    second the smaller numeric job_id came first. `vc_field` is the source's field that is the VC where there
    is a choice; `pseudonymized` says that users and job names are not the source's own.
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
    vc_field: str | None = None
    pseudonymized: bool = False


@dataclass(frozen=True)
class ClusterImport:
    """The tables of one cluster, with the columns of `traces.schema` (JOBS, QUOTA, NODES, SERIES).

    `trace` and `cluster` columns may be left out: the store writes them. A table that the source does not
    have is None. A series alone is added to the jobs that the cluster may already have. With `adds` the jobs
    are added to those the cluster has, one row per attempt (`traces.knowledge`), else they replace them.
    `capacity` is what `quota` was made from, and `rejects` are all rejected rows (line, reason, text).
    """

    cluster: str
    facts: Facts
    report: Report
    sources: tuple[Source, ...] = ()
    jobs: pd.DataFrame | None = None
    quota: pd.DataFrame | None = None
    nodes: pd.DataFrame | None = None
    series: pd.DataFrame | None = None
    rejects: pd.DataFrame | None = None
    capacity: Capacity | None = None
    adds: bool = False
