"""A step of capacity as text: a factor of every VC's nodes, or nodes more or fewer."""

import math

from runs.errors import RunError

LARGEST_FACTOR = 100.0
MOST_NODES = 100_000


def checked_step(step: str) -> tuple[str, float]:
    """``x`` and the factor of a step such as ``x1.2``, or ``+`` and the nodes of ``+3`` or ``-1``.

    Raises RunError for another form or a number out of range.
    """
    kind = "x" if step.startswith("x") else "+"
    try:
        number = float(step[1:]) if kind == "x" else float(int(step))
    except ValueError:
        number = math.nan
    known = step[:1] in ("x", "+", "-")
    if known and (0 < number <= LARGEST_FACTOR if kind == "x" else abs(number) <= MOST_NODES):
        return kind, number
    raise RunError(
        f"A step of capacity is a factor of every VC's nodes, such as x1.2 (at most x{LARGEST_FACTOR:g}), or "
        f"nodes more or fewer, such as +3 or -1; not {step!r}."
    )
