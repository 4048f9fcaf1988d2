"""The first position from which on a condition holds, found with few questions and checked around it."""

from collections.abc import Callable
from dataclasses import dataclass

CHECKED = 3
"""Positions on either side of the answer that are asked as well."""


@dataclass(frozen=True)
class Found:
    """``position`` None: the condition does not hold even at the last one.

    ``monotone`` says that of all positions asked those below it fail and the others hold; where it is false
    ``position`` is the first one from which on all that were asked hold. ``asked``: every answer.
    """

    position: int | None
    monotone: bool
    asked: dict[int, bool]


def first_that_holds(holds: Callable[[int], bool], first: int, last: int, start: int, step: int = 1) -> Found:
    """Search [first, last] for the smallest position at which ``holds``, taken to be monotone.

    From ``start`` it goes out in doubling steps until the answer lies between two positions, then bisects.
    """
    asked: dict[int, bool] = {}

    def at(position: int) -> bool:
        if position not in asked:
            asked[position] = holds(position)
        return asked[position]

    low, high = _bracket(at, first, last, min(max(start, first), last), step)
    if high > last:
        return Found(None, True, asked)
    while True:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if at(middle) else (middle, high)
        for near in range(max(first, high - CHECKED), min(last, high + CHECKED) + 1):
            at(near)
        low = max((place for place, held in asked.items() if not held), default=first - 1)
        after = [place for place in asked if place > low]
        if not after:
            return Found(None, False, asked)
        high = min(after)
        if high - low == 1:
            monotone = all(held == (place >= high) for place, held in asked.items())
            return Found(high, monotone, asked)


def _bracket(holds: Callable[[int], bool], first: int, last: int, start: int, step: int) -> tuple[int, int]:
    """A position that fails (or first − 1) and a later one that holds (or last + 1)."""
    if holds(start):
        high = start
        while high > first:
            low = max(high - step, first)
            if not holds(low):
                return low, high
            high, step = low, 2 * step
        return first - 1, first
    low = start
    while low < last:
        high = min(low + step, last)
        if holds(high):
            return low, high
        low, step = high, 2 * step
    return last, last + 1
