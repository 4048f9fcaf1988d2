"""Fixtures that every room's tests may use."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the repository; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "golden").is_dir():
        pytest.skip("reference material is not at ../shared")
    return folder
