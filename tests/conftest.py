"""Fixtures that every room's tests may use."""

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pandas as pd
import pytest

import settings

# How long an example takes says how busy the machine is, not whether the property holds.
hypothesis.settings.register_profile(
    "heliograph", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("heliograph")

ROOT = Path(__file__).resolve().parents[1]
#: What takes longest, so that no worker is left with it while the others have nothing to do.
FIRST = ("tests/test_containers.py", "tests/scheduling/test_kernels.py", "tests/browser/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first, all others as they come."""
    items.sort(
        key=lambda item: next(
            (at for at, name in enumerate(FIRST) if item.nodeid.startswith(name)), len(FIRST)
        )
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the repository; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "golden").is_dir():
        pytest.skip("reference material is not at ../shared")
    return folder


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data folder that this process and its children use."""
    from runs import queue

    folder = tmp_path / "data"
    monkeypatch.setenv("HELIOGRAPH_DATA", str(folder))
    monkeypatch.setenv("HELIOGRAPH_RUN_LOST_AFTER_S", "2")
    for cached in (settings.current, queue.queue, queue.task):
        cached.cache_clear()
    yield folder
    for cached in (settings.current, queue.queue, queue.task):
        cached.cache_clear()


@pytest.fixture
def small_trace(data_folder: Path) -> str:
    """A published trace `small`: cluster C, a busy VC of one node and an idle one of two. Its name."""
    from traces import csv_table, store

    minutes = range(0, 3 * 24 * 60, 30)
    jobs = pd.DataFrame(
        {
            "job_id": [str(at) for at in minutes],
            "user": [f"u{at % 3}" for at in minutes],
            "vc": ["idle" if at % 120 else "busy" for at in minutes],
            "gpu_num": [1 + (at // 30) % 8 for at in minutes],
            "submit_time": [
                f"2020-04-{1 + at // 1440:02} {at // 60 % 24:02}:{at % 60:02}:00" for at in minutes
            ],
            "duration_s": [600 + 300 * (at % 7) for at in minutes],
        }
    )
    file, capacity = data_folder.parent / "jobs.csv", data_folder.parent / "nodes.csv"
    jobs.to_csv(file, index=False)
    capacity.write_text("vc,nodes\nbusy,1\nidle,2\n")
    read = csv_table.read(file, "C", "Asia/Shanghai", capacity=capacity)
    store.publish(data_folder, "small", "Asia/Shanghai", [read])
    return "small"
