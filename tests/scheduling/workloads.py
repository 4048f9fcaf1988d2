"""Made-up jobs for the tests of this room."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

GANGS = (1, 1, 1, 2, 3, 4, 5, 8, 8, 12, 16, 20, 24)


def jobs_frame(rows, vc="v"):
    """A frame of (submit_s, gpu_num, duration_s[, user[, end_s]]) rows."""
    columns = ["submit_s", "gpu_num", "duration_s", "user", "end_s"]
    frame = pd.DataFrame(rows, columns=columns[: len(rows[0])] if rows else columns[:3])
    frame = frame.astype({"submit_s": float, "gpu_num": float, "duration_s": float})
    frame.insert(0, "job_id", [f"j{i}" for i in range(len(frame))])
    frame["priority"] = priorities(len(frame))
    return frame.assign(vc=vc) if isinstance(vc, str) else frame.assign(vc=list(vc))


def priorities(jobs):
    """Priorities of an operator's own, with ties."""
    return [7 * i % 5 for i in range(jobs)]


@st.composite
def workloads(draw, most=25, gangs=GANGS, latest=60, longest=60):
    """Rows of (submit_s, gpu_num, duration_s, user) by submission, often at once and often in need of the
    same GPUs."""
    row = st.tuples(
        st.integers(0, latest),
        st.sampled_from(gangs),
        st.integers(0, longest),
        st.sampled_from(["a", "b", None]),
    )
    return sorted(draw(st.lists(row, min_size=1, max_size=most)), key=lambda r: r[0])


def random_jobs(seed, jobs, gangs, mean_gap_s=40.0, mean_duration_s=2000.0, vc="v"):
    """A seeded workload of exponential gaps and heavy-tailed durations in whole seconds."""
    rng = np.random.default_rng(seed)
    return jobs_frame(
        list(
            zip(
                np.floor(np.cumsum(rng.exponential(mean_gap_s, jobs))),
                rng.choice(gangs, jobs),
                np.floor(rng.lognormal(np.log(mean_duration_s), 1.5, jobs)),
                rng.choice(["a", "b", "c"], jobs),
                strict=True,
            )
        ),
        vc=vc,
    )
