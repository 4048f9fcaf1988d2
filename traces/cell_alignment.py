"""Which cells belong to which column where a free text holds the delimiter: the columns' shapes decide."""

from collections.abc import Sequence
from functools import cache

from traces import sacct_fields

MOST_EXTRA_CELLS = 200
"""A row with more cells too many than this is not repaired."""


def aligned(pieces: Sequence[str], fields: Sequence[str], delimiter: str) -> list[str] | None:
    """The pieces of a row, split at every delimiter, as one cell per field.

    A free text (and, where the comma is the delimiter, a list) may take several pieces; all other cells must
    have their field's shape. None where the row fits in no way, or in more than one.
    """
    extra = len(pieces) - len(fields)
    if not 0 <= extra <= MOST_EXTRA_CELLS:
        return None
    spanning = [
        field in sacct_fields.FREE or (delimiter == "," and field in sacct_fields.LISTS) for field in fields
    ]
    last = len(fields) - 1

    @cache
    def ways(field: int, taken: int) -> tuple[int, int]:
        """Ways (2 stands for many) to fill the columns from `field` on when `taken` extra pieces are used up
        before it, and how many extra pieces the column takes in the first of them."""
        if field > last:
            return (1, 0) if taken == extra else (0, 0)
        found, first = 0, 0
        most = extra - taken if spanning[field] else 0
        for more in range(most + 1) if field < last else (most,):
            begin = field + taken
            cell = delimiter.join(pieces[begin : begin + 1 + more])
            if not sacct_fields.fits(fields[field], cell):
                continue
            further, _ = ways(field + 1, taken + more)
            if further and not found:
                first = more
            found += further
            if found > 1:
                return 2, first
        return found, first

    if ways(0, 0)[0] != 1:
        return None
    cells, taken = [], 0
    for field in range(len(fields)):
        more = ways(field, taken)[1]
        cells.append(delimiter.join(pieces[field + taken : field + taken + 1 + more]))
        taken += more
    return cells
