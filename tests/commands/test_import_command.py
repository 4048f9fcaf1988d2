"""`import slurm`, `import auto` and `check` as a script sees them."""

import io
import json

import pytest

from tests.traces.sacct_extracts import extract, job


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "extract.txt"
    path.write_text(extract(job(1), job(2, JobName="a|b"), job(3, Submit="")))
    return path


def test_importing_twice_gives_the_same_table_and_says_so(heliograph, file):
    words = ("import", "slurm", file, "--trace", "t", "--timezone", "UTC", "--json")
    first, second = heliograph(*words).document, heliograph(*words).document
    assert (first.pop("changes"), second.pop("changes")) == (
        {"added": 2, "updated": 0, "unchanged": 0, "older": 0},
        {"added": 0, "updated": 0, "unchanged": 2, "older": 0},
    )
    assert first == second
    assert first["rows_read"] == first["rows_kept"] + sum(first["rows_rejected"].values()) == 3
    assert (first["trace"], first["cluster"]) == ("t", "alpha")


def test_a_pipe_and_an_unnamed_format_read_the_same(heliograph, file, monkeypatch):
    def piped():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))

    options = ("--timezone", "Europe/Berlin", "--file-timezone", "UTC", "--json")
    piped()
    by_pipe = heliograph("import", "slurm", "-", "--trace", "pipe", *options)
    assert by_pipe.code == 0, by_pipe.err
    piped()
    auto = heliograph("import", "auto", "-", "--trace", "auto", *options).document
    assert auto.pop("format") == "slurm"
    assert "fields of sacct" in auto.pop("why")
    assert auto | {"trace": "pipe"} == by_pipe.document
    assert by_pipe.document["first_submit"] == "2024-03-01T08:00:00Z"


def test_a_check_says_everything_and_stores_nothing(heliograph, file):
    answer = heliograph("check", file, "--timezone", "UTC")
    assert answer.code == 0, answer.err
    for words in (
        "extract.txt is slurm: its first line names 20 fields",
        "read 3 rows, kept 2",
        "rejected: 1 missing submit time (4.0 GPU-hours)",
        "line 4: missing submit time",
        "flagged: 1 repaired columns (4.0 GPU-hours)",
        "2 jobs, 2 with GPUs, 8.0 GPU-hours",
    ):
        assert words in answer.out
    assert "No traces yet" in heliograph("traces").out


def test_a_check_writes_all_rejected_rows_where_it_is_asked_to(heliograph, file, tmp_path):
    rejects = tmp_path / "rejects.csv"
    answer = heliograph("check", file, "--timezone", "UTC", "--rejects", rejects)
    assert answer.code == 0, answer.err
    head, *rows = rejects.read_text().splitlines()
    assert head == "cluster,source,line,reason,text"
    assert rows == ["alpha,extract.txt,4,missing_submit_time,"]
    answer = heliograph("check", file, "--timezone", "UTC", "--rejects", tmp_path / "no" / "folder.csv")
    assert answer.code == 2
    assert "Traceback" not in answer.err


def test_several_clusters_make_one_document_with_a_report_of_each(heliograph, tmp_path):
    path = tmp_path / "two.txt"
    path.write_text(extract(job(1), job(1, Cluster="beta")))
    document = heliograph("import", "slurm", path, "--timezone", "UTC", "--json").document
    assert document["trace"] == "slurm"
    assert [each["cluster"] for each in document["clusters"]] == ["alpha", "beta"]


def test_names_are_hidden_when_asked(heliograph, file, data_folder):
    words = ("import", "slurm", file, "--trace", "t", "--timezone", "UTC", "--pseudonymize", "--json")
    assert heliograph(*words).code == 0
    assert all(b"ann" not in path.read_bytes() for path in (data_folder / "traces").rglob("*.parquet"))
    plain = heliograph("import", "slurm", file, "--trace", "t", "--timezone", "UTC")
    assert plain.code == 2
    assert "--pseudonymize" in plain.err
    assert heliograph("import", "slurm", file, "--trace", "t", "--timezone", "UTC", "--replace").code == 0


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (extract(job()), (), "--timezone"),
        (
            extract(job(AllocTRES="cpu=1", ReqTRES="cpu=1")),
            ("--timezone", "UTC"),
            "AccountingStorageTRES=gres/gpu",
        ),
        (extract(job()), ("--timezone", "UTC", "--vc", "Wing"), "no column Wing"),
        ("a|b\n1|2\n", ("--timezone", "UTC"), "no sacct output"),
    ],
)
def test_a_refusal_is_one_sentence_and_stores_nothing(heliograph, tmp_path, text, options, sentence):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    answer = heliograph("import", "slurm", path, *options)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert json.loads(heliograph("traces", "--json").out) == {"traces": []}
