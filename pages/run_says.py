"""What came of a run in the words of its own page, for the list of runs."""

from functools import lru_cache
from pathlib import Path

from components import energy_summary, plan_summary
from pages import sweep_result
from pages.finished_run import finished_run
from runs import RunError, queue
from runs.store import Run


def says(run: Run) -> str:
    """Why a run has no result, else what came of it; empty where nothing is known yet."""
    if run.state in ("failed", "interrupted"):
        return run.error
    if run.state != "done" or run.kind == "scheduling":  # whose stored sentence is read in no table of jobs
        return run.sentence
    try:
        return _outcome(queue.store().folder, run.id, run.kind)
    except (RunError, KeyError, ValueError):  # deleted meanwhile, cut off, or stored in an older form
        return run.sentence


@lru_cache(maxsize=512)
def _outcome(_folder: Path, run_id: str, kind: str) -> str:
    """The sentence of a result, which never changes."""
    finished = finished_run(run_id)
    if kind == "sweep":
        return sweep_result.first_sentence(finished)
    return {"plan": plan_summary, "energy": energy_summary}[kind].sentence(finished.document)
