"""The real server and a real worker, on data of their own."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import settings
from tests.browser.conftest import write_data
from tests.browser.server import ROOT, STOP_S, serving

#: Long enough that a run which a test has only recorded stays as it is.
LOST_AFTER_S = "120"


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the server and the worker."""
    data = tmp_path_factory.mktemp("what-ifs")
    write_data(data)
    return data


@pytest.fixture(scope="package")
def address(folder: Path) -> Iterator[str]:
    """The address of a running server beside which a worker works."""
    with working(folder), serving(folder) as served:
        yield served


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The data folder, for this process too."""
    monkeypatch.setenv("HELIOGRAPH_DATA", str(folder))
    settings.current.cache_clear()
    yield folder
    settings.current.cache_clear()


@contextlib.contextmanager
def working(data: Path, **knobs: str) -> Iterator[None]:
    """A worker over ``data``; ``knobs`` are settings by name."""
    environment = {**os.environ, "HELIOGRAPH_DATA": str(data), "HELIOGRAPH_RUN_LOST_AFTER_S": LOST_AFTER_S}
    environment |= {f"HELIOGRAPH_{name}": value for name, value in knobs.items()}
    with (data / "worker.log").open("w") as output:
        command = [sys.executable, "-m", "cli", "worker"]
        worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(STOP_S)
