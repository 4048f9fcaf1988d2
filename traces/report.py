"""What an import did with every row it read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import pandas as pd

from traces.clock import iso
from traces.coverage import Coverage
from traces.effects import Effect, Headline
from traces.errors import printable

EXAMPLES = 20
"""Rejected rows that a report shows; the counts are of all of them."""


@dataclass(frozen=True)
class Source:
    """A file that an import read: its name, size in bytes and SHA-256.

    `reading` says how its columns and times were taken. In a cluster to which files are added, a file of jobs
    carries its counts.
    """

    name: str
    bytes: int
    sha256: str
    reading: str = ""
    rows_read: int | None = None
    rows_rejected: dict[str, int] | None = None
    rejected_gpu_hours: dict[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", printable(self.name))

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Source":
        """The source that trace.json describes."""
        return cls(**{each.name: document[each.name] for each in fields(cls) if each.name in document})

    def document(self) -> dict[str, Any]:
        """The source as it stands in trace.json."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}

    def counted(self, report: "Report") -> "Source":
        """The source with the counts of what was read from it."""
        hours = {
            effect.reason: effect.gpu_hours
            for effect in report.effects
            if effect.outcome == "rejected" and effect.gpu_hours is not None
        }
        return replace(
            self,
            rows_read=report.rows_read,
            rows_rejected=dict(report.rows_rejected),
            rejected_gpu_hours=hours,
        )


@dataclass(frozen=True)
class Rejection:
    """A row that was not kept: its 1-based line in the file, the reason, and the text that is wrong.

    `source` names the file where an import reads several.
    """

    line: int
    reason: str
    text: str
    source: str = ""

    def document(self) -> dict[str, Any]:
        """The rejection as it stands in a report."""
        named = {"source": self.source} if self.source else {}
        return {"line": self.line, "reason": self.reason, "text": self.text} | named


@dataclass(frozen=True)
class Report:
    """Counts of one import: read = kept + rejected; a kept row may carry several flags.

    `first_submit` and `last_submit` are naive UTC and None when nothing was kept; a node series gives its
    first and last time. `timezone` is the zone in which local times of the source were read, None where each
    has an offset. `headline` and `effects` say what the rules do to jobs and GPU-hours. `notes` are sentences
    for the operator.
    """

    rows_read: int
    rows_kept: int
    rows_flagged: dict[str, int] = field(default_factory=dict)
    rows_rejected: dict[str, int] = field(default_factory=dict)
    rejected_examples: tuple[Rejection, ...] = ()
    first_submit: pd.Timestamp | None = None
    last_submit: pd.Timestamp | None = None
    notes: tuple[str, ...] = ()
    timezone: str | None = None
    coverage: Coverage = field(default_factory=Coverage)
    headline: Headline | None = None
    effects: tuple[Effect, ...] = ()

    def __post_init__(self) -> None:
        if self.rows_read != self.rows_kept + sum(self.rows_rejected.values()):
            raise AssertionError(f"rows of an import do not add up: {self}")

    def document(self) -> dict[str, Any]:
        """The report as it stands in trace.json and in ``--json`` output."""
        return {
            "rows_read": self.rows_read,
            "rows_kept": self.rows_kept,
            "rows_flagged": dict(self.rows_flagged),
            "rows_rejected": dict(self.rows_rejected),
            "rejected_examples": [example.document() for example in self.rejected_examples],
            "first_submit": None if self.first_submit is None else iso(self.first_submit),
            "last_submit": None if self.last_submit is None else iso(self.last_submit),
            "timezone": self.timezone,
            "gaps": self.coverage.document(),
            "headline": None if self.headline is None else asdict(self.headline),
            "effects": [effect.document() for effect in self.effects],
            "notes": list(self.notes),
        }


def combined(reports: Sequence[Report]) -> Report:
    """One report of several files of a cluster; gaps and effects on the whole are those of the sums."""
    if len(reports) == 1:
        return reports[0]
    firsts = [report.first_submit for report in reports if report.first_submit is not None]
    lasts = [report.last_submit for report in reports if report.last_submit is not None]
    return Report(
        rows_read=sum(report.rows_read for report in reports),
        rows_kept=sum(report.rows_kept for report in reports),
        rows_flagged=_summed([report.rows_flagged for report in reports]),
        rows_rejected=_summed([report.rows_rejected for report in reports]),
        rejected_examples=tuple(each for report in reports for each in report.rejected_examples)[:EXAMPLES],
        first_submit=min(firsts, default=None),
        last_submit=max(lasts, default=None),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        timezone=reports[-1].timezone,
        headline=_headlines(reports),
        effects=_effects(reports),
    )


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for each in counts:
        for reason, rows in each.items():
            total[reason] = total.get(reason, 0) + rows
    return total


def _headlines(reports: Sequence[Report]) -> Headline:
    parts = [report.headline for report in reports if report.headline is not None]
    return Headline(*(sum(vars(part)[each.name] for part in parts) for each in fields(Headline)))


def _effects(reports: Sequence[Report]) -> tuple[Effect, ...]:
    together: dict[tuple[str, str], Effect] = {}
    for report in reports:
        for new in report.effects:
            key = (new.outcome, new.reason)
            old = together.get(key, Effect(*key, 0, None))
            known = [hours for hours in (old.gpu_hours, new.gpu_hours) if hours is not None]
            together[key] = Effect(*key, old.rows + new.rows, sum(known) if known else None)
    return tuple(together.values())
