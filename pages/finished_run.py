"""The subject of the views of a result: a finished run's document and its tables, read from its folder."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from components import numbers
from pages.scope import local, local_times
from runs import queue


@dataclass(frozen=True)
class FinishedRun:
    """A run that is done. ``document`` are its numbers; tables are read when they are asked for."""

    id: str
    document: dict[str, Any]

    @property
    def timezone(self) -> str:
        """The time zone of the trace."""
        return str(self.document["scenario"]["timezone"])

    def table(self, name: str) -> pd.DataFrame:
        """One of its tables; times get a local twin, ``local_time``, for axes."""
        table = queue.store().table(self.id, name)
        if "time" in table:
            table.insert(
                table.columns.get_loc("time") + 1, "local_time", local_times(table["time"], self.timezone)
            )
        return table

    def window_text(self) -> str:
        """The window's first and last day: 1 Sep 2020 – 26 Sep 2020 (Asia/Shanghai)."""
        scenario = self.document["scenario"]
        start, end = pd.Timestamp(scenario["from"]), pd.Timestamp(scenario["to"]) - pd.Timedelta(seconds=1)
        days = (numbers.day(local(time, self.timezone)) for time in (start, end))
        return f"{' – '.join(days)} ({self.timezone})"


def finished_run(run_id: str) -> FinishedRun:
    """The finished run of this id. Raises RunError where it has no result."""
    return FinishedRun(run_id, queue.store().result(run_id))
