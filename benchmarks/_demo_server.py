"""The demo trace that pages are measured on, and the real server over it."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_S = 60.0


@contextlib.contextmanager
def data_folder() -> Iterator[Path]:
    """A data folder with the trace `demo`: `HELIOGRAPH_BENCH_DATA`, or one of `HELIOGRAPH_BENCH_SCALE`."""
    given = os.environ.get("HELIOGRAPH_BENCH_DATA")
    with tempfile.TemporaryDirectory() as made:
        if given:
            yield Path(given)
            return
        from commands import demo

        demo.make(Path(made), scale=float(os.environ.get("HELIOGRAPH_BENCH_SCALE", "0.1")))
        yield Path(made)


@dataclass(frozen=True)
class Served:
    """A running server: the overview's address, and the process above its workers."""

    address: str
    process: int

    def worker_mib(self) -> float:
        """Resident memory of the largest web worker, in MiB."""
        return max(_resident_mib(worker) for worker in self._workers())

    def worker_cpu_s(self) -> float:
        """CPU time of all web workers until now."""
        return sum(_cpu_s(worker) for worker in self._workers())

    def _workers(self) -> list[int]:
        (gunicorn,) = _children(self.process)
        return _children(gunicorn)


@contextlib.contextmanager
def serving(data: Path) -> Iterator[Served]:
    """`heliograph serve` over ``data`` as in production, two web workers, without the worker of the queue."""
    port = _free_port()
    knobs = {"HELIOGRAPH_DATA": str(data), "HELIOGRAPH_PORT": str(port), "HELIOGRAPH_WEB_WORKERS": "2"}
    address = f"http://127.0.0.1:{port}/"
    server = subprocess.Popen(
        [sys.executable, "-m", "cli", "serve", "--no-worker"],
        cwd=ROOT,
        env={**os.environ, **knobs},
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(server, f"{address}health")
        yield Served(address, server.pid)
    finally:
        server.terminate()
        server.wait(30)


def _wait(server: "subprocess.Popen[bytes]", health: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        with (
            contextlib.suppress(urllib.error.URLError, ConnectionError),
            urllib.request.urlopen(health, timeout=5),
        ):
            return
        time.sleep(0.2)
    raise RuntimeError("the server did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _children(process: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{process}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def _resident_mib(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
