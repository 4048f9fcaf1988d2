"""How far an import has come, for whoever wants to hear it: nobody does unless `heard_by` says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float, str], None]
"""Takes the share that is done, from 0 to 1, and what is being done."""

READING = 0.9
"""Share of an import that is over when all is read; a cluster is written while the next one is read."""
PARSED = 0.6
"""Share of the reading of a file that is over when its cells are in a table, before its columns are read."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_stretch: ContextVar[tuple[float, float]] = ContextVar("stretch", default=(0.0, 1.0))


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within the block, in this thread, what is told goes to `listener`, whose shares never shrink."""
    token = _listener.set(_only_forward(listener))
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def stretch(start: float, end: float) -> Iterator[None]:
    """Within the block, shares are of the stretch from `start` to `end` of what is around it."""
    first, last = _stretch.get()
    token = _stretch.set((first + start * (last - first), first + end * (last - first)))
    try:
        yield
    finally:
        _stretch.reset(token)


def tell(done: float, step: str) -> None:
    """Say that `step` has begun and the share `done` of the present stretch is behind."""
    teller()(done, step)


def teller() -> Listener:
    """What `tell` does here, for another thread."""
    listener, (first, last) = _listener.get(), _stretch.get()

    def say(done: float, step: str) -> None:
        if listener is not None:
            listener(first + min(max(done, 0.0), 1.0) * (last - first), step)

    return say


def _only_forward(listener: Listener) -> Listener:
    furthest = 0.0

    def say(done: float, step: str) -> None:
        nonlocal furthest
        furthest = max(furthest, done)
        listener(furthest, step)

    return say
