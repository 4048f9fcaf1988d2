"""The command's contract: exit codes, sentences, documents."""

import csv
import json
import re

import pytest

JOBS = """submit_time,gpu_num,duration,vc
2020-04-01 00:00:00,8,100,a
2020-04-01 00:00:10,8,50,a
2020-04-01 00:00:20,16,10,a
2020-04-01 00:00:30,1,10,unknown
2020-04-01 00:00:40,0,10,a
2020-04-01 00:00:50,1,,a
2020-04-01 00:01:00,,10,a
"""


@pytest.fixture
def jobs_file(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text(JOBS)
    (tmp_path / "nodes.csv").write_text("vc,nodes\na,1\n")
    return path


@pytest.fixture
def imported(heliograph, jobs_file):
    capacity = jobs_file.with_name("nodes.csv")
    answer = heliograph(
        *("import", "csv", jobs_file, "--trace", "t", "--cluster", "C", "--timezone", "UTC"),
        *("--capacity", capacity, "--json"),
    )
    assert answer.code == 0, answer.err
    return answer.document


def test_an_import_prints_its_report_whose_counts_add_up(imported):
    assert imported["rows_read"] == imported["rows_kept"] + sum(imported["rows_rejected"].values()) == 7
    assert (imported["trace"], imported["cluster"]) == ("t", "C")
    assert imported["first_submit"].startswith("2020-04-01T00:00:00")


def test_simulate_prints_the_documented_keys_and_counts_every_job_once(imported, heliograph):
    document = heliograph("simulate", "--trace", "t", "--policy", "fifo", "--json").document
    assert set(document) >= {"scenario", "results", "elapsed_s"}
    total = document["results"][-1]
    assert set(total) >= {
        *(
            "policy",
            "cluster",
            "vc",
            "jobs",
            "rejected_jobs",
            "excluded",
            "avg_jct_s",
            "avg_queueing_delay_s",
        ),
        *("p95_queueing_delay_s", "queued_jobs", "preemptions", "makespan_s", "gpu_utilization"),
        "unfinished_jobs",
    }
    assert total["excluded"] == {"cpu": 1, "no_duration": 1, "no_gpu_num": 1}
    assert (total["jobs"], total["rejected_jobs"]) == (4, 2)  # 16 GPUs on one node; a VC of unknown capacity
    assert total["avg_queueing_delay_s"] == pytest.approx((0 + 90) / 2)
    assert total["makespan_s"] == 150


def test_unknown_numbers_are_null_and_never_nan(imported, heliograph):
    answer = heliograph("simulate", "--trace", "t", "--vc", "unknown", "--policy", "sjf", "--json")
    row = answer.document["results"][0]
    assert row["avg_jct_s"] is None
    assert row["gpu_utilization"] is None
    assert not re.search(r"NaN|Infinity", answer.out)


def test_simulate_takes_every_change_of_the_scenario_and_says_it_in_its_document(imported, heliograph):
    answer = heliograph(
        *("simulate", "--trace", "t", "--policy", "fifo", "--policy", "las", "--placement", "spread"),
        *("--backfill", "--capacity-over-time", "--nodes", "C/a:+1", "--nodes", "C/a:-1@2020-04-02"),
        *("--duration-factor", 2, "--move", "vc:unknown=a", "--tie-sensitivity", "--json"),
        *("--until", "2020-04-01 00:03:00"),
    )
    assert answer.code == 0, answer.err
    scenario, fifo = answer.document["scenario"], answer.document["results"][0]
    assert scenario["extra_nodes"] == {"C/a": 1}
    assert scenario["dated_nodes"] == ["C/a:-1@2020-04-02"]
    assert scenario["moves"] == {"vc:unknown": "a"}
    # 16 GPUs: 200 s and 100 s of 8 GPUs run at once, the gang of 16 waits until 200 s, and is cut at 180 s
    assert (fifo["jobs"], fifo["rejected_jobs"], fifo["unfinished_jobs"]) == (4, 0, 3)
    assert fifo["tie_interval"]["avg_jct_s"] == [100, 100]
    assert any("3 jobs had not ended" in note for note in answer.document["notes"])


def test_the_jobs_file_has_a_row_per_policy_and_job(imported, heliograph, tmp_path):
    heliograph(
        "simulate", "--trace", "t", "--policy", "fifo", "--policy", "sjf", "--jobs-out", tmp_path / "out.csv"
    )
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert rows[0]["job_id"] == "0"
    assert [row["start_s"] for row in rows if row["vc"] == "unknown"] == ["", ""]


def test_progress_and_tables_for_people_need_no_json(imported, heliograph):
    answer = heliograph("simulate", "--trace", "t")
    assert answer.code == 0
    assert "mean JCT s" in answer.out
    assert answer.err == ""  # nobody is looking at a pipe


def test_traces_are_listed_renamed_and_deleted(imported, heliograph):
    assert [each["trace"] for each in heliograph("traces", "--json").document["traces"]] == ["t"]
    assert heliograph("traces", "rename", "t", "april").code == 0
    assert "april  (UTC)" in heliograph("traces").out
    assert heliograph("traces", "delete", "april").code == 0
    assert "No traces yet" in heliograph("traces").out


def test_a_node_series_is_imported_and_studied_like_a_file(heliograph, tmp_path):
    lines = ["time,active,total"]
    lines += [
        f"2020-04-{1 + h // 24:02} {h % 24:02}:{m:02}:00,{3 + h % 5},10"
        for h in range(120)
        for m in range(0, 60, 10)
    ]
    file = tmp_path / "nodes.csv"
    file.write_text("\n".join(lines))
    window = ("--from", "2020-04-04", "--to", "2020-04-06", "--model", "last", "--json")
    study = ("energy", "--series", file, "--map", "used=active", "--preset", "Philly", "--buffer", 1, *window)
    from_file = heliograph(*study)
    assert from_file.code == 0, from_file.err
    heliograph("import", "nodes", file, "--trace", "n", "--cluster", "C", "--map", "used=active")
    stored = heliograph(
        "energy", "--trace", "n", "--cluster", "C", "--preset", "Philly", "--buffer", 1, *window
    )
    assert stored.document["result"] == from_file.document["result"]
    assert from_file.document["result"]["slots"] == 288
    only = heliograph("forecast", "--trace", "n", "--cluster", "C", *window).document
    assert only["forecast"] == stored.document["forecast"]
    assert "result" not in only


MISTAKES = {
    "unknown trace": (("simulate", "--trace", "nope"), "no trace called “nope”"),
    "missing option": (("simulate",), "Missing option '--trace'"),
    "unknown option": (("simulate", "--fast"), "No such option"),
    "unknown command": (("fly",), "No such command 'fly'"),
    "unknown policy": (("simulate", "--trace", "t", "--policy", "magic"), "no policy 'magic'"),
    "unknown placement": (("simulate", "--trace", "t", "--placement", "far"), "no placement 'far'"),
    "a change of nodes without a VC": (("simulate", "--trace", "t", "--nodes", "a:1"), "CLUSTER/VC:NODES"),
    "a move of nobody": (("simulate", "--trace", "t", "--move", "user:nobody=a"), "moves no job"),
    "a move of neither": (("simulate", "--trace", "t", "--move", "job:1=a"), "user:NAME or vc:NAME"),
    "a start state of no starts": (("simulate", "--trace", "t", "--start-state"), "no start times"),
    "a merge that says nothing": (("simulate", "--trace", "t", "--merge", "a"), "vcA=vcB"),
    "unknown cluster": (("simulate", "--trace", "t", "--cluster", "D"), "no cluster 'D'"),
    "nonsense time": (("simulate", "--trace", "t", "--from", "tomorrow"), "'tomorrow'"),
    "empty window": (
        ("simulate", "--trace", "t", "--from", "2020-05-01", "--to", "2020-04-01"),
        "window is empty",
    ),
    "missing file": (
        ("import", "csv", "gone.csv", "--trace", "x", "--cluster", "C", "--timezone", "UTC"),
        "gone.csv",
    ),
    "bad map": (("import", "csv", "x", "--trace", "x", "--cluster", "C", "--map", "vc"), "canonical=source"),
    "no demand": (("energy", "--from", "2020-04-01"), "Say which demand"),
    "unknown model": (
        ("energy", "--trace", "t", "--cluster", "C", "--model", "crystal"),
        "crystal",
    ),
    "short training": (("forecast", "--trace", "t", "--cluster", "C"), "2 days"),
    "boot time": (
        ("energy", "--trace", "t", "--cluster", "C", "--boot-time", "soon"),
        "--boot-time is 'soon'",
    ),
    "rename of nothing": (("traces", "rename", "nope", "x"), "no trace 'nope'"),
    "delete of nothing": (("traces", "delete", "nope"), "no trace 'nope'"),
    "a name that is a path": (("traces", "rename", "t", "../x"), "name"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_users_mistake_gets_one_sentence_and_exit_code_2(imported, heliograph, mistake):
    words, sentence = MISTAKES[mistake]
    answer = heliograph(*words)
    assert answer.code == 2, answer.err
    assert sentence in answer.err
    assert answer.err.startswith("heliograph: ")
    assert answer.err.count("\n") == 1
    assert answer.out == ""


def test_a_refused_import_leaves_the_published_trace_as_it_was(imported, heliograph, tmp_path):
    before = heliograph("traces", "--json").out
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    answer = heliograph(
        "import", "csv", tmp_path / "bad.csv", "--trace", "t", "--cluster", "C", "--timezone", "UTC"
    )
    assert answer.code == 2
    assert heliograph("traces", "--json").out == before


def test_a_password_line_can_be_checked_and_does_not_show_the_password(heliograph):
    from werkzeug.security import check_password_hash

    line = heliograph("password", "alice", "--password", "s3cret").out.strip()
    user, _, hashed = line.partition(":")
    assert user == "alice"
    assert "s3cret" not in line
    assert check_password_hash(hashed, "s3cret")


def test_every_subcommand_has_a_help_text(heliograph):
    for words in (
        ("serve",),
        ("worker",),
        ("demo",),
        ("import", "csv"),
        ("import", "helios"),
        ("import", "nodes"),
        ("traces",),
        ("simulate",),
        ("energy",),
        ("forecast",),
    ):
        answer = heliograph(*words, "--help")
        assert answer.code == 0
        assert "Usage: heliograph" in answer.out


def test_philly_vc_11cb48_gives_the_published_figures(heliograph, shared):
    """The artifact's simulator on the same jobs: ../shared/golden/summary.csv."""
    philly = shared / "data/philly"
    heliograph(
        *(
            "import",
            "csv",
            philly / "jobs.csv",
            "--trace",
            "philly",
            "--cluster",
            "Philly",
            "--timezone",
            "UTC",
        ),
        *("--map", "submit_time=timestamp", "--map", "gpu_num=num_gpus", "--map", "vc=cluster"),
        *("--capacity", philly / "vc_nodes.csv"),
    )
    answer = heliograph(
        *("simulate", "--trace", "philly", "--vc", "11cb48", "--policy", "fifo", "--policy", "sjf", "--json"),
        *("--from", "2017-10-01", "--to", "2017-11-30 23:59:01"),
    )
    rows = {row["policy"]: row for row in json.loads(answer.out)["results"] if row["vc"] == "11cb48"}
    shown = {
        policy: (round(row["avg_jct_s"], 2), round(row["avg_queueing_delay_s"], 2), row["queued_jobs"])
        for policy, row in rows.items()
    }
    assert shown == {"fifo": (3110.67, 240.98, 192), "sjf": (3059.07, 189.39, 189)}
