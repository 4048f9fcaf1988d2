"""How fast a web process replays the congested month from the stored trace, as it does while a slider moves.

September of the demo trace's Saturn at scale 1 (seed 2020), with jobs resampled until their GPU time is 0.95
of what is present, read from parquet each time; median of nine, in a process of its own with one DuckDB
thread, kernels and connection warm.

- ``preview_<policy>_ms``, ``preview_<policy>_cpu_ms``: from the stored trace to every number of every VC
  under one policy;
- ``preview_page_ms``: the page's preview under FIFO, SJF and fewest GPUs first, with the curves it draws;
- ``preview_jobs``: the jobs that are replayed;
- ``preview_extra_mib``: what the largest of these adds to the most memory that the process ever held, in MiB.

The trace is made once (half a minute) and stays in ``.cache/bench``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HOME = Path(".cache/bench/saturn").resolve()


def measure() -> dict[str, float]:
    """The figures by name."""
    if not (HOME / "traces/demo/current").exists():
        _publish()
    environment = os.environ | {"HELIOGRAPH_DATA": str(HOME), "HELIOGRAPH_QUERY_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks._previewing"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _publish() -> None:
    """The cluster alone as a stored trace."""
    from commands.demo import NAME, TIMEZONE
    from scheduling import compile_kernels, replay
    from traces import store
    from traces.demo.clusters import CLUSTERS
    from traces.demo.generate import DEFAULT_SEED, cluster_import

    compile_kernels()
    profile = next(each for each in CLUSTERS if each.name == "Saturn")
    made = cluster_import(profile, 1.0, DEFAULT_SEED, replay)
    store.publish(HOME, NAME, TIMEZONE, [made], generated=True)
