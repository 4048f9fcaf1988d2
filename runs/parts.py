"""What a run reads of a trace: the clusters it names, their jobs, and the capacity of its window."""

from typing import Any

import pandas as pd

from queries import rows
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
    """The cluster's jobs submitted in the window, in trace order, with seconds since its start."""
    return rows(
        "replay_jobs", trace=trace, cluster=cluster, vcs=list(vcs), start=span.start_time, end=span.end_time
    )


def read_history(trace: str, cluster: str, span: Window) -> pd.DataFrame:
    """What the trace recorded before the window of jobs whose end is known."""
    return rows("replay_history", trace=trace, cluster=cluster, start=span.start_time)


def read_capacity(trace: str, cluster: str, span: Window) -> dict[str, int]:
    """GPUs per VC: each VC's maximum over the local days of the window."""
    first_day, last_day = span.local_days()
    quota = rows("capacity_in_window", trace=trace, cluster=cluster, first_day=first_day, last_day=last_day)
    return {str(vc): int(gpus) for vc, gpus in zip(quota["vc"], quota["gpus"], strict=True)}
