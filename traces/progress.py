"""How far an import has come, for whoever wants to hear it: nobody does unless `heard_by` says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float, str], None]
"""Takes the share that is done, from 0 to 1, and what is being done."""

READING = 0.9
"""Share of an import that is over when all is read; a cluster is written while the next one is read."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within the block, in this thread, what is told goes to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(done: float, step: str) -> None:
    """Say that `step` has begun and the share `done` of the whole is behind."""
    listener = _listener.get()
    if listener is not None:
        listener(min(max(done, 0.0), 1.0), step)
