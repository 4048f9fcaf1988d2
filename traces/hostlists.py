"""Slurm host lists: ``a[01-02],b03,rack[0-1]_blade[0-1]`` names nodes, brackets multiply."""

import itertools
import math
import re
from collections.abc import Iterator

LARGEST = 100_000
"""More nodes than this in one list are damage, not a cluster."""

_COMMA_OUTSIDE_BRACKETS = re.compile(r",(?![^\[\]]*\])")
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?", re.ASCII)
_NONE = ("", "none assigned", "none", "unknown", "n/a", "(null)")


def size(text: str) -> int | None:
    """How many nodes a host list names; None where it says that there are none.

    Raises ValueError for a text that is no host list, or one of more than `LARGEST` nodes.
    """
    if text.strip().lower() in _NONE:
        return None
    total = sum(math.prod(len(part) for part in _parts(host)) for host in _hosts(text))
    return _bounded(total, text)


def nodes(text: str) -> list[str]:
    """The node names of a host list in its order, none where it says so; errors as for `size`."""
    if size(text) is None:
        return []
    return ["".join(combination) for host in _hosts(text) for combination in itertools.product(*_parts(host))]


def _hosts(text: str) -> list[str]:
    return [host.strip() for host in _COMMA_OUTSIDE_BRACKETS.split(text) if host.strip()]


class _Numbers:
    """Zero-padded numbers of one bracket."""

    def __init__(self, body: str) -> None:
        self.ranges: list[tuple[int, int, int]] = []
        for piece in body.split(","):
            found = _RANGE.fullmatch(piece.strip())
            if found is None or len(found[0]) > 40:
                raise ValueError(body)
            first, last = found[1], found[2] or found[1]
            if int(last) < int(first):
                raise ValueError(body)
            self.ranges.append((int(first), int(last), len(first)))

    def __len__(self) -> int:
        return _bounded(sum(last - first + 1 for first, last, _ in self.ranges), "")

    def __iter__(self) -> Iterator[str]:
        for first, last, width in self.ranges:
            yield from (f"{number:0{width}d}" for number in range(first, last + 1))


def _parts(host: str) -> list[_Numbers | tuple[str]]:
    """Fixed texts (as tuples of one) and brackets of one host."""
    parts: list[_Numbers | tuple[str]] = []
    at = 0
    for found in _PART.finditer(host):
        if found.start() != at:
            raise ValueError(host)
        at = found.end()
        parts.append((found[2],) if found[1] is None else _Numbers(found[1]))
    if at != len(host):
        raise ValueError(host)
    return parts


def _bounded(number: int, text: str) -> int:
    if number > LARGEST:
        raise ValueError(f"more than {LARGEST} nodes {text[:80]}")
    return number
