"""What the process of one run does: read, compute, store, and say how far it is."""

import logging
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait

import pandas as pd

from energy import EnergyError
from queries import QueryError
from runs import energy_study, importing, plan, simulation, sweep
from runs.errors import RunError
from runs.queue import store
from runs.scenario import ImportScenario, PlanScenario, Scenario, SchedulingScenario, SweepScenario
from scheduling import ScenarioError
from traces import TraceError

log = logging.getLogger("heliograph.runs")
USER_ERRORS = (RunError, ScenarioError, EnergyError, TraceError, QueryError)
Progress = Callable[[float, str], None]


def work(run_id: str, shelf: str = "runs") -> None:
    """Work on a run that is in state ``running`` and leave it ``done`` or ``failed``."""
    end_with_the_worker()
    runs = store(shelf)
    run = runs.get(run_id)

    def progress(done: float, step: str) -> None:
        runs.update(run_id, progress=round(done, 3), step=step)

    try:
        result, tables, sentence = compute(run.settings(), progress)
        runs.save_result(run_id, result, tables)
        runs.update(run_id, state="done", finished=time.time(), progress=1.0, step="", sentence=sentence)
    except USER_ERRORS as error:
        runs.update(run_id, state="failed", finished=time.time(), error=str(error))
    except Exception:
        log.exception("run %s failed", run_id)
        error_text = "It stopped on an error of Heliograph itself; the worker's log has the details."
        runs.update(run_id, state="failed", finished=time.time(), error=error_text)


def compute(settings: Scenario, progress: Progress) -> tuple[dict[str, object], dict[str, pd.DataFrame], str]:
    """The numbers, the tables and the sentence of a scenario."""
    if isinstance(settings, ImportScenario):
        done = importing.imported(settings, progress)
        return done, {"rejects": done.pop("rejects")} if "rejects" in done else {}, ""
    if isinstance(settings, SchedulingScenario):
        simulated = simulation.simulate(settings, progress)
        return simulated.document, simulated.tables(), simulation.sentence(simulated.document)
    if isinstance(settings, SweepScenario):
        swept = sweep.sweep(settings, progress)
        return swept, {"results": pd.DataFrame(swept.pop("results"))}, swept.pop("sentence")
    if isinstance(settings, PlanScenario):
        planned = plan.plan_of(settings, progress)
        return planned, {"curve": pd.DataFrame(planned["curve"])}, str(planned["sentence"])
    studied = energy_study.study(settings, progress)
    return studied.document, studied.tables(), energy_study.sentence(studied.document)


def end_with_the_worker() -> None:
    """Leave when the worker is gone: nobody would record how this run ended."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
