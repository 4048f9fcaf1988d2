"""Progress of an import: told to who listens, in order, and to nobody else."""

import io
import json

import pytest

from commands import importing, terminal
from traces import counted, intake, philly, progress, typed_cells
from traces.formats import Wishes

HEADER = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue"
JOB = "1,u,v,2,4,1,FAILED,2020-04-01 00:00:00,2020-04-01 00:00:05,2020-04-01 00:00:09,4,5"


def published(folder, clusters):
    for cluster in clusters:
        (folder / "data" / cluster).mkdir(parents=True)
        (folder / "data" / cluster / "cluster_log.csv").write_text(f"{HEADER}\n{JOB}\n")
    return intake.publish(folder / "root", intake.Plan(folder / "data", "helios", trace="t"))


def heard_of(work):
    heard = []
    with progress.heard_by(lambda done, step: heard.append((done, step))):
        work()
    shares = [done for done, _ in heard]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    return heard


def test_a_listener_hears_every_cluster_and_shares_that_only_grow(tmp_path):
    heard = heard_of(lambda: published(tmp_path, ["Earth", "Venus"]))
    named = [(done, step) for done, step in heard if step in ("Reading Earth", "Reading Venus", "Publishing")]
    assert [step for _, step in named] == ["Reading Earth", "Reading Venus", "Publishing"]
    assert [round(done, 6) for done, _ in named] == [0, progress.READING / 2, progress.READING]


def test_a_table_tells_the_bytes_and_then_the_columns_that_are_read(tmp_path):
    path = tmp_path / "jobs.csv"
    line = "2020-04-01 00:00:00,2," + "x" * 2000 + "\n"
    path.write_text("submit_time,gpu_num,job_name\n" + line * 20_000)
    plan = intake.Plan(path, "csv", Wishes(cluster="c", timezone="UTC"), trace="t")
    heard = heard_of(lambda: intake.check(tmp_path, plan))
    read = {step: done for done, step in heard}
    whole = progress.READING * progress.PARSED
    megabytes = (len(line) * 20_000) / 1e6
    for blocks in (1, 2):
        so_far = blocks * typed_cells.BLOCK_BYTES / 1e6
        done = read[f"Read {so_far:,.0f} of {megabytes:,.0f} MB of jobs.csv"]
        assert done == pytest.approx(whole * so_far / megabytes)
    columns = [step for _, step in heard if step.endswith("columns of 20,000 rows")]
    assert columns[0] == "Read 1 of 3 columns of 20,000 rows"
    assert columns[-1] == "Read 3 of 3 columns of 20,000 rows"
    assert read[columns[-1]] == pytest.approx(progress.READING)


def test_a_damaged_table_tells_its_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(counted, "LINES", 10)
    path = tmp_path / "jobs.csv"
    path.write_text("submit_time,gpu_num\n" + "2020-04-01 00:00:00,2\n" * 40 + "cut off")
    plan = intake.Plan(path, "csv", Wishes(cluster="c", timezone="UTC"), trace="t")
    heard = heard_of(lambda: intake.check(tmp_path, plan))
    assert "Read 30 of 41 lines of jobs.csv" in {step for _, step in heard}


def test_a_philly_log_tells_its_jobs(tmp_path, monkeypatch):
    monkeypatch.setattr(philly, "BATCH_JOBS", 2048)
    when = "2017-10-05 00:30:00"
    attempt = {"start_time": when, "end_time": when, "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}
    job = {"status": "Pass", "vc": "v", "user": "u", "submitted_time": when, "attempts": [attempt]}
    jobs = [job | {"jobid": str(each)} for each in range(5000)]
    (tmp_path / "cluster_job_log").write_text(json.dumps(jobs))
    heard = heard_of(lambda: philly.read(tmp_path))
    told = {step: done for done, step in heard}
    assert told["Read 2,048 of 5,000 jobs"] == pytest.approx(progress.PARSED * 2048 / 5000)
    assert told["Read 5,000 of 5,000 jobs"] == pytest.approx(progress.PARSED)


def test_nobody_hears_what_is_told_after_the_block():
    heard = []
    with progress.heard_by(lambda done, step: heard.append(step)):
        progress.tell(0.5, "inside")
    progress.tell(0.6, "outside")
    assert heard == ["inside"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_people_see_progress_and_pipes_see_nothing(monkeypatch):
    for stream, silent in ((Terminal(), False), (io.StringIO(), True)):
        monkeypatch.setattr(terminal.sys, "stderr", stream)
        with importing._progress("Reading x"):
            progress.tell(0.5, "Half")
        assert (stream.getvalue() == "") is silent
        assert ("50%  Half" in stream.getvalue()) is not silent
