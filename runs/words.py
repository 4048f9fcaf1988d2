"""Counts and shares in the sentences of runs, as the pages write them."""


def plural(number: int, noun: str) -> str:
    """A count with its noun: no slot, 1 slot, 2,500 slots."""
    return f"{number or 'no'} {noun}" if number in (0, 1) else f"{number:,} {noun}s"


def percent(ratio: float) -> str:
    """A whole number of per cent; it and its sign stay on one line: 80 %."""
    return f"{100 * ratio:.0f}\u00a0%"
