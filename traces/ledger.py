"""The outcome of every row of a source: kept, kept with flags, or rejected with its line and one reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from traces.report import EXAMPLES, Rejection
from traces.source_table import SourceTable

Mask = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
_NONE: Integers = np.array([], dtype=np.int64)

LONGEST_TEXT = 200
"""Characters of a rejected row that are kept."""


@dataclass(frozen=True)
class Findings:
    """What a format knows about rows before their cells are read: masks over the table's rows, by reason.

    `texts` is what a rejected row shows as wrong, one text per row.
    """

    texts: pd.Series | None = None
    rejected: Mapping[str, Mask] = field(default_factory=dict)
    flagged: Mapping[str, Mask] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Ledger:
    """Book of the rows of one source table. The first reason to reject a row is its reason."""

    def __init__(self, table: SourceTable, findings: Findings | None = None) -> None:
        self.table = table
        self._reason = np.full(len(table.row), -1, dtype=np.int16)
        self._reasons: list[str] = []
        self._rejections: list[pd.DataFrame] = []
        self._flags: dict[str, Mask | None] = {}  # None where no row has it so far
        if findings is not None and findings.texts is not None:
            for reason, mask in findings.rejected.items():
                self.reject(mask, reason, findings.texts)
            for reason, mask in findings.flagged.items():
                self.flag(mask, reason)

    @property
    def kept(self) -> Mask:
        """Rows that nothing has rejected so far."""
        return self._reason < 0

    def reject(self, wrong: Mask | pd.Series, reason: str, text: pd.Series) -> None:
        """Reject the rows of the mask that are still kept; `text` is what the row says in the wrong place."""
        new = np.asarray(wrong, dtype=bool) & self.kept
        if not new.any():
            return
        self._reason[new] = len(self._reasons)
        self._reasons.append(reason)
        texts = text[new].astype("str").str.slice(0, LONGEST_TEXT).to_numpy(dtype=object)
        self._rejections.append(pd.DataFrame({"line": self.table.line[new], "reason": reason, "text": texts}))

    def flag(self, doubtful: Mask | pd.Series, reason: str) -> None:
        """Flag the rows of the mask; a row may carry several flags."""
        mask = np.asarray(doubtful, dtype=bool)
        known = self._flags.setdefault(reason, None)
        if mask.any():
            self._flags[reason] = mask if known is None else known | mask

    def flagged(self) -> dict[str, int]:
        """Kept rows by flag."""
        counts = {name: int((mask & self.kept).sum()) for name, mask in self._marked().items()}
        return {name: count for name, count in counts.items() if count}

    def rejected(self) -> dict[str, int]:
        """Rejected rows by reason, malformed ones included."""
        counts: dict[str, int] = {}
        for rejection in self.table.malformed:
            counts[rejection.reason] = counts.get(rejection.reason, 0) + 1
        for code, reason in enumerate(self._reasons):
            counts[reason] = counts.get(reason, 0) + int((self._reason == code).sum())
        return counts

    def rejected_at(self, reason: str) -> Integers:
        """Positions of the rows that were rejected for `reason`, among the rows of the table."""
        return (
            np.flatnonzero(self._reason == self._reasons.index(reason)) if reason in self._reasons else _NONE
        )

    def examples(self) -> tuple[Rejection, ...]:
        """The first rejected rows of each reason, `EXAMPLES` in all at most, by line."""
        rejections = self.rejections()
        if rejections.empty:
            return ()
        each = max(1, EXAMPLES // rejections["reason"].nunique())
        first = rejections.groupby("reason", sort=False).head(each).head(EXAMPLES)
        return tuple(
            Rejection(int(line), str(reason), str(text))
            for line, reason, text in first.to_numpy(dtype=object)
        )

    def rejections(self) -> pd.DataFrame:
        """All rejected rows by line: line, reason, and the text that is wrong."""
        malformed = pd.DataFrame(
            [(each.line, each.reason, each.text) for each in self.table.malformed],
            columns=["line", "reason", "text"],
        )
        parts = [malformed, *self._rejections]
        everything = pd.concat([part for part in parts if len(part)] or [malformed], ignore_index=True)
        return everything.sort_values("line", kind="stable", ignore_index=True)

    def flag_lists(self) -> pd.Series:
        """The flags of each kept row as a list of text."""
        kept = self.kept
        rows = int(kept.sum())
        marked = self._marked()
        names = list(marked)
        matrix = np.array([mask[kept] for mask in marked.values()], dtype=bool).reshape(len(names), rows).T
        offsets = pa.array(np.append(0, np.cumsum(matrix.sum(axis=1))), pa.int32())
        words = pa.array(names, pa.string()).take(pa.array(np.nonzero(matrix)[1], pa.int64()))
        return pd.Series(pd.arrays.ArrowExtensionArray(pa.ListArray.from_arrays(offsets, words)))

    def _marked(self) -> dict[str, Mask]:
        return {name: mask for name, mask in self._flags.items() if mask is not None}
