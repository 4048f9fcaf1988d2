"""The worker keeps fitted estimates up to date with the imported jobs.

It compares what is fitted with what is published, so an import needs to tell nobody, a crash loses nothing,
and an import made while no worker ran is found when one starts. A trace is fitted in a process of its own,
below everything else in priority.
"""

import logging
import os
import threading
import time
from multiprocessing.context import ForkServerContext

from queries import QueryError, manifests
from runs import models
from runs.queue import context
from runs.work import USER_ERRORS, end_with_the_worker

log = logging.getLogger("heliograph.runs")
LOOK_EVERY_S = 5.0
BELOW_OTHERS = 10


def keep_refitting() -> None:
    """Fit stale traces until the process ends; each version of a trace is tried once."""
    tried: set[manifests.Version] = set()
    while True:
        time.sleep(LOOK_EVERY_S)  # first of all the runs that waited for a worker
        for version in _stale():
            if version not in tried:
                tried.add(version)
                _refit_in_a_process(version.trace)


def start() -> None:
    """Keep refitting beside what this process does."""
    threading.Thread(target=keep_refitting, daemon=True).start()


def refit(trace: str) -> None:
    """Fit a trace and log what came of it."""
    end_with_the_worker()
    os.nice(BELOW_OTHERS)
    try:
        fitted = models.refit(trace)
        log.info("fitted %d versions of the estimates of trace %s", len(fitted), trace)
    except USER_ERRORS as error:
        log.warning("the estimates of trace %s were not fitted: %s", trace, error)


def _stale() -> list[manifests.Version]:
    found = []
    for trace in manifests.names():
        try:
            if models.is_stale(trace):
                found.append(manifests.version(trace))
        except (QueryError, OSError):  # deleted or replaced while we looked at it
            log.info("trace %s changed while looking for stale estimates", trace)
    return found


def _refit_in_a_process(trace: str) -> None:
    processes: ForkServerContext = context()
    process = processes.Process(target=refit, args=(trace,), daemon=True)
    process.start()
    process.join()
