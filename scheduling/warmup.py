"""Compile every kernel ahead of the first replay."""

import pandas as pd

from scheduling.estimates import Rolling, known_at_submission
from scheduling.simulator import replay
from scheduling.waiting import explained


def compile_kernels() -> None:
    """Compile what is not yet in the cache on disk (some 30 s), or load it from there (well under a second).

    Setting up an installation calls it once, so that new processes answer their first replay at once.
    """
    jobs = pd.DataFrame(
        {
            "job_id": ["0", "1"],
            "user": ["u", "u"],
            "vc": ["v", "v"],
            "gpu_num": [1.0, 12.0],
            "duration_s": [1.0, 1.0],
            "submit_s": [0.0, 1.0],
            "end_s": [1.0, 2.0],
        }
    )
    for policy in ("fifo", "qssf", "srtf"):
        replay(jobs, {"v": 16}, policy=policy)
    explained(replay(jobs, {"v": 16}, policy="fifo"))
    known_at_submission(jobs.assign(job_name=["train_1", "trains_2"]), Rolling())
