"""A search for jobs as visitors write it: in the address, and as the grid's filters and order.

The address says ``?user=ann&state=failed&gpu_num=8..&duration_s=..3600&sort=-duration_s`` behind the page's
filters: texts that a column contains, ranges of numbers with either end open, a column and its direction.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from components.filters import FilterError
from pages.identities import real_names
from queries.search import NUMBER_COLUMNS, SORT_COLUMNS, TEXT_COLUMNS, Search

#: ``user`` is the shown name; what it stands for is resolved when the jobs are asked for.
TEXTS = ("user", *TEXT_COLUMNS)
NEWEST_FIRST = ("submit_time", True)


@dataclass(frozen=True)
class Wanted:
    """Texts by column, ranges by column (least, most; None is open), the column to sort by and its way."""

    texts: tuple[tuple[str, str], ...] = ()
    ranges: tuple[tuple[str, float | None, float | None], ...] = ()
    sort: str = NEWEST_FIRST[0]
    descending: bool = NEWEST_FIRST[1]

    def query_string(self) -> str:
        """The keys of the address, ``""`` where everything is wanted, newest first; no leading mark."""
        pairs = [*self.texts, *((name, f"{_plain(low)}..{_plain(high)}") for name, low, high in self.ranges)]
        if (self.sort, self.descending) != NEWEST_FIRST:
            pairs.append(("sort", f"{'-' if self.descending else ''}{self.sort}"))
        return "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs)

    def grid_filters(self) -> dict[str, Any]:
        """The same as AG Grid's filter model."""
        model: dict[str, Any] = {
            name: {"filterType": "text", "type": "contains", "filter": text} for name, text in self.texts
        }
        for name, low, high in self.ranges:
            kind = (
                "inRange"
                if None not in (low, high)
                else "lessThanOrEqual"
                if low is None
                else "greaterThanOrEqual"
            )
            first = high if low is None else low
            model[name] = {"filterType": "number", "type": kind, "filter": first}
            model[name] |= {"filterTo": high} if kind == "inRange" else {}
        return model

    def search(self, trace: str) -> Search:
        """What to ask of a trace."""
        texts = dict(self.texts)
        user = texts.pop("user", None)
        users = None if user is None else tuple(real_names(user, trace))
        return Search(tuple(texts.items()), self.ranges, users, self.sort, self.descending)


def from_query(query: Mapping[str, Any]) -> Wanted:
    """What an address wants; other keys are ignored.

    Raises:
        FilterError: a range that is none, an order by no column.
    """
    given = {
        name: str(value[0] if isinstance(value, list) else value) for name, value in query.items() if value
    }
    sort = given.get("sort", f"-{NEWEST_FIRST[0]}")
    if sort.removeprefix("-") not in SORT_COLUMNS:
        raise FilterError(f"Jobs cannot be sorted by “{sort.removeprefix('-')}”.")
    return Wanted(
        tuple((name, given[name]) for name in TEXTS if name in given),
        tuple((name, *_range(name, given[name])) for name in NUMBER_COLUMNS if name in given),
        sort.removeprefix("-"),
        sort.startswith("-"),
    )


def from_grid(request: Mapping[str, Any]) -> Wanted:
    """What the grid asks for; conditions that it cannot express here are ignored."""
    model = request.get("filterModel") or {}
    order = (request.get("sortModel") or [{}])[0]
    texts = tuple(
        (name, str(model[name]["filter"])) for name in TEXTS if name in model and model[name].get("filter")
    )
    ranges = tuple((name, *_grid_range(model[name])) for name in NUMBER_COLUMNS if name in model)
    return Wanted(
        texts,
        tuple(each for each in ranges if each[1:] != (None, None)),
        order.get("colId", NEWEST_FIRST[0]),
        order.get("sort", "desc") == "desc",
    )


def _grid_range(condition: Mapping[str, Any]) -> tuple[float | None, float | None]:
    first, kind = condition.get("filter"), condition.get("type")
    if kind == "inRange":
        return first, condition.get("filterTo")
    return (first if kind != "lessThanOrEqual" else None), (first if kind != "greaterThanOrEqual" else None)


def _range(name: str, text: str) -> tuple[float | None, float | None]:
    low, dots, high = text.partition("..")
    try:
        ends = tuple(float(end) if end else None for end in (low, high if dots else low))
    except ValueError:
        ends = (math.nan, None)
    if any(end is not None and not math.isfinite(end) for end in ends) or ends == (None, None):
        raise FilterError(f"“{text}” is not a range for “{name}”; write it as 4..8, 4.. or ..8.")
    return ends


def _plain(end: float | None) -> str:
    return "" if end is None else f"{end:.15g}"
