"""What a run reads of a trace: the clusters it names, their jobs, and the capacity of its window."""

import os
from functools import lru_cache
from typing import Any

import pandas as pd

from queries import fetch, manifests, rows
from runs import quota
from runs.errors import RunError
from runs.window import Window


def chosen_clusters(manifest: dict[str, Any], asked: tuple[str, ...]) -> list[str]:
    """The clusters asked for in the trace's order; all of them where none is named.

    Raises RunError for a cluster that the trace does not have.
    """
    known = list(manifest["clusters"])
    for each in asked:
        if each not in known:
            raise RunError(f"Trace {manifest['trace']} has no cluster {each!r}; it has {', '.join(known)}.")
    return [each for each in known if not asked or each in asked]


def read_jobs(trace: str, cluster: str, vcs: tuple[str, ...], span: Window) -> pd.DataFrame:
    """The cluster's jobs, but for CPU jobs, submitted in the window: in trace order, s since its start.

    They have a column ``priority`` only where one of them has a priority.
    """
    jobs = rows("replay_jobs", trace=trace, **_chosen(cluster, vcs, span))
    return jobs if jobs["priority"].notna().any() else jobs.drop(columns="priority")


def count_cpu_jobs(trace: str, cluster: str, vcs: tuple[str, ...], span: Window) -> pd.DataFrame:
    """How many CPU jobs were submitted in the window: user, vc, jobs."""
    return fetch("jobs_without_gpus", trace=trace, **_chosen(cluster, vcs, span))


def _chosen(cluster: str, vcs: tuple[str, ...], span: Window) -> dict[str, Any]:
    return {"cluster": cluster, "vcs": list(vcs), "start": span.start_time, "end": span.end_time}


def read_capacity(trace: str, cluster: str, span: Window) -> dict[str, int]:
    """GPUs per VC of a stored trace: each VC's maximum over the local days of the window."""
    return largest_in_window(rows("quota", trace=trace, cluster=cluster), span)


def read_quotas(trace: str, cluster: str, span: Window, over_time: bool) -> dict[str, quota.Quota]:
    """The quota of each VC of a stored trace: as it changes, or its maximum in the window throughout."""
    return dict(_quotas(os.getpid(), manifests.version(trace), trace, cluster, span, over_time))


@lru_cache(maxsize=32)
def _quotas(
    _process: int, _version: manifests.Version, trace: str, cluster: str, span: Window, over_time: bool
) -> dict[str, quota.Quota]:
    """Remembered, because a page replays the same days of a cluster for one choice after the other."""
    return quotas_of(rows("quota", trace=trace, cluster=cluster), span, over_time)


def quotas_of(dated: pd.DataFrame, span: Window, over_time: bool) -> dict[str, quota.Quota]:
    """The same from dated rows ``vc, date, gpus``."""
    if over_time:
        return quota.over_time(dated, span)
    return {vc: quota.constant(gpus) for vc, gpus in largest_in_window(dated, span).items()}


def largest_in_window(dated: pd.DataFrame, span: Window) -> dict[str, int]:
    """GPUs per VC from dated rows ``vc, date, gpus``: each VC's maximum over the local days of the window.

    A row holds from its day until the VC's next one; the first row also holds before it.
    """
    first_day, last_day = (pd.Timestamp(day) for day in span.local_days())
    rows = dated.assign(date=pd.to_datetime(dated["date"])).sort_values(["vc", "date"])
    until = rows.groupby("vc")["date"].shift(-1)
    since = rows["date"].where(rows["vc"].duplicated(), pd.Timestamp.min)
    held = rows[(since <= last_day) & (until.isna() | (until > first_day))]
    return {str(vc): int(gpus) for vc, gpus in held.groupby("vc")["gpus"].max().items()}
