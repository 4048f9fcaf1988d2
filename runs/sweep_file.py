"""The results of a sweep on disk: a CSV that is whole at any time."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from runs.errors import RunError
from runs.files import whole_file

WRITE_EVERY_S = 2.0
STUDY = "study"
_Key = tuple[Any, ...]


class SweepFile:
    """One line per scenario. ``key`` are the columns that name one; ``study`` what all of a file share.

    A file that is there is gone on with. Raises RunError for one that is of another study, or no such file.
    """

    def __init__(self, path: Path, study: str, key: Sequence[str]) -> None:
        self.path, self.study, self.key = path, study, list(key)
        self._rows: dict[_Key, Mapping[str, Any]] = {self._name(row): row for row in self._read()}
        self._written = time.monotonic()

    def __contains__(self, scenario: Mapping[str, Any]) -> bool:
        return self._name(scenario) in self._rows

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a result; the file is replaced by a longer one every two seconds, and by :meth:`write`."""
        self._rows[self._name(row)] = row
        if time.monotonic() - self._written >= WRITE_EVERY_S:
            self.write()

    def write(self) -> None:
        """Put every result into the file. A reader sees the old one or the new one."""
        table = pd.DataFrame(list(self._rows.values()))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(self.path) as temporary:
            table.assign(**{STUDY: self.study}).to_csv(temporary, index=False)
        self._written = time.monotonic()

    def rows(self, scenarios: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The results of these scenarios, in their order."""
        return [self._rows[self._name(each)] for each in scenarios]

    def _name(self, row: Mapping[str, Any]) -> _Key:
        return tuple(row[column] for column in self.key)

    def _read(self) -> list[dict[str, Any]]:
        if not self.path.is_file():
            return []
        text = {"cluster": str, "policy": str, "nodes": str, STUDY: str}
        try:
            table = pd.read_csv(self.path, dtype=text, keep_default_na=False, na_values=[""])
        except ValueError as error:
            raise RunError(f"{self.path} is no file of a sweep; name another one.") from error
        if not {STUDY, *self.key} <= set(table.columns) or set(table[STUDY]) - {self.study}:
            raise RunError(
                f"{self.path} holds another sweep (of other jobs, another window or other settings); name "
                "another file."
            )
        known = table.drop(columns=STUDY).astype(object)
        records = known.where(known.notna(), None).to_dict("records")
        return [{str(name): value for name, value in each.items()} for each in records]
