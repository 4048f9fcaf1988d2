"""Cells of a clean CSV file as times, numbers and words at once, without a text for each of them.

Arrow's own parsers read less than `traces.readings` does, and what they read they read in the same way. One
cell that they refuse, and all cells are read as texts instead, by the rules of `traces.readings`.
"""

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from traces.readings import MISSING
from traces.schema import TIMESTAMP

TIME, NUMBER, WORD = TIMESTAMP, pa.float64(), pa.dictionary(pa.int32(), pa.string())
"""Types that a column may be asked for; words are texts of which there are few different ones.

A missing time or number loses its spelling, so a column whose missing cells are errors is to be read as text
where it has any.
"""

BLOCK_BYTES = 1 << 24
_MISSING = sorted(
    {form(word) for word in MISSING for form in (str, str.upper, str.capitalize)} | {"NaN", "NaT"}
)


def read_csv(
    body: pa.NativeFile,
    names: Iterable[str],
    delimiter: str,
    *,
    quoted: bool,
    types: Mapping[str, pa.DataType],
) -> pa.Table:
    """The rows of `body`, which has no header, under `names`; columns without a type are texts.

    Raises pyarrow.ArrowInvalid for a row of another width and for a cell that is not of its column's type.
    """
    names = list(names)
    keys = [str(place) for place in range(len(names))]
    wanted = {key: types.get(name, pa.string()) for key, name in zip(keys, names, strict=True)}
    cells = pa.csv.read_csv(
        body,
        read_options=pa.csv.ReadOptions(column_names=keys, block_size=BLOCK_BYTES),
        parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=quoted),
        convert_options=pa.csv.ConvertOptions(column_types=wanted, null_values=_MISSING),
    )
    return cells.rename_columns(names)


def is_faithful(cells: pa.Table) -> bool:
    """Whether the types lose nothing that a report would show: the text of a cell that is in error.

    Infinite numbers and a NaN that is not spelled as a missing one are errors.
    """
    numbers = [column for column in cells.itercolumns() if pa.types.is_floating(column.type)]
    return not any(pc.any(pc.invert(pc.is_finite(column))).as_py() for column in numbers)
