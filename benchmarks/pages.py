"""How fast the pages answer, on a demo whose scale is `HELIOGRAPH_BENCH_SCALE` (0.1 where it is not set).

`HELIOGRAPH_BENCH_DATA` names a data folder that has a trace `demo` already. Every callback that fills a
chart, a table or a card of a page about what is going on is asked over HTTP in one process, for the whole
trace and for its last 28 days, with no remembered answer.

- ``pages_jobs``: jobs of the trace that was measured; ``pages_callbacks``: questions asked;
- ``pages_callback_median_ms``, ``_p95_ms``, ``_slowest_ms``: server time of a warm callback, best of three;
- ``pages_callback_cpu_median_ms``, ``_cpu_p95_ms``: its CPU time on all threads, best of three: what is left
  of it on a machine that does nothing else;
- ``pages_first_answer_ms``: the first question to a trace in a new process, its database opened;
- ``pages_payload_kb``: the largest page's callbacks together, uncompressed, in kB;
- ``pages_worker_mb``: resident memory of the process after all of this, in MB;
- ``pages_pandas_ratio_<question>``: time of pandas over time of the warehouse for the same aggregation over
  the same parquet, reading included in both;
- ``pages_rollups_s``, ``pages_rollups_cpu_s``: writing all rollups of the trace, wall and CPU.

Wall times depend on what else the machine does.
"""

import json
import os
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._callbacks import PAGES, callbacks, filling, values
from benchmarks._demo_server import data_folder

ROUNDS = 3


def measure() -> dict[str, float]:
    """The figures by name."""
    with data_folder() as root:
        os.environ["HELIOGRAPH_DATA"] = str(root)
        return _measured(root)


def _measured(root: Path) -> dict[str, float]:
    import settings

    settings.current.cache_clear()
    folder = (root / "traces/demo/current").resolve()
    figures = _rollups(folder)

    import app
    from queries import manifests

    manifest = manifests.manifest("demo")
    client = app.server.test_client()
    begin = time.perf_counter()
    app.warm_worker()
    figures["pages_first_answer_ms"] = 1000 * (time.perf_counter() - begin)
    figures["pages_jobs"] = sum(each["report"]["rows_kept"] for each in manifest["clusters"].values())
    figures |= _callbacks(client)
    figures["pages_worker_mb"] = _resident_mb()
    return figures | _pandas_ratios(folder)


def _rollups(folder: Path) -> dict[str, float]:
    """Write the rollups of a copy of the trace's jobs."""
    from traces import rollups

    timezone = json.loads((folder / "trace.json").read_text())["timezone"]
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder / "jobs", Path(copy) / "jobs")
        wall, cpu = time.perf_counter(), _cpu_s()
        rollups.write(Path(copy), timezone)
        return {"pages_rollups_s": time.perf_counter() - wall, "pages_rollups_cpu_s": _cpu_s() - cpu}


def _callbacks(client: Any) -> dict[str, float]:
    """Ask every callback that fills a card for both windows."""
    from pages.scope import scope_of_query

    whole = scope_of_query({"trace": "demo"})
    month = whole.recent(28)
    spent: list[float] = []
    cpu: list[float] = []
    payloads: dict[str, int] = dict.fromkeys(PAGES, 0)
    every = list(callbacks(client.get("/_dash-dependencies").json))
    asked = [(page, each) for page in PAGES for each in filling(page, every)]
    for scope in (whole, month):
        for page, each in asked:
            seconds, cpu_s, size = _best(client, each.body(values(scope.filters.to_json())))
            spent.append(1000 * seconds)
            cpu.append(1000 * cpu_s)
            payloads[page] += size if scope is whole else 0
    return {
        "pages_callbacks": len(spent),
        "pages_callback_median_ms": statistics.median(spent),
        "pages_callback_p95_ms": float(np.quantile(spent, 0.95)),
        "pages_callback_slowest_ms": max(spent),
        "pages_callback_cpu_median_ms": statistics.median(cpu),
        "pages_callback_cpu_p95_ms": float(np.quantile(cpu, 0.95)),
        "pages_payload_kb": max(payloads.values()) / 1000,
    }


def _best(client: Any, body: dict[str, Any]) -> tuple[float, float, int]:
    """Best wall and CPU time of several rounds, in s, and the size of the answer, in bytes."""
    from pages import remembered
    from queries import warehouse

    times, cpu = [], []
    for _ in range(ROUNDS):
        warehouse._remembered.cache_clear()
        remembered._kept.clear()
        begin, cpu_begin = time.perf_counter(), _cpu_s()
        response = client.post("/_dash-update-component", json=body)
        times.append(time.perf_counter() - begin)
        cpu.append(_cpu_s() - cpu_begin)
        assert response.status_code == 200, (body["output"], response.text[:500])
    return min(times), min(cpu), len(response.data)


def _pandas_ratios(folder: Path) -> dict[str, float]:
    """Time of pandas over time of the warehouse for four aggregations of the whole trace."""
    from pages.scope import scope_of_query
    from queries import warehouse

    scope = scope_of_query({"trace": "demo"})
    columns = ["vc", "gpu_num", "state", "submit_time", "start_time", "end_time", "duration_s"]

    def jobs() -> pd.DataFrame:
        files = sorted((folder / "jobs").glob("*.parquet"))
        return pd.concat([pd.read_parquet(file, columns=columns).assign(cluster=file.stem) for file in files])

    def days() -> object:
        frame = jobs()
        local = frame["submit_time"].dt.tz_localize("UTC").dt.tz_convert(scope.timezone).dt.date
        return frame.groupby([local, "state"]).size()

    def durations() -> object:
        frame = jobs()
        step = np.ceil(8 * np.log2(frame["duration_s"].clip(lower=1)))
        return frame.groupby([frame["gpu_num"] > 0, step]).size()

    def status() -> object:
        frame = jobs()
        return frame[frame["gpu_num"] > 0].groupby(["gpu_num", "state"]).size()

    def use() -> object:
        gpu = jobs().query("gpu_num > 0 and start_time.notna()")
        steps = pd.concat(
            [
                pd.DataFrame({"time": gpu["start_time"], "gpus": gpu["gpu_num"], "cluster": gpu["cluster"]}),
                pd.DataFrame({"time": gpu["end_time"], "gpus": -gpu["gpu_num"], "cluster": gpu["cluster"]}),
            ]
        ).sort_values("time")
        steps["held"] = steps.groupby("cluster")["gpus"].cumsum()
        length = steps.groupby("cluster")["time"].diff(-1).dt.total_seconds().abs()
        return (steps["held"] * length).groupby([steps["cluster"], steps["time"].dt.floor("D")]).sum()

    pairs = [
        (days, lambda: scope.ask("days")),
        (durations, lambda: scope.ask("duration_cdf")),
        (status, lambda: scope.ask("final_status_by_gpu_count")),
        (use, lambda: scope.ask("utilization_by_cluster", bin_s=86400)),
    ]
    ratios = {}
    for slow, fast in pairs:
        warehouse._remembered.cache_clear()
        quick = _seconds(fast)
        ratios[f"pages_pandas_ratio_{slow.__name__}"] = _seconds(slow) / quick
    return ratios


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
