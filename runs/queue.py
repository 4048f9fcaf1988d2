"""The queue between the pages and the worker, and the worker's care for every run.

A run is a row in a Huey queue (SQLite in the data folder) and a record on disk. The record is the
truth: a task whose worker was killed is gone from the queue, and ``recover`` finds its record.
Each attempt is worked in a process of its own, so that it can be stopped at once and can take no
other run down with it.
"""

import logging
import multiprocessing
import threading
import time
from collections.abc import Callable
from functools import lru_cache

from huey import SqliteHuey

import settings
from runs.errors import RunError
from runs.scenario import Scenario
from runs.store import Run, RunStore

log = logging.getLogger("heliograph.runs")
SHELVES = ("runs", "imports")
"""Where records are: what-if runs, and the imports that a browser asked for."""
_PRELOAD = ["pandas", "scheduling", "energy", "runs.work"]


def store(shelf: str = "runs") -> RunStore:
    """The runs of this process's data folder, or the records of another shelf."""
    return RunStore(settings.current().data, shelf)


@lru_cache(maxsize=1)
def queue() -> SqliteHuey:
    """This process's connection to the queue."""
    folder = settings.current().data
    folder.mkdir(parents=True, exist_ok=True)
    return SqliteHuey("heliograph", filename=str(folder / "queue.db"), results=False, timeout=10)


def start(scenario: Scenario, name: str = "") -> Run:
    """Record a run of ``scenario`` and queue it."""
    run = store().create(scenario, name)
    _enqueue(run.id)
    return run


def cancel(run_id: str) -> None:
    """Stop a run: at once where it is queued, within a heartbeat where it is running."""
    runs = store()
    runs.request_cancel(run_id)
    if runs.get(run_id).state == "queued":
        runs.update(run_id, state="cancelled", finished=time.time())


def _enqueue(run_id: str) -> None:
    task()(run_id)


@lru_cache(maxsize=1)
def task():  # type: ignore[no-untyped-def]
    """The one task of the queue: work on a run."""
    return queue().task(name="work_on")(work_on)


def work_on(run_id: str, shelf: str = "runs") -> None:
    """Work on one attempt of a run in a process of its own and record how it ended."""
    runs = store(shelf)
    run = runs.get(run_id)
    if run.state != "queued" or not runs.claim(run_id, run.attempts + 1):
        return
    runs.beat(run_id)
    runs.update(run_id, state="running", started=time.time(), attempts=run.attempts + 1, error="")
    process = context().Process(target=_child, args=(run_id, shelf), daemon=True)
    process.start()
    while process.is_alive():
        runs.beat(run_id)
        process.join(min(0.2, settings.current().run_heartbeat_s))
        if runs.cancel_requested(run_id):
            process.kill()
            process.join()
    _record_end(runs, run_id, process.exitcode)


def _record_end(runs: RunStore, run_id: str, exit_code: int | None) -> None:
    if not runs.path(run_id).exists() or runs.get(run_id).state not in ("queued", "running"):
        return
    if runs.cancel_requested(run_id):
        runs.update(run_id, state="cancelled", finished=time.time())
    elif exit_code != 0:
        error = f"The process that worked on it ended unexpectedly (exit code {exit_code})."
        runs.update(run_id, state="failed", finished=time.time(), error=error)


def _child(run_id: str, shelf: str) -> None:
    from runs.work import work

    work(run_id, shelf)


@lru_cache(maxsize=1)
def context() -> multiprocessing.context.ForkServerContext:
    """Processes forked from a single-threaded server that has the heavy modules loaded already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    return context


def recover() -> None:
    """Queue again, or call interrupted, every run that nobody is working on."""
    for shelf in SHELVES:
        _recover(store(shelf), _enqueue if shelf == "runs" else None)


def _recover(runs: RunStore, enqueue: Callable[[str], None] | None) -> None:
    """The same for one shelf; without ``enqueue`` the record alone says that there is something to do."""
    knobs = settings.current()
    for run in runs.all():
        if run.state not in ("queued", "running") or runs.silent_s(run.id) < knobs.run_lost_after_s:
            continue
        if runs.cancel_requested(run.id):
            runs.update(run.id, state="cancelled", finished=time.time())
        elif run.state == "running" and run.attempts >= knobs.run_attempts:
            error = f"Its worker died {run.attempts} times; start it again if you still need it."
            runs.update(run.id, state="interrupted", finished=time.time(), error=error)
        else:
            log.warning("run %s was left by its worker and is queued again", run.id)
            runs.beat(run.id)
            runs.update(run.id, state="queued", progress=0.0, step="")
            if enqueue is not None:
                enqueue(run.id)


def serve(workers: int = 1) -> None:
    """Work on queued runs until SIGINT or SIGTERM; look for lost ones and stale estimates meanwhile."""
    task()
    threading.Thread(target=_keep_recovering, daemon=True).start()
    _refit_and_import_meanwhile()
    queue().create_consumer(workers=workers, periodic=False, initial_delay=0.05, max_delay=0.25).run()


def _refit_and_import_meanwhile() -> None:
    from runs import importing, refitting  # they import this module

    refitting.start()
    importing.keep_importing_beside()


def _keep_recovering() -> None:
    while True:
        try:
            recover()
        except RunError:  # deleted while we looked at it
            log.info("a run was deleted while looking for lost ones")
        time.sleep(min(settings.current().run_lost_after_s / 3, 5.0))
