"""Small traces in the stored layout, for the tests of every room that reads them."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from traces import rollups

JOBS = pa.schema(
    [
        *((name, pa.string()) for name in ("trace", "cluster", "job_id")),
        ("row", pa.int32()),
        *((name, pa.string()) for name in ("user", "vc", "job_name")),
        ("gpu_num", pa.float64()),
        ("gpu_type", pa.string()),
        ("cpu_num", pa.int32()),
        ("node_num", pa.int32()),
        ("state", pa.string()),
        *((name, pa.timestamp("us")) for name in ("submit_time", "start_time", "end_time")),
        ("duration_s", pa.float64()),
        ("queueing_delay_s", pa.float64()),
        ("flags", pa.list_(pa.string())),
    ]
)
QUOTA = pa.schema(
    [("cluster", pa.string()), ("vc", pa.string()), ("date", pa.date32()), ("gpus", pa.int32())]
)

NODES = pa.schema(
    [("cluster", pa.string()), ("node", pa.string()), ("gpus", pa.int32()), ("gpu_type", pa.string())]
)


def job(**values: Any) -> dict[str, Any]:
    """A job with every column of the canonical table; what is not given is null or derived."""
    row = dict.fromkeys(JOBS.names) | {
        "cluster": "Venus",
        "vc": "vc1",
        "gpu_num": 1.0,
        "state": "COMPLETED",
        "flags": [],
    }
    row |= values
    for name in ("submit_time", "start_time", "end_time"):
        row[name] = None if row[name] is None else pd.Timestamp(row[name])
    start, end, submit = row["start_time"], row["end_time"], row["submit_time"]
    if row["duration_s"] is None and start is not None and end is not None:
        row["duration_s"] = (end - start).total_seconds()
    if row["queueing_delay_s"] is None and start is not None:
        row["queueing_delay_s"] = (start - submit).total_seconds()
    return row


def store(
    data: Path,
    trace: str,
    jobs: list[dict[str, Any]] | pd.DataFrame,
    quota: list[tuple[str, str, str, int]] = (),
    nodes: list[tuple[str, str, int, str | None]] = (),
    *,
    timezone: str = "UTC",
    generated: bool = False,
    version: int = 1,
    rolled_up: bool = True,
    **facts: Any,
) -> Path:
    """Write a trace where the product reads it.

    ``quota`` rows are (cluster, vc, local date, GPUs), ``nodes`` rows (cluster, node, GPUs, GPU type).

    Without ``rolled_up`` it is one that was stored before there were rollups.
    """
    frame = pd.DataFrame(jobs).sort_values(["cluster", "submit_time"], kind="stable")
    frame["trace"] = trace
    frame["row"] = np.arange(len(frame))
    ids = frame["job_id"].astype(object)
    frame["job_id"] = ids.where(ids.notna(), frame["row"].astype(str)).astype(str)
    for name in ("submit_time", "start_time", "end_time"):
        frame[name] = pd.to_datetime(frame[name])
    capacity = pd.DataFrame(list(quota), columns=QUOTA.names)
    capacity["date"] = pd.to_datetime(capacity["date"]).dt.date
    folder = data / "traces" / trace / f"v{version:06d}"
    shutil.rmtree(folder, ignore_errors=True)
    for cluster, part in frame.groupby("cluster"):
        _write(folder / "jobs" / f"{cluster}.parquet", part, JOBS)
    for cluster, part in capacity.groupby("cluster"):
        _write(folder / "quota" / f"{cluster}.parquet", part, QUOTA)
    for cluster, part in pd.DataFrame(list(nodes), columns=NODES.names).groupby("cluster"):
        _write(folder / "nodes" / f"{cluster}.parquet", part, NODES)
    if rolled_up:
        rollups.write(folder, timezone)
    clusters = {
        str(cluster): _cluster(part, bool((capacity["cluster"] == cluster).any()), facts)
        for cluster, part in frame.groupby("cluster")
    }
    manifest = {
        "trace": trace,
        "timezone": timezone,
        "generated": generated,
        "created": "2026-01-01T00:00:00Z",
        "version": version,
        "clusters": clusters,
    }
    (folder / "trace.json").write_text(json.dumps(manifest), encoding="utf-8")
    link = folder.parent / "next"
    link.symlink_to(folder.name)
    os.replace(link, folder.parent / "current")
    return folder


def _write(path: Path, frame: pd.DataFrame, schema: pa.Schema) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False), path)


def _cluster(jobs: pd.DataFrame, has_capacity: bool, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": "csv",
        "source": [{"name": "jobs.csv", "bytes": 12345, "sha256": "0" * 64}],
        "imported": "2026-01-01T00:00:00Z",
        "gpus_per_node": 8,
        "has_start": bool(jobs["start_time"].notna().any()),
        "has_end": bool(jobs["end_time"].notna().any()),
        "has_state": bool((jobs["state"] != "UNKNOWN").any()),
        "has_user": bool(jobs["user"].notna().any()),
        "has_vc": bool(jobs["vc"].notna().any()),
        "has_job_name": bool(jobs["job_name"].notna().any()),
        "has_capacity": has_capacity,
        "has_series": False,
        "ids_follow_submission": False,
        "report": {
            "rows_read": len(jobs) + 2,
            "rows_kept": len(jobs),
            "rows_flagged": {"end before start": 1},
            "rows_rejected": {"no submit time": 2},
            "rejected_examples": [{"line": 7, "reason": "no submit time", "text": ",vc1,8"}],
            "first_submit": jobs["submit_time"].min().isoformat() + "Z",
            "last_submit": jobs["submit_time"].max().isoformat() + "Z",
            "notes": [],
        },
        **facts,
    }
