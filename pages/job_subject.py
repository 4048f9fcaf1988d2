"""What a job's page is about: one job of a stored trace, found by its cluster and its id."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pandas as pd

from components.numbers import duration, is_unknown
from pages.identities import shown_users
from pages.scope import local, local_times
from queries import QueryError, fetch, manifests

#: Points of the load of a VC, and the least time that is looked at around a job's waiting.
LOAD_POINTS, LEAST_WINDOW_S = 240, 3600
SIMILAR_JOBS = 200


@dataclass(frozen=True)
class JobSubject:
    """A job: ``attempts`` has its rows (times in naive UTC), one unless it was queued again."""

    trace: str
    timezone: str
    generated: bool
    attempts: pd.DataFrame

    @property
    def last(self) -> pd.Series:
        """The last attempt."""
        return self.attempts.iloc[-1]

    @property
    def user(self) -> str | None:
        """Its user as may be shown, None where unknown or not shown."""
        shown = shown_users(self.attempts["user"], self.trace).iloc[-1]
        return None if is_unknown(shown) else str(shown)


def job_of(trace: str, cluster: str, job_id: str) -> JobSubject:
    """The job of these parts of an address, which may be quoted.

    Raises:
        QueryError: no such trace, cluster or job.
    """
    trace, cluster, job_id = (unquote(part) for part in (trace, cluster, job_id))
    manifest = manifests.manifest(trace)
    attempts = fetch("job", trace=trace, cluster=cluster, job_id=job_id)
    if attempts.empty:
        raise QueryError(f"Trace “{trace}” has no job “{job_id}” in a cluster “{cluster}”.")
    return JobSubject(trace, str(manifest["timezone"]), bool(manifest["generated"]), attempts)


def job_of_store(data: Mapping[str, Any]) -> JobSubject:
    """The job that a page's store names."""
    return job_of(data["trace"], data["cluster"], data["job_id"])


def phases(job: JobSubject) -> pd.DataFrame:
    """What is known of each attempt's waiting and running, in local time and as a length in words."""
    rows = []
    for place, attempt in enumerate(job.attempts.itertuples(), start=1):
        for phase, start, end in (
            ("waits", attempt.submit_time, attempt.start_time),
            ("runs", attempt.start_time, attempt.end_time),
        ):
            if not (is_unknown(start) or is_unknown(end)) and end >= start:
                seconds = (end - start).total_seconds()
                times = (local(start, job.timezone), local(end, job.timezone))
                rows.append((f"attempt {place}", phase, *times, seconds, duration(seconds)))
    columns = ["attempt", "phase", "start_time", "end_time", "seconds", "length"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(attempt="") if len(job.attempts) == 1 else frame


def load_while_waiting(job: JobSubject) -> pd.DataFrame:
    """GPUs used, waited for and present in the last attempt's VC, around the time it waited."""
    row = job.last
    wait_s = max((row["start_time"] - row["submit_time"]).total_seconds(), 0.0)
    margin = pd.Timedelta(seconds=max(LEAST_WINDOW_S, wait_s / 4))
    start, end = row["submit_time"] - margin, row["start_time"] + margin
    step_s = max(1, round((end - start).total_seconds() / LOAD_POINTS))
    scope = {"cluster": row["cluster"], "vc": None if is_unknown(row["vc"]) else row["vc"]}
    load = fetch("vc_load", trace=job.trace, **scope, start=start, end=end, bin_s=step_s)
    load.insert(1, "local_time", local_times(load["time"], job.timezone))
    return load


def similar_jobs(job: JobSubject) -> pd.DataFrame:
    """The nearest jobs of its user with its GPU count (and name), itself left out; submit_time is local."""
    row = job.last
    found = fetch(
        "similar_jobs",
        trace=job.trace,
        cluster=row["cluster"],
        user=row["user"],
        gpu_num=None if is_unknown(row["gpu_num"]) else float(row["gpu_num"]),
        job_name=None if is_unknown(row["job_name"]) else row["job_name"],
        near=row["submit_time"],
        size=SIMILAR_JOBS + 1,
    )
    return found[found["job_id"] != row["job_id"]].reset_index(drop=True)
