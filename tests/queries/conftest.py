"""A data folder of its own for each test of the queries."""

from pathlib import Path

import pytest

import settings
from queries import manifests, warehouse


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder that the queries read."""
    monkeypatch.setenv("HELIOGRAPH_DATA", str(tmp_path))
    settings.current.cache_clear()
    warehouse._remembered.cache_clear()
    manifests.read.cache_clear()
    yield tmp_path
    settings.current.cache_clear()
