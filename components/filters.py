"""The choice that a page shows: one frozen value, written in the page's address and read back from it.

The address says ``?trace=Helios&cluster=Venus&cluster=Earth&vc=vcvGl&from=2020-09-01&to=2020-09-27`` with the
meaning of the command line: days of the trace's time zone, ``from`` included, ``to`` not. What is left out
means everything. ``queryString`` in ``assets/heliograph.js`` writes the same string; a browser test compares
the two.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

#: What encodeURIComponent leaves alone.
_SAFE = "-_.!~*'()"
ONE_DAY = timedelta(days=1)
#: Years in which a trace can have days.
FIRST_YEAR, LAST_YEAR = 1900, 2200
#: Letters of a visitor's text that a sentence repeats.
REPEATED = 60


class FilterError(ValueError):
    """An address that chooses something impossible; its text is one sentence for the visitor."""


@dataclass(frozen=True)
class Filters:
    """A trace, its chosen clusters and VCs (none means all), and the first and last included local day."""

    trace: str | None = None
    clusters: tuple[str, ...] = ()
    vcs: tuple[str, ...] = ()
    first_day: date | None = None
    last_day: date | None = None

    def query_string(self) -> str:
        """The canonical query string, ``""`` where nothing is chosen."""
        pairs = [("trace", self.trace)] if self.trace else []
        pairs += [("cluster", cluster) for cluster in sorted(self.clusters)]
        pairs += [("vc", vc) for vc in sorted(self.vcs)]
        pairs += [("from", self.first_day.isoformat())] if self.first_day else []
        pairs += [("to", (self.last_day + ONE_DAY).isoformat())] if self.last_day else []
        text = "&".join(f"{key}={quote(str(value), safe=_SAFE)}" for key, value in pairs)
        return f"?{text}" if text else ""

    def to_json(self) -> dict[str, Any]:
        """The value as the browser keeps it: lists and ISO days."""
        plain = asdict(self)
        plain |= {name: list(plain[name]) for name in ("clusters", "vcs")}
        return plain | {name: plain[name] and plain[name].isoformat() for name in ("first_day", "last_day")}


def from_query(query: Mapping[str, Any]) -> Filters:
    """The choice that an address makes; other keys of the query are ignored.

    Raises:
        FilterError: a day is not a date.
    """
    last = _day(query, "to")
    return Filters(
        trace=next(iter(_texts(query.get("trace"))), None),
        clusters=tuple(sorted(set(_texts(query.get("cluster"))))),
        vcs=tuple(sorted(set(_texts(query.get("vc"))))),
        first_day=_day(query, "from"),
        last_day=last and last - ONE_DAY,
    )


def from_json(data: Mapping[str, Any] | None) -> Filters:
    """The choice that the browser keeps."""
    data = data or {}
    return Filters(
        trace=data.get("trace"),
        clusters=tuple(data.get("clusters") or ()),
        vcs=tuple(data.get("vcs") or ()),
        first_day=_day(data, "first_day"),
        last_day=_day(data, "last_day"),
    )


def shortened(text: str) -> str:
    """What a sentence repeats of a text that a visitor wrote."""
    return text if len(text) <= REPEATED else f"{text[:REPEATED]}…"


def _texts(value: Any) -> list[str]:
    """What is written behind a key; what is blank is not given."""
    return [str(each) for each in (value if isinstance(value, list) else [value]) if each not in (None, "")]


def _day(query: Mapping[str, Any], key: str) -> date | None:
    text = (_texts(query.get(key)) or [""])[0]
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise FilterError(f"“{shortened(text)}” is not a day for “{key}”; write it as 2020-09-01.")
    return day
