"""The outcome of every row of a source: kept, kept with flags, or rejected with its line and one reason."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from traces.report import EXAMPLES, Rejection
from traces.source_table import SourceTable

Mask = npt.NDArray[np.bool_]


class Ledger:
    """Book of the rows of one source table. The first reason to reject a row is its reason."""

    def __init__(self, table: SourceTable) -> None:
        self.table = table
        self._reason = np.full(table.cells.num_rows, -1, dtype=np.int16)
        self._reasons: list[str] = []
        self._examples: list[Rejection] = []
        self._flags: dict[str, Mask] = {}

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
        for index in np.flatnonzero(new)[:EXAMPLES]:
            self._examples.append(Rejection(int(self.table.line[index]), reason, str(text.iloc[index])[:200]))

    def flag(self, doubtful: Mask | pd.Series, reason: str) -> None:
        """Flag the rows of the mask; a row may carry several flags."""
        mask = np.asarray(doubtful, dtype=bool)
        self._flags[reason] = self._flags[reason] | mask if reason in self._flags else mask

    def flagged(self) -> dict[str, int]:
        """Kept rows by flag."""
        counts = {name: int((mask & self.kept).sum()) for name, mask in self._flags.items()}
        return {name: count for name, count in counts.items() if count}

    def rejected(self) -> dict[str, int]:
        """Rejected rows by reason, malformed ones included."""
        counts: dict[str, int] = {}
        for rejection in self.table.malformed:
            counts[rejection.reason] = counts.get(rejection.reason, 0) + 1
        for code, reason in enumerate(self._reasons):
            counts[reason] = counts.get(reason, 0) + int((self._reason == code).sum())
        return counts

    def examples(self) -> tuple[Rejection, ...]:
        """The first rejected rows by line."""
        rejections = [*self.table.malformed[:EXAMPLES], *self._examples]
        return tuple(sorted(rejections, key=lambda rejection: rejection.line)[:EXAMPLES])

    def flag_lists(self) -> pd.Series:
        """The flags of each kept row as a list of text."""
        names = list(self._flags)
        rows = int(self.kept.sum())
        matrix = np.array([self._flags[name][self.kept] for name in names], dtype=bool).reshape(-1, rows).T
        offsets = pa.array(np.append(0, np.cumsum(matrix.sum(axis=1))), pa.int32())
        words = pa.array(names, pa.string()).take(pa.array(np.nonzero(matrix)[1], pa.int64()))
        return pd.Series(pd.arrays.ArrowExtensionArray(pa.ListArray.from_arrays(offsets, words)))
