"""Progress of an import: told to who listens, in order, and to nobody else."""

import io

from commands import importing, terminal
from traces import intake, progress

HEADER = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue"
JOB = "1,u,v,2,4,1,FAILED,2020-04-01 00:00:00,2020-04-01 00:00:05,2020-04-01 00:00:09,4,5"


def published(folder, clusters):
    for cluster in clusters:
        (folder / "data" / cluster).mkdir(parents=True)
        (folder / "data" / cluster / "cluster_log.csv").write_text(f"{HEADER}\n{JOB}\n")
    return intake.publish(folder / "root", intake.Plan(folder / "data", "helios", trace="t"))


def test_a_listener_hears_every_cluster_and_shares_that_only_grow(tmp_path):
    heard = []
    with progress.heard_by(lambda done, step: heard.append((done, step))):
        published(tmp_path, ["Earth", "Venus"])
    shares = [done for done, _ in heard]
    assert [step for _, step in heard] == ["Reading Earth", "Reading Venus", "Publishing"]
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] < 1


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
