"""The values of a sweep's axis from text: numbers, and ranges of them."""

import math
from collections.abc import Sequence

from runs.errors import RunError

MOST_VALUES = 1_000


def values_of(texts: Sequence[str]) -> tuple[float, ...]:
    """The numbers that the texts name, each once: ``1.5``, or ``0.5:1.5:0.25`` with both ends.

    Raises RunError for another form.
    """
    values = [value for text in texts for value in _values(text)]
    return tuple(dict.fromkeys(values))


def _values(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and math.isfinite(numbers[0]):
        return numbers
    if len(numbers) == 3 and all(map(math.isfinite, numbers)):
        first, last, step = numbers
        count = math.floor((last - first) / step + 1e-9) + 1 if step > 0 else 0
        if 1 <= count <= MOST_VALUES:
            return [round(first + at * step, 9) for at in range(count)]
    raise RunError(f"{text!r} is neither a number nor a range such as 0.5:1.5:0.25 (from, to, step).")
