"""The real server for the browser tests: gunicorn on a free port over a data folder."""

import contextlib
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_S = 120
STOP_S = 60
#: Below those of outgoing connections, one of which may take a port until a server listens on it.
PORTS = range(20_000, 30_000)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


@contextlib.contextmanager
def serving(data: Path, **knobs: str) -> Iterator[str]:
    """Serve ``data`` and give the overview's address; ``knobs`` are settings by name (``PREFIX="/x/"``)."""
    port = free_port()
    environment = {**os.environ, "HELIOGRAPH_DATA": str(data), "HELIOGRAPH_PORT": str(port)}
    environment |= {"HELIOGRAPH_WEB_WORKERS": "1"}
    environment |= {f"HELIOGRAPH_{name}": value for name, value in knobs.items()}
    address = f"http://127.0.0.1:{port}{knobs.get('PREFIX', '/')}"
    log = data / "gunicorn.log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py"]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        _wait(server, f"{address}health", log)
        yield address
    finally:
        server.terminate()
        server.wait(STOP_S)


def _wait(server: subprocess.Popen[bytes], health: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(health, timeout=5):
            return
        time.sleep(0.2)
    raise RuntimeError(f"the server did not start: {log.read_text()[-2000:]}")
