"""Winners and losers, and groups of like jobs, on the page of a run; users as the server's setting says."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from flask.testing import FlaskClient

import settings
from runs.scenario import SchedulingScenario
from runs.store import Run, RunStore
from tests.components.text import plain, text_of
from tests.pages.stored_runs import REPLAY_DAYS, finished

SCENARIO = SchedulingScenario("demo", policies=("fifo", "qssf"), load_factor=6.0, **REPLAY_DAYS)


@pytest.fixture
def run(application: ModuleType, data: Path) -> Run:
    """A finished run of two crowded clusters."""
    return finished(data, SCENARIO)


def both(data: Path, run: Run) -> pd.DataFrame:
    """Each job of the run once, with its delay under both policies and the change of it."""
    jobs = RunStore(data).table(run.id, "jobs").dropna(subset=["end_s"])
    keys = ["cluster", "vc", "user", "job_id"]
    wide = jobs.pivot(index=keys, columns="policy", values="queueing_delay_s").dropna().reset_index()
    return wide.assign(change_s=wide["qssf"] - wide["fifo"])


def pair(run: Run) -> Any:
    from pages.finished_run import finished_run
    from pages.replay_gains import Pair

    return Pair(finished_run(run.id), "qssf", "fifo")


def test_vcs_users_and_jobs_have_the_changes_that_pandas_finds(run: Run, data: Path) -> None:
    from pages import replay_gains

    wanted, about = both(data, run), pair(run)
    assert (wanted["change_s"] >= 1).any() and (wanted["change_s"] <= -1).any()
    vcs = replay_gains.by_vc(about).set_index(["cluster", "vc"])
    pd.testing.assert_series_equal(
        vcs["change_s"].sort_index(), wanted.groupby(["cluster", "vc"])["change_s"].mean(), check_names=False
    )
    assert vcs["losers"].sum() == (wanted["change_s"] >= 1).sum()
    users = replay_gains.by_user(about)
    means = wanted.groupby(["cluster", "user"])["change_s"].mean()
    assert sorted(users["change_s"]) == pytest.approx(sorted(means))
    jobs = replay_gains.by_job(about)
    assert len(jobs) == len(wanted)
    assert jobs["change_s"].iloc[0] == wanted["change_s"].max()
    assert jobs["change_s"].is_monotonic_decreasing


def test_every_view_draws_and_its_columns_are_there(run: Run) -> None:
    from pages import replay_gains

    about = pair(run)
    for view in replay_gains.VIEWS:
        rows, why = view.answer(about)
        assert not why and {column.name for column in view.columns} <= set(rows.columns), view.name
        assert (view.figure or view.table)(rows, about) is not None and view.note(rows, about)


def test_a_job_leads_to_its_page_unless_it_was_resampled_or_its_trace_is_gone(
    application: ModuleType, data: Path
) -> None:
    from pages import replay_gains

    one = pd.DataFrame({"cluster": ["Venus"] * 2, "job_id": ["7/a", "7/a+1"]})
    recorded, resampled = one.itertuples()
    assert replay_gains.job_link("demo", recorded) == "/jobs/demo/Venus/7%2Fa"
    assert replay_gains.job_link("demo", resampled) is None
    assert replay_gains.job_link("gone", recorded) is None


def test_the_sentence_of_a_pair_comes_with_the_choice(run: Run, ask: Callable[..., Any], data: Path) -> None:
    answer = ask("gains-said.children", gains_policy="qssf", gains_against="fifo", gains_run=run.id)
    longer = int((both(data, run)["change_s"] >= 1).sum())
    assert f"{longer:,} longer" in answer["gains-said"]["children"]
    assert answer["gains-pair"]["data"] == {"run": run.id, "policy": "qssf", "against": "fifo"}
    same = ask("gains-said.children", gains_policy="fifo", gains_against="fifo", gains_run=run.id)
    assert "two different policies" in same["gains-said"]["children"]


@pytest.mark.parametrize("users", ["names", "pseudonyms", "off"])
def test_users_are_shown_as_the_setting_says_in_tables_and_in_files(
    run: Run, data: Path, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, users: str
) -> None:
    from pages import replay_gains

    names = set(both(data, run)["user"])
    monkeypatch.setenv("HELIOGRAPH_USERS", users)
    settings.current.cache_clear()
    view = next(each for each in replay_gains.VIEWS if each.name == "gains-users")
    rows, why = view.answer(pair(run))
    table = pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/jobs.csv").text), dtype=str)
    in_file = set(table["user"].dropna())
    jobs = set(replay_gains.by_job(pair(run))["shown_user"].dropna())
    if users == "names":
        assert set(rows["shown_user"]) == names == in_file
    elif users == "off":
        assert "says nothing about users" in why and in_file == jobs == set()
    else:
        assert len(in_file) == len(names) and not names & (in_file | jobs | set(rows["shown_user"]))


def test_pseudonyms_of_a_trace_that_is_gone_are_unknown(
    run: Run, data: Path, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "traces" / "demo").rename(data / "traces" / "other")
    monkeypatch.setenv("HELIOGRAPH_USERS", "pseudonyms")
    settings.current.cache_clear()
    table = pd.read_csv(io.StringIO(client.get(f"/runs/{run.id}/jobs.csv").text))
    assert len(table) and table["user"].isna().all()


def test_a_move_of_a_user_names_nobody_whom_visitors_may_not_know(
    application: ModuleType, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages.run_users import shown_settings

    scenario = {"trace": "demo", "moves": {"user:secret": "vcA", "vc:vcB": "vcA"}}
    monkeypatch.setenv("HELIOGRAPH_USERS", "off")
    settings.current.cache_clear()
    assert list(shown_settings(scenario)["moves"]) == ["user:whose name is not shown", "vc:vcB"]


def test_groups_of_jobs_have_the_means_that_pandas_finds(run: Run, data: Path) -> None:
    from pages import replay_views
    from pages.finished_run import finished_run

    jobs = RunStore(data).table(run.id, "jobs").dropna(subset=["end_s"])
    jobs = jobs.assign(group=pd.cut(jobs["duration_s"], [0, 900, 21600, 1e12], right=False))
    wanted = jobs[jobs["policy"] == "qssf"].groupby("group", observed=False)["queueing_delay_s"].mean()
    view = next(each for each in replay_views.VIEWS if each.name == "replay-durations")
    rows, _ = view.answer(finished_run(run.id))
    found = rows[rows["policy"] == "qssf"]["avg_queueing_delay_s"]
    assert list(found) == pytest.approx(list(wanted))
    sizes = next(each for each in replay_views.VIEWS if each.name == "replay-sizes")
    rows, _ = sizes.answer(finished_run(run.id))
    small = jobs[(jobs["policy"] == "fifo") & (jobs["gpu_num"] <= 1)]
    one = rows[(rows["policy"] == "fifo") & (rows["label"] == "1 GPU")].iloc[0]
    assert one["jobs"] == len(small)
    assert one["avg_queueing_delay_s"] == pytest.approx(small["queueing_delay_s"].mean())


def test_a_result_says_what_differs_from_the_trace(run: Run, data: Path) -> None:
    from pages import replay_result

    layout, _ = replay_result.result(run)
    assert "Load × 6" in plain(text_of(layout))
    plainly = finished(data, SchedulingScenario("demo", ("Earth",), policies=("fifo",), **REPLAY_DAYS))
    layout, _ = replay_result.result(plainly)
    assert "jobs, nodes and rules are those of the trace" in text_of(layout)


def test_one_policy_has_winners_and_losers_only_where_there_is_a_record(
    application: ModuleType, data: Path
) -> None:
    from pages.replay_gains import layout

    assert "Winners" not in text_of(layout("abc", ["fifo"]))
    shown = layout("abc", ["fifo"], recorded=True)
    [pair_store] = [each for each in shown._traverse() if getattr(each, "id", None) == "gains-pair"]
    assert pair_store.data == {"run": "abc", "policy": "fifo", "against": "recorded"}


def test_a_replay_is_held_against_what_was_recorded_of_its_jobs(run: Run, data: Path) -> None:
    from pages import replay_gains

    table = pd.concat(pd.read_parquet(each) for each in (data / "traces/demo/current/jobs").glob("*.parquet"))
    waited = (table["start_time"] - table["submit_time"]).dt.total_seconds()
    recorded = table.assign(recorded_s=waited)[["cluster", "job_id", "recorded_s"]]
    jobs = RunStore(data).table(run.id, "jobs").dropna(subset=["end_s"])
    wanted = jobs[jobs["policy"] == "qssf"].merge(recorded.dropna(), on=["cluster", "job_id"])
    change_s = wanted["queueing_delay_s"] - wanted["recorded_s"]
    about = replace(pair(run), against="recorded")
    found = replay_gains.by_job(about)
    assert len(found) == len(wanted) > 0  # resampled jobs were never recorded
    assert sorted(found["change_s"]) == pytest.approx(sorted(change_s))
    assert about.compared().totals["losers"] == (change_s >= 1).sum()


def test_a_record_of_another_version_of_the_trace_is_none(run: Run, data: Path) -> None:
    from pages import replay_gains

    runs = RunStore(data)
    document = runs.result(run.id)
    document["scenario"]["trace_version"] = -1
    runs.save_result(run.id, document, {})
    about = replace(pair(run), against="recorded")
    for view in replay_gains.VIEWS:
        assert "imported again since this run" in view.answer(about)[1]


def test_the_csv_of_the_results_has_every_number_in_a_column_of_its_own(run: Run) -> None:
    from components.tables import csv
    from pages import replay_views
    from pages.finished_run import finished_run

    subject = finished_run(run.id)
    for name in ("replay-results", "replay-queueing"):
        view = next(each for each in replay_views.VIEWS if each.name == name)
        table = pd.read_csv(io.StringIO(csv(view.rows(subject))))
        assert {"p99_jct_s", "fragmentation_gpu_h", "by_size_33+_jobs", "excluded_cpu"} <= set(table.columns)
        assert not table.map(lambda cell: str(cell).startswith("{")).any().any()


def test_a_replay_in_which_no_job_could_start_says_so_everywhere(application: ModuleType, data: Path) -> None:
    from pages import replay_gains, replay_result, replay_views
    from pages.finished_run import finished_run

    nothing = {"Venus/vcA": -1000, "Venus/vcB": -1000}
    made = finished(
        data,
        SchedulingScenario("demo", ("Venus",), policies=("fifo", "qssf"), extra_nodes=nothing, **REPLAY_DAYS),
    )
    layout, sentence = replay_result.result(made)
    assert "No job could be replayed" in sentence
    assert "Venus/vcA −1000 nodes" in text_of(layout)
    subject = finished_run(made.id)
    said = {view.name: view.answer(subject)[1] for view in replay_views.VIEWS}
    for name in ("delays", "durations", "sizes", "queueing", "jct"):
        assert said[f"replay-{name}"].startswith("No job"), name
    assert "no GPUs" in said["replay-utilization"]
    for view in replay_views.VIEWS:
        rows, why = view.answer(subject)
        assert why or (view.figure or view.table)(rows, subject) is not None
    for view in replay_gains.VIEWS:
        assert view.answer(pair(made))[1].endswith("ended in both schedules.")
    worth = next(view for view in replay_views.VIEWS if view.name == "replay-worth")
    assert "no job ran" in text_of(worth.table(worth.rows(subject), subject))
