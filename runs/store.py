"""Runs on disk: one folder each, its record replaced atomically, its tables beside it.

``<data>/runs/<id>/run.json`` is the record, ``result.json`` the numbers, ``*.parquet`` the tables,
``heartbeat`` is touched while a process works on it, ``cancel`` asks that process to stop.
"""

import json
import os
import re
import secrets
import shutil
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from runs.errors import RunError
from runs.files import whole_file
from runs.scenario import Scenario, document, scenario

OPEN_STATES = ("queued", "running")
ENDED_STATES = ("done", "failed", "cancelled", "interrupted")
_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz"  # no look-alikes: ids are read out loud in meetings


@dataclass(frozen=True)
class Run:
    """One run's record. Times are seconds since the epoch; ``progress`` is 0–1."""

    id: str
    kind: str
    scenario: dict[str, Any]
    name: str
    state: str
    created: float
    started: float | None = None
    finished: float | None = None
    attempts: int = 0
    progress: float = 0.0
    step: str = ""
    error: str = ""
    sentence: str = ""

    def settings(self) -> Scenario:
        """The scenario this run was started with."""
        return scenario(self.kind, self.scenario)


class RunStore:
    """The runs under ``<root>/<shelf>``. Every write is atomic, every read sees a whole record."""

    def __init__(self, root: Path, shelf: str = "runs") -> None:
        self.folder = root / shelf

    def create(self, settings: Scenario, name: str = "") -> Run:
        """A new queued run with an id of its own."""
        run_id = "".join(secrets.choice(_ALPHABET) for _ in range(10))
        run = Run(run_id, settings.kind, document(settings), name, "queued", time.time())
        (self.folder / run_id).mkdir(parents=True)
        self._write(run)
        return run

    def get(self, run_id: str) -> Run:
        """The run of this id. Raises RunError where there is none."""
        try:
            return Run(**json.loads((self.path(run_id) / "run.json").read_text()))
        except FileNotFoundError:
            raise RunError(f"There is no run {run_id!r}; it may have been deleted.") from None

    def all(self) -> list[Run]:
        """Every run, the newest first."""
        records = self.folder.glob("*/run.json")
        return sorted((self.get(each.parent.name) for each in records), key=lambda run: -run.created)

    def update(self, run_id: str, **changes: Any) -> Run:
        """Change fields of a run's record."""
        run = replace(self.get(run_id), **changes)
        self._write(run)
        return run

    def delete(self, run_id: str) -> None:
        """Remove a run and its results; a running one is asked to stop first."""
        self.get(run_id)
        self.request_cancel(run_id)
        shutil.rmtree(self.path(run_id), ignore_errors=True)

    def path(self, run_id: str) -> Path:
        """The run's folder. Raises RunError for an id that could not be one."""
        if not re.fullmatch(r"[0-9a-z]{1,32}", run_id):
            raise RunError(f"There is no run {run_id!r}; a run's id has letters and digits only.")
        return self.folder / run_id

    def request_cancel(self, run_id: str) -> None:
        """Ask whoever works on the run to stop."""
        (self.path(run_id) / "cancel").touch()

    def cancel_requested(self, run_id: str) -> bool:
        """Whether the run was asked to stop, or was deleted."""
        folder = self.path(run_id)
        return (folder / "cancel").exists() or not folder.exists()

    def beat(self, run_id: str) -> None:
        """Say that the run is being worked on."""
        if self.path(run_id).exists():
            (self.path(run_id) / "heartbeat").touch()

    def silent_s(self, run_id: str) -> float:
        """Seconds since the run last said that it lives."""
        try:
            return time.time() - (self.path(run_id) / "heartbeat").stat().st_mtime
        except FileNotFoundError:
            return time.time() - self.get(run_id).created

    def claim(self, run_id: str, attempt: int) -> bool:
        """Take attempt number ``attempt`` of the run; False where another process has it."""
        try:
            os.close(os.open(self.path(run_id) / f"attempt-{attempt}", os.O_CREAT | os.O_EXCL))
        except (FileExistsError, FileNotFoundError):
            return False
        return True

    def save_result(self, run_id: str, result: dict[str, Any], tables: dict[str, pd.DataFrame]) -> None:
        """Store a run's tables and then its numbers, so that these vouch for the rest."""
        for name, table in tables.items():
            with whole_file(self.path(run_id) / f"{name}.parquet") as temporary:
                table.to_parquet(temporary, index=False)
        with whole_file(self.path(run_id) / "result.json") as temporary:
            temporary.write_text(json.dumps(result, allow_nan=False))

    def result(self, run_id: str) -> dict[str, Any]:
        """The numbers of a finished run. Raises RunError where it has none."""
        try:
            return json.loads((self.path(run_id) / "result.json").read_text())  # type: ignore[no-any-return]
        except FileNotFoundError:
            raise RunError(f"Run {run_id} has no result; its state is {self.get(run_id).state}.") from None

    def table(self, run_id: str, name: str) -> pd.DataFrame:
        """A table of a finished run. Raises RunError where it has none of that name."""
        try:
            return pd.read_parquet(self.path(run_id) / f"{name}.parquet")
        except FileNotFoundError:
            raise RunError(f"Run {run_id} has no table {name!r}.") from None

    def _write(self, run: Run) -> None:
        with whole_file(self.path(run.id) / "run.json") as temporary:
            temporary.write_text(json.dumps(asdict(run), allow_nan=False))
