"""Cards about stored traces, kept as they were drawn: drawing takes longer than asking for the rows."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import settings
from queries import manifests

T = TypeVar("T")
#: Cards that one process keeps, those asked for last.
KEPT = 256
_kept: OrderedDict[Any, Any] = OrderedDict()
_lock = threading.Lock()
#: Many visitors open the same page at once: the second waits for what is drawn for the first.
_taking_turns = [threading.Lock() for _ in range(64)]


def card(name: str, choice: Mapping[str, Any], draw: Callable[[], T]) -> T:
    """What ``draw`` gives for a card and a choice, drawn anew when an import changes what is chosen.

    ``choice`` is what a page's store holds: filters, or two of them as ``one`` and ``other``. It must not be
    changed by whoever gets it. What cannot be drawn raises and is not kept.
    """
    versions = tuple(manifests.version(trace) for trace in _traces(choice))
    key = (name, json.dumps(choice, sort_keys=True), versions, settings.current())
    with _taking_turns[hash(key) % len(_taking_turns)]:
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]  # type: ignore[no-any-return]
        drawn = draw()
        with _lock:
            _kept[key] = drawn
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    return drawn


def _traces(choice: Mapping[str, Any]) -> list[str]:
    sides = [choice["one"], choice["other"]] if "one" in choice else [choice]
    return [side.get("trace") or manifests.default_name() or "" for side in sides]
