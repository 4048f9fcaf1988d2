"""How fast and in how much memory accounting files become a published trace, on the demo in public formats.

- ``import_helios_rows``: rows of the four clusters' CSV files: 3,362,981 at scale 1;
- ``import_helios_s``: from the files to the published trace, report and rollups included, in s;
- ``import_helios_duckdb_s``: DuckDB alone copies the same files to one parquet file, sorted by cluster,
  submission and job, in s;
- ``import_helios_times_duckdb``: the ratio of the two;
- ``import_helios_cpu_times_duckdb``: the same of the CPU time of all threads, which a busy machine changes
  less;
- ``import_helios_memory_gib``: the most memory that the importing process held, in GiB;
- ``import_philly_gb``: size of a Philly job log, the jobs of a smaller demo repeated, in GB (10⁹ bytes);
- ``import_philly_s``: from that file to the published trace, in s;
- ``import_philly_memory_gib``: the most memory that the importing process held, in GiB.

Each figure is of a process of its own with two threads and the files in the page cache; seconds are the
median of three rounds in which import and copy take turns (one round for Philly). The files are made once and
stay in ``.cache/bench``; ``HELIOGRAPH_BENCH_SCALE`` (1) and ``HELIOGRAPH_BENCH_PHILLY_GB`` (1) make them
smaller.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._importing import THREADS
from scheduling import compile_kernels, replay
from traces.demo import export, generate

CACHE = Path(".cache/bench")
ROUNDS = 3
PHILLY_SCALE = 0.1


def measure() -> dict[str, float | None]:
    """The figures named above."""
    return _helios(float(os.environ.get("HELIOGRAPH_BENCH_SCALE", "1"))) | _philly(
        float(os.environ.get("HELIOGRAPH_BENCH_PHILLY_GB", "1"))
    )


def _helios(scale: float) -> dict[str, float | None]:
    folder = CACHE / f"helios-{scale:g}"
    if not (folder / "data").is_dir():
        compile_kernels()
        export.as_helios(generate(scale, replay=replay), folder)
    ours, alone = [], []
    for _ in range(ROUNDS):
        alone.append(_measured("copy", folder / "data"))
        ours.append(_measured("helios", folder / "data"))
    import_s, copy_s = _median(ours, "s"), _median(alone, "s")
    return {
        "import_helios_rows": ours[0]["rows"],
        "import_helios_s": import_s,
        "import_helios_duckdb_s": copy_s,
        "import_helios_times_duckdb": import_s / copy_s,
        "import_helios_cpu_times_duckdb": _median(ours, "cpu_s") / _median(alone, "cpu_s"),
        "import_helios_memory_gib": max(each["memory_gib"] for each in ours),
    }


def _philly(size_gb: float) -> dict[str, float | None]:
    log = CACHE / f"philly-{size_gb:g}GB" / "cluster_job_log"
    if not log.is_file():
        compile_kernels()
        export.as_philly(generate(PHILLY_SCALE, replay=replay), log, int(size_gb * 1e9))
    measured = _measured("philly", log)
    return {
        "import_philly_gb": log.stat().st_size / 1e9,
        "import_philly_s": measured["s"],
        "import_philly_memory_gib": measured["memory_gib"],
    }


def _measured(work: str, source: Path) -> dict[str, float]:
    """What ``benchmarks._importing`` measured of its own work on `source`, into a target of its own."""
    environment = os.environ | {"HELIOGRAPH_QUERY_THREADS": str(THREADS), "OMP_NUM_THREADS": str(THREADS)}
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        command = [sys.executable, "-m", "benchmarks._importing", work, str(source), f"{folder}/target"]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _median(rounds: list[dict[str, float]], name: str) -> float:
    return statistics.median(each[name] for each in rounds)
