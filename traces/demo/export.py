"""The demo in the formats of the public releases: what one would download, and what benchmarks import."""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from traces import clock, helios, philly
from traces.cluster_import import ClusterImport
from traces.errors import TraceError

GPUS_PER_MACHINE = 8
PHILLY_STATES = {"COMPLETED": "Pass", "CANCELLED": "Killed"}
"""Every other terminal state is Failed in Philly's log."""


def as_helios(imports: Iterable[ClusterImport], folder: Path) -> list[Path]:
    """Write ``data/<Cluster>/cluster_log.csv`` and ``cluster_gpu_number.csv`` below `folder`; gives the logs.

    The format has no job names. Raises TraceError where `folder`/data is there already.
    """
    home = folder / "data"
    if home.exists():
        raise TraceError(f"{home} is there already: give another folder, or remove it first.")
    building = folder / ".data.unfinished"
    shutil.rmtree(building, ignore_errors=True)
    names = []
    for item in imports:
        own = building / item.cluster
        own.mkdir(parents=True)
        _write_log(item, own / helios.LOG)
        _write_quota(item, own / helios.CAPACITY)
        names.append(item.cluster)
    building.rename(home)
    return [home / name / helios.LOG for name in names]


def _write_log(item: ClusterImport, path: Path) -> None:
    jobs = _jobs(item)
    table = pa.table(
        {
            **{name: pa.array(jobs[name], pa.string()) for name in ("job_id", "user", "vc")},
            **{name: _whole(jobs[name]) for name in ("gpu_num", "cpu_num", "node_num")},
            "state": pa.array(jobs["state"], pa.string()),
            **{name: _local_text(jobs[name]) for name in ("submit_time", "start_time", "end_time")},
            "duration": _whole(jobs["duration_s"]),
            "queue": _whole(jobs["queueing_delay_s"]),
        }
    )
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="none"))


def _whole(values: "pd.Series[float]") -> pa.Array:
    return pa.array(values.astype("float64"), from_pandas=True).cast(pa.int64())


def _local_text(moments: "pd.Series[pd.Timestamp]") -> pa.Array:
    """Local wall-clock times as Helios writes them, ``None`` where there is none."""
    local = pa.array(clock.to_local(moments, helios.TIMEZONE).astype("datetime64[s]"), from_pandas=True)
    return pc.fill_null(pc.strftime(local, "%Y-%m-%d %H:%M:%S"), "None")


def _write_quota(item: ClusterImport, path: Path) -> None:
    """GPUs by day and VC: each row holds until the VC's next one, so days without a change are filled in."""
    if item.quota is None:
        return
    wide = item.quota.assign(date=pd.to_datetime(item.quota["date"]))
    wide = wide.pivot_table(index="date", columns="vc", values="gpus", aggfunc="last").ffill().fillna(0)
    submitted = clock.to_local(_jobs(item)["submit_time"], helios.TIMEZONE)
    days = pd.date_range(wide.index.min(), max(wide.index.max(), submitted.max().normalize()), freq="D")
    wide = wide.reindex(days).ffill().astype(int)
    wide["total"] = wide.sum(axis=1)
    wide.rename_axis("date").to_csv(path, date_format="%Y-%m-%d")


def as_philly(imports: Iterable[ClusterImport], file: Path, size_bytes: int = 0) -> int:
    """Write the GPU jobs as a ``cluster_job_log`` at `file`; gives the number of jobs.

    With `size_bytes` the jobs are repeated under new ids until the file has that size. Raises TraceError
    where `file` is there already.
    """
    if file.exists():
        raise TraceError(f"{file} is there already: give another name, or remove it first.")
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as stream:
        count = _write_jobs(list(_philly_jobs(imports)), stream, size_bytes)
    unfinished.rename(file)
    return count


def _write_jobs(jobs: list[dict[str, object]], stream: TextIO, size_bytes: int) -> int:
    count, written, again = 0, 0, 0
    stream.write("[")
    while again == 0 or written < size_bytes:
        for job in jobs:
            if again:
                job = job | {"jobid": f"{job['jobid']}_{again}"}
                if written >= size_bytes:
                    break
            written += stream.write((",\n" if count else "") + json.dumps(job))
            count += 1
        again += 1
    stream.write("]\n")
    return count


def _philly_jobs(imports: Iterable[ClusterImport]) -> Iterator[dict[str, object]]:
    for item in imports:
        jobs = _jobs(item)
        jobs = jobs[jobs["gpu_num"] > 0]
        times = {
            name: clock.to_local(jobs[name], philly.TIMEZONE).dt.strftime("%Y-%m-%d %H:%M:%S").to_list()
            for name in ("submit_time", "start_time", "end_time")
        }
        rows = zip(
            *(jobs[name].to_list() for name in ("job_id", "user", "vc", "state", "gpu_num")),
            *times.values(),
            strict=True,
        )
        for job_id, user, vc, state, gpus, submitted, start, end in rows:
            attempts = [] if pd.isna(start) else [_attempt(start, end, int(gpus))]
            yield {
                "status": PHILLY_STATES.get(state, "Failed"),
                "vc": vc,
                "jobid": f"application_{item.cluster}_{job_id}",
                "attempts": attempts,
                "submitted_time": submitted,
                "user": user,
            }


def _attempt(start: str, end: str | float, gpus: int) -> dict[str, object]:
    machines = [GPUS_PER_MACHINE] * (gpus // GPUS_PER_MACHINE) + [gpus % GPUS_PER_MACHINE]
    detail = [
        {"ip": f"m{at}", "gpus": [f"gpu{each}" for each in range(count)]}
        for at, count in enumerate(machines)
        if count
    ]
    return {"start_time": start, "end_time": None if pd.isna(end) else end, "detail": detail}


def _jobs(item: ClusterImport) -> pd.DataFrame:
    if item.jobs is None:
        raise TraceError(f"Cluster {item.cluster} has no jobs to write.")
    return item.jobs
