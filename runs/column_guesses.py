"""Which column of a table is probably which canonical column, by the names that schedulers use."""

import re
from collections.abc import Mapping, Sequence

NAMES: dict[str, tuple[str, ...]] = {
    "job_id": ("jobid", "id", "jobidraw", "taskid"),
    "user": ("user", "username", "userid", "owner", "who", "uid"),
    "vc": ("vc", "virtualcluster", "partition", "queue", "project", "account", "team", "organization"),
    "job_name": ("jobname", "name"),
    "gpu_num": ("gpunum", "gpus", "gpu", "numgpus", "numgpu", "ngpus", "gpucount", "gpurequest", "reqgpus"),
    "gpu_type": ("gputype", "gpumodel"),
    "cpu_num": ("cpunum", "cpus", "numcpus", "ncpus", "cpurequest"),
    "node_num": ("nodenum", "nodes", "nnodes", "numnodes"),
    "state": ("state", "status", "jobstate", "exitstatus"),
    "submit_time": (
        "submittime",
        "submit",
        "submitted",
        "submittedtime",
        "submittedat",
        "creationtime",
        "created",
        "timestamp",
    ),
    "start_time": ("starttime", "start", "started", "startedat", "scheduledtime"),
    "end_time": (
        "endtime",
        "end",
        "ended",
        "endedat",
        "finishtime",
        "finished",
        "finishedat",
        "deletiontime",
    ),
    "duration_s": ("durations", "duration", "elapsed", "elapsedraw", "runtime", "runtimes", "seconds"),
    "priority": ("priority", "prio"),
    "time": ("time", "timestamp", "ts"),
    "used": ("used", "active", "usednodes", "busy", "allocated", "running"),
    "total": ("total", "totalnodes", "nodes", "capacity"),
}
"""Usual names of each canonical column, the likeliest first, as `_plain` writes them."""


def guesses(columns: Sequence[str], known: Mapping[str, str], canonical: Sequence[str]) -> dict[str, str]:
    """{canonical: source} for `canonical` columns that are not `known` and have a column that looks like it.

    A column of the file is guessed for one canonical column at most.
    """
    taken = set(known.values())
    found: dict[str, str] = {}
    for name in canonical:
        likely = NAMES.get(name, ())
        fitting = [each for each in columns if _plain(each) in likely and each not in taken]
        if name not in known and fitting:
            found[name] = min(fitting, key=lambda each: likely.index(_plain(each)))
            taken.add(found[name])
    return found


def _plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.lower())
