"""Capacity of virtual clusters: ``vc,nodes`` or ``vc,gpus``, or a table of GPUs per date and VC."""

import datetime
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from traces import readings
from traces.errors import TraceError
from traces.source_table import SourceTable, read_table


@dataclass(frozen=True)
class Capacity:
    """GPUs per VC: `rows` has vc (text), date (None for a capacity without dates) and gpus (int).

    A row holds from its local midnight until the VC's next row. `mismatched_totals` are the dates on
    which the file's ``total`` is not the sum of its VCs. `nodes` (node, gpus, gpu_type) are the machines
    where the file lists them, and `notes` sentences for the operator.
    """

    rows: pd.DataFrame
    mismatched_totals: tuple[str, ...] = ()
    nodes: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()

    @property
    def first_date(self) -> datetime.date | None:
        """The first date of the file, None for a capacity without dates (or without any row)."""
        undated = self.rows.empty or self.rows["date"].isna().any()
        return None if undated else self.rows["date"].min()

    def quota(self, first_day: datetime.date) -> pd.DataFrame:
        """The `quota` table (vc, date, gpus) for a trace whose first local day is `first_day`.

        A capacity without dates holds from that day; days before the first dated row use that row.
        """
        first_date = self.first_date
        if first_date is None:
            return self.rows.assign(date=first_day)
        if first_day >= first_date:
            return self.rows
        earlier = self.rows[self.rows["date"] == first_date].assign(date=first_day)
        return pd.concat([earlier, self.rows], ignore_index=True)


def read(path: Path, gpus_per_node: int = 8) -> Capacity:
    """The capacity in the file at `path`; TraceError, with line and column, for one that cannot be right."""
    return capacity_of(read_table(path), gpus_per_node)


def capacity_of(table: SourceTable, gpus_per_node: int = 8) -> Capacity:
    """The capacity in a table; errors as for `read`."""
    if table.malformed:
        bad = table.malformed[0]
        raise TraceError(f"{table.source.name}, line {bad.line}: {bad.text!r} has not the header's columns.")
    if table.columns[0].lower() == "date":
        return _dated(table)
    if "vc" in table.columns and ("gpus" in table.columns or "nodes" in table.columns):
        return _per_vc(table, gpus_per_node)
    raise TraceError(
        f"{table.source.name} is no capacity file: its columns must be vc,nodes or vc,gpus, or date and one "
        f"column of GPUs per VC (columns found: {table.found()})."
    )


def _per_vc(table: SourceTable, gpus_per_node: int) -> Capacity:
    column, factor = ("gpus", 1) if "gpus" in table.columns else ("nodes", gpus_per_node)
    vc = table.text("vc")
    _refuse(table, vc == "", vc, "the VC has no name")
    _refuse(table, vc.duplicated(), vc, "the VC is there twice")
    return Capacity(pd.DataFrame({"vc": vc, "date": None, "gpus": _whole(table, column) * factor}))


def _dated(table: SourceTable) -> Capacity:
    text = table.text(table.columns[0])
    dates = pd.to_datetime(text, format="%Y-%m-%d", errors="coerce")
    _refuse(table, dates.isna(), text, "the date is not of the form 2020-04-01")
    _refuse(table, dates.duplicated(), text, "the date is there twice")
    names = [name for name in table.columns[1:] if name and name != "total"]
    if not names:
        raise TraceError(f"{table.source.name} has dates and no column of a VC.")
    wide = pd.DataFrame({name: _whole(table, name) for name in names}).set_index(dates.dt.date)
    long = wide.sort_index().rename_axis("date").reset_index().melt("date", var_name="vc", value_name="gpus")
    rows = long[["vc", "date", "gpus"]].astype({"vc": "str"})
    return Capacity(rows, _mismatches(table, text, wide) if "total" in table.columns else ())


def _mismatches(table: SourceTable, dates: pd.Series, wide: pd.DataFrame) -> tuple[str, ...]:
    wrong = readings.numbers(table.text("total")).values != wide.sum(axis=1).to_numpy()
    return tuple(dates[wrong])


def _whole(table: SourceTable, column: str) -> pd.Series:
    """A column of whole numbers, not negative; an empty cell is refused, since 0 and unknown differ."""
    text = table.text(column)
    values = readings.numbers(text).values
    wrong = ~((values >= 0) & (values < 1e7) & (values == np.floor(values)))
    _refuse(
        table, pd.Series(wrong), text, f"column {column} must be a whole number (0 where there is nothing)"
    )
    return pd.Series(values.astype(np.int64))


def _refuse(table: SourceTable, wrong: pd.Series, text: pd.Series, why: str) -> None:
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise TraceError(f"{table.source.name}, line {table.line[index]}: {why}, not {text.iloc[index]!r}.")
