"""Every question that a page asks against pandas: the synthetic datacenter, real Philly and real Venus jobs.

The real files have no start times; so that there is something to wait for, this test takes every third job to
have waited for a while. Durations, GPU counts, states, users, capacity and clocks are the real ones: Philly's
clocks go back within the window, and the window cuts slots, days and months.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from queries import fetch
from queries.statement import statement
from tests import synthetic
from tests.queries import answers_of_jobs, answers_of_use
from tests.queries.windows import Window
from tests.stored_trace import JOBS, store

ROOT = Path(__file__).resolve().parents[2]
INSTANT = {"demo": "2020-09-05 02:00", "philly": "2017-11-07 19:30", "venus": "2020-09-11 08:00"}
WINDOWS = {
    "demo": ("2020-09-02 16:00", "2020-09-11 09:20:31"),
    "philly": ("2017-10-29 07:00", "2017-11-08 20:41:07"),
    "venus": ("2020-09-03 16:00", "2020-09-20 16:00"),
}
#: What each question is asked beside its window; bins of other lengths than a page's are as good.
ASKED: dict[str, list[dict[str, Any]]] = {
    "utilization_by_cluster": [{"bin_s": 10800}],
    "use_over_time": [{"bin_s": 10800}],
    "utilization_spread_by_vc": [{"bin_s": 3600}],
    "waiting_beside_idle": [{"bin_s": 3600}],
    "gangs_beside_free_gpus": [{"bin_s": 3600}],
    "queueing_delays_over_time": [{"bin_s": 43200}, {"bin_s": 13000}],
    "waiting_over_time": [{"bin_s": 43200}],
    "growth_by_period": [{"period": "week"}, {"period": "month"}],
    "gpu_counts_by_period": [{"period": "week"}, {"period": "month"}],
    "failures_by_period": [{"period": "day"}, {"period": "week"}],
    "lost_by_period": [{"period": "day"}, {"period": "week"}],
    "queueing_by": [{"dimension": name} for name in ("all", "cluster", "vc", "gpus")],
}
#: Questions about one thing, or of lists that a page makes sentences of: the test that compares them.
ELSEWHERE = {
    **dict.fromkeys(("job", "similar_jobs", "vc_load"), "queries/test_one_job.py"),
    **dict.fromkeys(("user_by_period", "user_templates", "user_latest"), "queries/test_one_user.py"),
    **dict.fromkeys(("user_waits", "user_waits_by_vc"), "queries/test_one_user.py"),
    **dict.fromkeys(
        ("failure_bursts", "queueing_against_before", "capacity_lost"), "queries/test_page_questions.py"
    ),
    "user_pseudonyms": "queries/test_users.py",
    "node_series": "traces/test_node_series.py",  # the stored table itself
}
ANSWERS = {
    name: answer
    for module in (answers_of_jobs, answers_of_use)
    for name, answer in vars(module).items()
    if (ROOT / "queries" / f"{name}.sql").is_file()
}
CASES = [(name, params) for name in ANSWERS for params in ASKED.get(name, [{}])]


@pytest.fixture(scope="module")
def traces() -> dict[str, Any]:
    """The windows by trace, made when they are first asked for."""
    return {}


@pytest.fixture
def window(request: pytest.FixtureRequest, data: Path, traces: dict[str, Any]) -> Window:
    """A trace's window; the trace is stored."""
    name = request.param
    if name not in traces:
        traces[name] = demo() if name == "demo" else real(name, request.getfixturevalue("shared"))
    jobs, quota, zone = traces[name]
    store(data, name, jobs, list(quota.itertuples(index=False)), timezone=zone)
    return Window(jobs, quota, zone, *map(pd.Timestamp, WINDOWS[name]))


def demo() -> tuple[pd.DataFrame, pd.DataFrame, str]:
    rows = [
        (cluster, vc, "2020-09-01", gpus)
        for cluster, vcs in synthetic.VCS.items()
        for vc, gpus in vcs.items()
    ]
    quota = pd.DataFrame(
        [*rows, ("Earth", "vcD", "2020-09-08", 32)], columns=["cluster", "vc", "date", "gpus"]
    )
    return synthetic.synthetic_jobs(), quota, synthetic.TIMEZONE


def real(name: str, shared: Path) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Jobs and quota of a real file; of Philly the jobs of three weeks around the window."""
    if name == "philly":
        zone, jobs = (
            "America/Los_Angeles",
            pd.read_csv(shared / "data/philly/jobs.csv", dtype={"cluster": str}),
        )
        jobs = jobs.rename(columns={"timestamp": "submit_time", "num_gpus": "gpu_num", "cluster": "vc"})
        jobs = jobs[jobs["submit_time"].between("2017-10-20", "2017-11-10")].assign(
            cluster="Philly", state="UNKNOWN"
        )
        nodes = pd.read_csv(shared / "data/philly/vc_nodes.csv", dtype={"vc": str})
        quota = nodes.assign(cluster="Philly", date="2017-10-01", gpus=8 * nodes["nodes"])
    else:
        zone, jobs = (
            "Asia/Shanghai",
            pd.read_csv(shared / "data/helios/venus_2vc_sept.csv").assign(cluster="Venus"),
        )
        wide = pd.read_csv(shared / "data/helios/venus_gpu_number.csv")
        quota = (
            wide.drop(columns="total").melt("date", var_name="vc", value_name="gpus").assign(cluster="Venus")
        )
        quota = quota[quota["vc"].isin(jobs["vc"])]
    early = np.ones(len(jobs), dtype=bool)
    aware = pd.to_datetime(jobs["submit_time"]).dt.tz_localize(
        zone, ambiguous=early, nonexistent="shift_forward"
    )
    jobs = jobs.drop(columns=["start_time", "end_time"], errors="ignore").rename(
        columns={"duration": "duration_s"}
    )
    place = np.arange(len(jobs))
    jobs = jobs.assign(
        submit_time=aware.dt.tz_convert("UTC").dt.tz_localize(None),
        queueing_delay_s=np.where(place % 3, 0.0, 37.0 * (place % 101)),
        gpu_num=jobs["gpu_num"].astype(float),
        duration_s=jobs["duration_s"].astype(float),
    )
    starts = jobs["submit_time"] + pd.to_timedelta(jobs["queueing_delay_s"], unit="s")
    jobs = jobs.assign(start_time=starts, end_time=starts + pd.to_timedelta(jobs["duration_s"], unit="s"))
    jobs = jobs.assign(flags=[[] for _ in place], job_id=place.astype(str)).reindex(columns=JOBS.names)
    return jobs.sort_values("submit_time", ignore_index=True), quota[["cluster", "vc", "date", "gpus"]], zone


@pytest.mark.parametrize("window", WINDOWS, indirect=True)
def test_every_question_of_a_page_is_answered_as_by_pandas(
    window: Window, request: pytest.FixtureRequest
) -> None:
    trace = request.node.callspec.params["window"]
    of_window = {"clusters": [], "vcs": [], "start": window.start, "end": window.end}
    of_trace = {"instant": pd.Timestamp(INSTANT[trace]), "cluster": window.quota["cluster"].iloc[0]}
    differing = []
    for name, params in CASES:
        declared = statement(name).params
        own = {key: value for key, value in of_window.items() if key in declared}
        params = params | {key: value for key, value in of_trace.items() if key in declared}
        want = ANSWERS[name](window, **params)
        got = fetch(name, trace=trace, **own, **params)
        if params.get("dimension") == "cluster":
            got["label"] = got["cluster"]
        difference = differs(got, want)
        if difference:
            differing.append(f"{name} {params}: {difference}")
    assert not differing, "\n".join(differing)


def differs(got: pd.DataFrame, want: pd.DataFrame) -> str:
    """What tells two answers apart, in the columns of the second, whatever the order of their rows."""
    if len(want) == 0 or len(got) == 0:
        return "" if len(want) == len(got) else f"{len(got)} rows, not {len(want)}"
    got = got[list(want.columns)]
    texts = [
        name for name in want if not all(pd.api.types.is_numeric_dtype(each[name]) for each in (got, want))
    ]
    keys = [*texts, *(name for name in want if name not in texts)]
    frames = []
    for frame in (got, want):
        plain = frame.assign(**{name: frame[name].astype("string").fillna("") for name in texts})
        frames.append(plain.sort_values(keys, ignore_index=True))
    try:
        pd.testing.assert_frame_equal(*frames, check_dtype=False, rtol=1e-9, atol=1e-6)
    except AssertionError as error:
        return str(error)
    return ""


def test_every_question_that_a_page_asks_is_compared_with_pandas() -> None:
    """The table of questions and comparisons: none is missing, and none is listed that nobody asks."""
    sources = "".join(path.read_text() for path in (ROOT / "pages").glob("*.py"))
    asked = set(re.findall(r"(?:ask|fetch|rows)\(\s*\"([a-z_]+)\"", sources))
    here = set(ANSWERS)
    missing = asked - here - set(ELSEWHERE)
    assert not missing, f"{sorted(missing)} are compared nowhere"
    assert here | set(ELSEWHERE) <= asked
    for name, test in ELSEWHERE.items():
        assert name in (ROOT / "tests" / test).read_text(), (name, test)
