"""The Jobs page: its sentence, its notes, and every view's table columns."""

from collections.abc import Callable
from pathlib import Path

import pytest

from components.numbers import duration
from tests import synthetic
from tests.stored_trace import job, store


def test_the_answer_is_computed_from_the_data(data: Path, scope: Callable) -> None:
    from pages import jobs

    frame = synthetic.synthetic_jobs()
    gpu = frame[frame["gpu_num"] > 0]
    sentence = jobs.answer(scope(trace="demo")).replace("\u00a0", " ")
    assert f"end within {duration(gpu['duration_s'].median())};".replace("\u00a0", " ") in sentence
    small = 100 * (gpu["gpu_num"] <= 1).mean()
    assert f"{small:.0f} % ask for one GPU at most" in sentence
    failed = 100 * gpu["state"].isin(["FAILED", "TIMEOUT"]).mean()
    assert f"{failed:.0f} % fail" in sentence


def test_notes_count_what_each_chart_leaves_out_and_say_why(data: Path, scope: Callable) -> None:
    from pages import jobs

    rows = [
        job(submit_time="2020-09-01", duration_s=5.0),
        job(submit_time="2020-09-01", gpu_num=None, duration_s=5.0),
        job(submit_time="2020-09-01", state="RUNNING"),
    ]
    store(data, "gaps", rows)
    gaps = scope(trace="gaps")
    note = jobs.DURATIONS.note(jobs.DURATIONS.rows(gaps), gaps)
    assert "1 job of unknown GPU count and 1 job without a duration" in note
    assert "not ended or of unknown state" in jobs.status_note(gaps)


def test_a_trace_without_states_or_durations_says_so(data: Path, scope: Callable) -> None:
    from pages import jobs

    store(data, "bare", [job(submit_time="2020-09-01", state="UNKNOWN")])
    bare = scope(trace="bare")
    assert "no job states" in jobs.STATUS_BY_KIND.answer(bare)[1]
    assert "known duration" in jobs.DURATIONS.answer(bare)[1]


@pytest.mark.parametrize("page", ["overview", "jobs"])
def test_every_view_draws_its_rows_and_its_table_has_their_columns(
    data: Path, scope: Callable, page: str
) -> None:
    import importlib

    from components.tables import data_table

    for view in importlib.import_module(f"pages.{page}").VIEWS:
        rows, sentence = view.answer(scope(trace="demo"))
        if view.name == "overview-attention" and sentence:
            continue  # nothing stands out in random data
        assert len(rows) and sentence == "", view.name
        assert view.note(rows, scope(trace="demo"))
        if view.figure:
            assert len(view.figure(rows, scope(trace="demo")).data)
            assert data_table(rows, view.columns)
        else:
            assert view.table(rows, scope(trace="demo"))
