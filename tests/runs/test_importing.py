"""Imports as records of their own: look, check, publish, and what becomes of them."""

import errno
import time

import pytest

from runs import RunError, import_files, importing, queue
from runs.scenario import ImportScenario, document, scenario
from runs.work import work
from traces.catalog import Catalog

TABLE = b"when,gpus,took\n2020-04-01 10:00:00,2,60\n2020-04-01 11:00:00,many,60\n"
MAP = {"submit_time": "when", "gpu_num": "gpus", "duration_s": "took"}


@pytest.fixture
def uploaded(data_folder):
    return import_files.receive("jobs.csv", [TABLE], len(TABLE))


def checked(source, **said):
    seen = import_files.state(import_files.resolved(source))
    values = {"format": "csv", "trace": "mine", "cluster": "C", "timezone": "Europe/Berlin", "mapped": MAP}
    return ImportScenario(source, "check", seen, **(values | said))


def worked(settings):
    run = importing.start(settings)
    work(run.id, importing.SHELF)
    return importing.store().get(run.id)


def test_an_import_reads_back_from_its_record(uploaded):
    settings = checked(uploaded, gpus_per_node=4)
    assert scenario("import", document(settings)) == settings


def test_a_look_tells_the_format_and_the_first_rows(uploaded):
    preview = importing.imported(importing.look(uploaded).settings(), lambda done, step: None)["preview"]
    assert preview["format"] == "csv"
    assert list(preview["columns"]) == ["when", "gpus", "took"]
    assert preview["rows"][0] == ("2020-04-01 10:00:00", "2", "60")
    assert preview["mapped"] == {}
    assert preview["guessed"] == {"gpu_num": "gpus"}


def test_a_file_of_no_known_format_is_looked_at_without_a_failure(data_folder):
    source = import_files.receive("words.txt", [b"hello"], 5)
    run = importing.look(source)
    work(run.id, importing.SHELF)
    preview = importing.store().result(run.id)["preview"]
    assert preview["format"] is None
    assert "no format" in preview["why"]


def test_the_same_look_is_not_taken_twice(uploaded):
    assert importing.look(uploaded).id == importing.look(uploaded).id


def test_a_check_publishes_nothing_and_the_same_import_then_publishes_all(uploaded, data_folder):
    check = worked(checked(uploaded))
    assert check.state == "done", check.error
    report = importing.store().result(check.id)["reports"][0]
    assert (report["rows_read"], report["rows_kept"]) == (2, 1)
    assert report["rejected_examples"][0]["line"] == 3
    assert Catalog(data_folder).names() == []
    done = worked(importing.published(check.settings()))
    assert done.state == "done", done.error
    assert Catalog(data_folder).manifest("mine")["clusters"]["C"]["report"]["rows_kept"] == 1
    assert queue.store().all() == []


def test_a_failed_import_says_why_and_publishes_nothing(uploaded, data_folder):
    run = worked(importing.published(checked(uploaded, mapped={})))
    assert run.state == "failed"
    assert "gpu_num" in run.error or "submit_time" in run.error
    assert Catalog(data_folder).names() == []


def test_a_file_that_changed_since_the_look_is_refused(uploaded):
    settings = checked(uploaded)
    import_files.resolved(uploaded).write_bytes(TABLE + b"2020-04-02,1,1\n")
    with pytest.raises(RunError, match="has changed"):
        importing.imported(settings, lambda done, step: None)


def test_an_import_whose_file_is_gone_cannot_be_started(data_folder):
    with pytest.raises(RunError, match="send the file again"):
        importing.start(ImportScenario("upload/" + "0" * 32))


def test_a_cancelled_import_is_not_begun(uploaded):
    run = importing.start(checked(uploaded))
    importing.cancel(run.id)
    importing.work_on_waiting()
    assert importing.store().get(run.id).state == "cancelled"


def test_a_waiting_import_is_worked_on_in_a_process_of_its_own(uploaded, monkeypatch):
    worked_on = []
    monkeypatch.setattr(queue, "work_on", lambda run_id, shelf: worked_on.append((run_id, shelf)))
    first, second = importing.start(checked(uploaded)), importing.start(checked(uploaded))
    importing.work_on_waiting()
    assert worked_on == [(first.id, "imports"), (second.id, "imports")]


def test_an_import_left_by_its_worker_is_taken_up_again(uploaded, monkeypatch):
    run = importing.start(checked(uploaded))
    importing.store().update(run.id, state="running", attempts=1)
    monkeypatch.setattr(importing.store().__class__, "silent_s", lambda self, run_id: 1e6)
    queue.recover()
    assert importing.store().get(run.id).state == "queued"


def test_old_records_are_removed_and_open_ones_stay(uploaded):
    done, waiting = importing.start(checked(uploaded)), importing.start(checked(uploaded))
    long_ago = time.time() - 25 * 3600
    importing.store().update(done.id, state="done", created=long_ago)
    importing.store().update(waiting.id, created=long_ago)
    importing.sweep()
    assert [run.id for run in importing.store().all()] == [waiting.id]


def test_a_format_without_a_header_is_shown_by_its_lines(tmp_path):
    (tmp_path / "pai_job_table.csv").write_text("j0,i0,u0,Terminated,1000,5000\n")
    (tmp_path / "pai_task_table.csv").write_text("j0,worker,2,Terminated,1100,5000,600,29,50,T4\n")
    preview = importing.looked_at(tmp_path)
    assert preview["format"] == "pai"
    assert preview["columns"] == ("its first lines",)
    assert preview["rows"][0] == ("j0,i0,u0,Terminated,1000,5000",)


def test_the_columns_of_a_format_without_a_map_are_not_guessed(tmp_path):
    file = tmp_path / "sacct.txt"
    file.write_text("JobIDRaw|User|Partition|Submit|Start|End|State|AllocTRES\n1|a|p|||||gres/gpu=1\n")
    preview = importing.looked_at(file)
    assert (preview["format"], preview["guessed"], preview["mapped"]) == ("slurm", {}, {})


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02binary",
        b"PAR1xxxx",
        b"PK\x03\x04junk",
        b"\x1f\x8bjunk",
        b"",
        b"a,a,b\n1,2,3\n",
        b'[{"a":1,"attempts":["' + b"x" * 100_000,
        b'a,b\n"never closed,1\n2,3\n',
    ],
)
def test_no_file_breaks_the_look(tmp_path, data):
    file = tmp_path / "file"
    file.write_bytes(data)
    preview = importing.looked_at(file)
    assert preview["why"]
    assert set(preview) == {"format", "why", "columns", "rows", "mapped", "guessed"}


def test_a_disk_that_is_full_is_said_in_a_sentence(uploaded, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "/data/traces/x")

    monkeypatch.setattr(importing.intake, "check", full)
    with pytest.raises(RunError, match="x: No space left on device"):
        importing.imported(checked(uploaded), lambda done, step: None)


def test_a_capacity_file_says_where_it_belongs_in_the_words_of_the_form(tmp_path):
    file = tmp_path / "nodes.csv"
    file.write_text("vc,nodes\na,1\n")
    assert "“Capacity”" in importing.looked_at(file)["why"]
