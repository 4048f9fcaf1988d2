"""Imports that a browser asks for: a look at a file, a check, a publication, each worked beside the what-ifs.

They are records like runs, on a shelf of their own. The worker has a thread for them, so that an operator's
file does not wait behind a what-if of minutes; the reading itself happens in a process of its own.
"""

import logging
import shutil
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import settings
from runs import import_files, queue
from runs.column_guesses import guesses
from runs.errors import RunError
from runs.import_fields import MAPS, USES, placed
from runs.scenario import ImportScenario
from runs.store import OPEN_STATES, Run, RunStore
from traces import TraceError, intake
from traces.formats import FORMATS, Wishes
from traces.intake import Plan
from traces.progress import Listener, heard_by

log = logging.getLogger("heliograph.runs")
SHELF = "imports"
LOOK_EVERY_S, SWEEP_EVERY_S, SAY_EVERY_S = 0.2, 600.0, 0.25
_DOING = {"look": "Looking at {}", "check": "Checking {}", "publish": "Importing {}"}


def store() -> RunStore:
    """The records of imports."""
    return queue.store(SHELF)


def start(scenario: ImportScenario) -> Run:
    """Record an import for the worker. Raises RunError where its file is not to be had."""
    import_files.resolved(scenario.source)
    if scenario.capacity:
        import_files.resolved(scenario.capacity)
    return store().create(scenario)


def look(source: str) -> Run:
    """The look at a file as it is now: one that was taken already, else a new one."""
    scenario = ImportScenario(source, seen=import_files.state(import_files.resolved(source)))
    for run in store().all():
        if run.settings() == scenario and run.state in ("done", *OPEN_STATES):
            return run
    return start(scenario)


def published(checked: ImportScenario) -> ImportScenario:
    """The import of exactly what was checked."""
    return replace(checked, step="publish")


def cancel(run_id: str) -> None:
    """Stop an import; a published version is all there, or nothing of it."""
    records = store()
    if records.get(run_id).state in OPEN_STATES:
        records.request_cancel(run_id)


def imported(scenario: ImportScenario, progress: Listener) -> dict[str, Any]:
    """What a look, a check or a publication gives: ``preview``, or the ``reports`` of every cluster.

    A check also gives the table of all ``rejects``. Raises TraceError or RunError with a sentence.
    """
    path = import_files.resolved(scenario.source)
    progress(0.0, _DOING[scenario.step].format(path.name))
    if import_files.state(path) != scenario.seen:
        raise RunError(f"{path.name} has changed since it was looked at: look at it again.")
    if scenario.step == "look":
        return {"preview": looked_at(path)}
    try:
        with heard_by(_now_and_then(progress)):
            return _worked(path, scenario)
    except OSError as error:  # a folder that may not be read, a full disk
        where = Path(error.filename).name if error.filename else path.name
        raise RunError(f"{where}: {error.strerror or error}; ask who runs the server.") from error


def _worked(path: Path, scenario: ImportScenario) -> dict[str, Any]:
    root = settings.current().data
    if scenario.step == "publish":
        return {"reports": intake.publish(root, plan(path, scenario))}
    return vars(intake.check(root, plan(path, scenario)))


def _now_and_then(progress: Listener) -> Listener:
    """`progress`, which writes a file, told no more often than anyone can see."""
    said = 0.0

    def hear(done: float, step: str) -> None:
        nonlocal said
        if time.monotonic() - said >= SAY_EVERY_S:
            said = time.monotonic()
            progress(done, step)

    return hear


def looked_at(path: Path) -> dict[str, Any]:
    """The preview of a file; where no format is recognized, ``format`` is None and ``why`` says so."""
    nothing: dict[str, Any] = {"columns": (), "rows": (), "mapped": {}, "guessed": {}}
    try:
        recognition = intake.recognized(path)
    except TraceError as error:
        return nothing | {"format": None, "why": placed(str(error))[1]}
    named = nothing | {"format": recognition.format, "why": recognition.why}
    try:
        seen = intake.preview(path)
    except TraceError as error:  # what is wrong with it is for the check to say in full
        return named | {"why": f"{recognition.why}; its first rows cannot be shown: {placed(str(error))[1]}"}
    taken = _taken_for(recognition.format, seen.columns, seen.mapped)
    return named | {"columns": seen.columns, "rows": seen.rows} | taken


def _taken_for(form: str, columns: Sequence[str], mapped: dict[str, str]) -> dict[str, Any]:
    """What the columns are taken for by their own names, and guessed to be, where the format has a map."""
    kind = next((each for each in MAPS if each in USES[form]), None)
    if kind is None:
        return {}
    known = {name: name for name in MAPS[kind] if name in columns} | mapped
    return {"mapped": known, "guessed": guesses(columns, known, MAPS[kind])}


def plan(path: Path, scenario: ImportScenario) -> Plan:
    """The import of `path` as the room of traces takes it."""
    wishes = Wishes(
        cluster=scenario.cluster or None,
        timezone=scenario.timezone or None,
        file_timezone=scenario.file_timezone or None,
        mapped=scenario.mapped,
        capacity=import_files.resolved(scenario.capacity) if scenario.capacity else None,
        gpus_per_node=scenario.gpus_per_node,
        vc_field=scenario.vc_field,
        adds=scenario.adds,
        processors_are_gpus=scenario.processors_are_gpus,
        ids_follow_submission=scenario.ids_follow_submission,
    )
    trace = scenario.trace or FORMATS[scenario.format].trace
    return Plan(path, scenario.format, wishes, trace, scenario.pseudonymize, scenario.starts_over)


def keep_importing_beside() -> None:
    """Work on imports beside what this process does, one after the other, until it ends."""
    threading.Thread(target=_keep_importing, daemon=True).start()


def _keep_importing() -> None:
    swept = 0.0
    while True:
        work_on_waiting()
        if time.monotonic() - swept > SWEEP_EVERY_S:
            sweep()
            swept = time.monotonic()
        time.sleep(LOOK_EVERY_S)


def work_on_waiting() -> None:
    """Work on every import that waits, the oldest first."""
    records = store()
    try:
        waiting = [run for run in reversed(records.all()) if run.state == "queued"]
        for run in waiting:
            if records.cancel_requested(run.id):
                records.update(run.id, state="cancelled", finished=time.time())
            else:
                queue.work_on(run.id, SHELF)
    except RunError:
        log.info("an import was removed while looking for waiting ones")


def sweep() -> None:
    """Remove uploads and records of imports that are older than they are kept; open ones stay."""
    oldest = time.time() - settings.current().upload_kept_h * 3600
    records = store()
    for run in records.all():
        if run.state not in OPEN_STATES and run.created < oldest:
            shutil.rmtree(records.path(run.id), ignore_errors=True)
    import_files.sweep()
