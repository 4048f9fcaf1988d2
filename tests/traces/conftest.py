"""Fixtures of the traces room's tests."""

from types import SimpleNamespace

import pytest

from traces import store


@pytest.fixture(scope="module")
def without_rollups():
    """Publish without the sums over periods: they have their own tests and take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        nothing = SimpleNamespace(NAMES=(), write=lambda *_: None, write_cluster=lambda *_, **__: None)
        patch.setattr(store, "rollups", nothing, raising=False)
        yield
