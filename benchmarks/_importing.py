"""One measured piece of work on accounting files, in a process of its own.

``python -m benchmarks._importing {helios,philly,copy} SOURCE TARGET`` prints rows, wall and CPU
seconds of the work, and the most memory that the process held, as one JSON object.
"""

import json
import sys
import time
from pathlib import Path

import duckdb

from traces import intake

THREADS = 2


def main() -> None:
    """Do what the arguments say and print what it took."""
    work, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    begin, used = time.perf_counter(), time.process_time()
    rows = copied(source, target) if work == "copy" else imported(work, source, target)
    wall_s, cpu_s = time.perf_counter() - begin, time.process_time() - used
    print(json.dumps({"rows": rows, "s": wall_s, "cpu_s": cpu_s, "memory_gib": memory_gib()}))


def imported(format_: str, source: Path, target: Path) -> int:
    """Rows read of an import into the data folder `target`."""
    reports = intake.publish(target, intake.Plan(source, format_, trace="bench"))
    return sum(report["rows_read"] for report in reports)


def copied(source: Path, target: Path) -> int:
    """Rows that DuckDB alone copies from all cluster logs below `source` to one sorted parquet file."""
    with duckdb.connect(config={"threads": THREADS}) as database:
        copy = database.execute(
            f"COPY (SELECT * FROM read_csv('{source}/*/cluster_log.csv', filename = true) "
            f"ORDER BY filename, submit_time, job_id) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
        ).fetchone()
    return int(copy[0]) if copy else 0


def memory_gib() -> float:
    """The most memory of this program; a process's ``ru_maxrss`` may be that of the one it came from."""
    status = Path("/proc/self/status").read_text().splitlines()
    peak_kib = next(line.split()[1] for line in status if line.startswith("VmHWM:"))
    return int(peak_kib) / 1024**2


if __name__ == "__main__":
    main()
