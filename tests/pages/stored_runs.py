"""Runs in every state, stored without a worker."""

import time
from pathlib import Path
from typing import Any

from runs.store import Run, RunStore

REPLAY_DAYS = {"from_": "2020-09-03", "to": "2020-09-10"}


def stored(data: Path, scenario: Any, name: str = "", **record: Any) -> Run:
    """A run whose record says what is given."""
    runs = RunStore(data)
    return runs.update(runs.create(scenario, name).id, **record)


def finished(data: Path, scenario: Any, name: str = "") -> Run:
    """A run that is worked on here and now, as the worker would, and is done."""
    from runs.work import compute

    run = stored(data, scenario, name, state="running", started=time.time())
    result, tables, sentence = compute(scenario, lambda done, step: None)
    runs = RunStore(data)
    runs.save_result(run.id, result, tables)
    return runs.update(run.id, state="done", finished=time.time(), progress=1.0, sentence=sentence)
