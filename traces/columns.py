"""Which source column is which canonical column."""

from collections.abc import Iterable, Mapping

from traces import schema
from traces.errors import TraceError
from traces.source_table import SourceTable

ALIASES = {"duration": "duration_s"}
"""Names that are taken for a canonical column without a map."""

NOWHERE = ""
"""Stands for the source of a canonical column that is not to be taken from the file."""

SERIES_COLUMNS = ("time", "used", "total")


def column_map(pairs: Iterable[str], canonical: tuple[str, ...] = schema.SOURCE_COLUMNS) -> dict[str, str]:
    """``canonical=source`` texts as {canonical: source}; TraceError for anything else.

    ``canonical=`` is `NOWHERE`.
    """
    result: dict[str, str] = {}
    for pair in pairs:
        name, equals, source = (part.strip() for part in pair.partition("="))
        name = ALIASES.get(name, name)
        if not (name and equals):
            raise TraceError(
                f"--map {pair!r} is not of the form canonical=source, e.g. submit_time=timestamp, or "
                "canonical= for a column that is not to be taken."
            )
        if name not in canonical:
            raise TraceError(f"--map {pair!r}: {name!r} is not a canonical column ({', '.join(canonical)}).")
        if name in result:
            raise TraceError(f"--map gives {name} twice ({result[name]!r} and {source!r}): keep one.")
        result[name] = source
    return result


def own_names(names: Iterable[str], canonical: tuple[str, ...] = schema.SOURCE_COLUMNS) -> dict[str, str]:
    """{canonical: source} of the columns that are called like a canonical one, or by an alias of it."""
    result: dict[str, str] = {}
    for source in names:
        name = ALIASES.get(source, source)
        if name in canonical:
            result.setdefault(name, source)
    return result


def resolved(
    table: SourceTable, mapped: Mapping[str, str], canonical: tuple[str, ...] = schema.SOURCE_COLUMNS
) -> dict[str, str]:
    """{canonical: source} for every canonical column that the table has: by the map, else by its own name.

    A source column that is mapped is not also taken by its own name, and a canonical column that is mapped to
    `NOWHERE` is not taken at all. Raises TraceError for a mapped column that is not in the file.
    """
    for name, source in mapped.items():
        if source != NOWHERE and source not in table.columns:
            raise TraceError(
                f"{table.source.name} has no column {source!r} to map {name} to "
                f"(columns found: {table.found()})."
            )
    free = [column for column in table.columns if column not in mapped.values()]
    found = own_names(free, canonical) | dict(mapped)
    return {name: source for name, source in found.items() if source != NOWHERE}


def require(table: SourceTable, columns: Mapping[str, str], needed: Iterable[str]) -> None:
    """TraceError, naming the first of the `needed` columns that is missing and what the file has instead."""
    for name in needed:
        if name not in columns:
            lack = (
                "has no GPU accounting: no column gpu_num" if name == "gpu_num" else f"has no column {name}"
            )
            raise TraceError(
                f"{table.source.name} {lack}; map one with --map {name}=COLUMN "
                f"(columns found: {table.found()})."
            )
