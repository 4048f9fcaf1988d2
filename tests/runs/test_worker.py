"""A run from the queue to its result, through cancelling, crashes and a worker that is killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from runs import queue
from runs.scenario import EnergyScenario, SchedulingScenario


@pytest.fixture
def start_worker(small_trace):
    workers = []

    def start():
        # A session of its own, so that a kill takes the worker alone, as an out-of-memory killer would.
        worker = subprocess.Popen([sys.executable, "-m", "cli", "worker"], start_new_session=True)
        workers.append(worker)
        return worker

    yield start
    for each in workers:
        try:
            os.killpg(each.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        each.wait()


def wait_for(run_id, *states, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        run = queue.store().get(run_id)
        if run.state in states:
            return run
        time.sleep(0.05)
    pytest.fail(f"run is {run.state} ({run.step}), not {states}: {run.error}")


def test_a_run_ends_with_a_result_and_a_run_that_cannot_be_says_why(start_worker, small_trace):
    good = queue.start(SchedulingScenario(small_trace, policies=("fifo", "sjf")))
    bad = queue.start(EnergyScenario("gone", "C"))
    start_worker()
    done = wait_for(good.id, "done", "failed")
    assert done.state == "done", done.error
    assert done.attempts == 1
    assert {row["policy"] for row in queue.store().result(good.id)["results"]} == {"fifo", "sjf"}
    assert len(queue.store().table(good.id, "jobs")) == 2 * 144
    failed = wait_for(bad.id, "failed", "done")
    assert "There is no trace called “gone”" in failed.error


def test_a_queued_run_can_be_cancelled_and_is_never_worked(start_worker, small_trace):
    run = queue.start(SchedulingScenario(small_trace))
    queue.cancel(run.id)
    other = queue.start(SchedulingScenario(small_trace, policies=("fifo",)))
    start_worker()
    wait_for(other.id, "done")
    assert queue.store().get(run.id).state == "cancelled"
    assert queue.store().get(run.id).attempts == 0


def test_a_run_whose_worker_was_killed_is_worked_by_the_next_one(start_worker, small_trace):
    """The task is gone from the queue with its worker; the record brings it back."""
    run = queue.start(SchedulingScenario(small_trace))
    assert queue.queue().dequeue() is not None  # taken by a worker …
    queue.store().claim(run.id, 1)
    queue.store().update(run.id, state="running", attempts=1)  # … which then died
    start_worker()
    assert wait_for(run.id, "done").attempts == 2


def test_a_run_that_loses_its_workers_again_and_again_is_called_interrupted(start_worker, small_trace):
    run = queue.start(SchedulingScenario(small_trace))
    queue.queue().dequeue()
    queue.store().update(run.id, state="running", attempts=2)
    start_worker()
    assert "died 2 times" in wait_for(run.id, "interrupted").error


def test_a_worker_killed_at_work_leaves_no_process_and_its_run_is_started_again(start_worker, small_trace):
    first = start_worker()
    run = queue.start(SchedulingScenario(small_trace, policies=("fifo", "sjf", "srtf", "qssf")))
    wait_for(run.id, "running", "done")
    first.kill()
    first.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _session_members(first.pid):
        time.sleep(0.1)
    assert not _session_members(first.pid)
    start_worker()
    assert wait_for(run.id, "done").attempts in (1, 2)


def _session_members(session):
    listing = subprocess.run(
        ["ps", "-eo", "pid=,sess=,stat="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in listing.splitlines()]
    return [pid for pid, owner, state in rows if int(owner) == session and not state.startswith("Z")]
