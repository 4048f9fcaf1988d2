"""What an import did with every row it read."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from traces.clock import iso

EXAMPLES = 20
"""Rejected rows that a report shows; the counts are of all of them."""


@dataclass(frozen=True)
class Source:
    """A file that an import read: its name, size in bytes and SHA-256."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Rejection:
    """A row that was not kept: its 1-based line in the file, the reason, and the text that is wrong."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True)
class Report:
    """Counts of one import: read = kept + rejected; a kept row may carry several flags.

    `first_submit` and `last_submit` are naive UTC and None when nothing was kept; a node series gives its
    first and last time. `notes` are sentences for the operator.
    """

    rows_read: int
    rows_kept: int
    rows_flagged: dict[str, int] = field(default_factory=dict)
    rows_rejected: dict[str, int] = field(default_factory=dict)
    rejected_examples: tuple[Rejection, ...] = ()
    first_submit: pd.Timestamp | None = None
    last_submit: pd.Timestamp | None = None
    notes: tuple[str, ...] = ()

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
            "rejected_examples": [vars(example) for example in self.rejected_examples],
            "first_submit": None if self.first_submit is None else iso(self.first_submit),
            "last_submit": None if self.last_submit is None else iso(self.last_submit),
            "notes": list(self.notes),
        }
