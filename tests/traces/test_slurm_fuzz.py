"""Whatever bytes are said to be sacct's: a report whose counts add up, or one sentence; nothing else."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.traces.sacct_extracts import FIELDS, PENDING, RUNNING, extract, job
from tests.traces.test_slurm_nodes import SCONTROL, SINFO
from traces import TraceError, capacity_source, intake, slurm
from traces.catalog import Catalog
from traces.formats import Wishes
from traces.intake import Plan
from traces.slurm import SlurmOptions

pytestmark = pytest.mark.usefixtures("without_rollups")

ROWS = (
    job(1, JobName="a|b"),
    job(2, JobName='two\nlines "x"', Cluster="beta"),
    job(3, **PENDING),
    job(4, JobID="4_[1-3%2]", **PENDING),
    job(5, JobID="4_1", JobIDRaw="5", **RUNNING),
    job(6, JobIDRaw="6.batch", JobID="6.batch"),
    job(1, State="CANCELLED by 1001", Start="2024-03-01T10:00:00"),
    job(7, NodeList="a[01-02],b03", AllocTRES="gres/gpu:2080ti=1"),
)
VALID = extract(*ROWS).encode()
CELL = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["", "Unknown", "None", "1", "1_2", "9_[1-", "1.0", "x.batch", "-1", "1e9", "0"]),
    st.sampled_from(["2024-03-01T08:00:00", "2024-03-31T02:30:00", "9999-01-01T00:00:00", "2024-03-01"]),
    st.sampled_from(["gres/gpu=4", "gpu:a:2(IDX:0,1)", "cpu=1", "gres/gpu=x", "a[1-99999999]", "1-00:00:00"]),
    st.sampled_from(["RUNNING", "CANCELLED by 7", "12:00", "../x", "alpha", "beta", "JobID"]),
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "extract.txt"


def outcome(file, content, options=None):
    file.write_bytes(content)
    try:
        return slurm.read(file, options or SlurmOptions("C", "Europe/Berlin", needs_gpus=False))
    except TraceError as error:
        assert str(error).strip()
        assert "\n" not in str(error).strip()
        return []


def assert_adds_up(read):
    for each in read:
        report = each.report
        assert report.rows_read == report.rows_kept + sum(report.rows_rejected.values())
        assert report.rows_kept == len(each.jobs)
        assert len(each.rejects) == sum(report.rows_rejected.values())
        flags = [flag for flags in each.jobs["flags"] for flag in flags]
        assert {flag: flags.count(flag) for flag in set(flags)} == report.rows_flagged
        assert not (each.jobs["duration_s"] < 0).any()
        assert not (each.jobs["queueing_delay_s"] < 0).any()
        json.dumps(report.document(), allow_nan=False)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
@example(b"JobID|Submit|AllocTRES")
@example(b"JobID|Submit|AllocTRES\n\n")
@example(b"JobID|Submit|AllocTRES\n1|2024-03-01T00:00:00|gres/gpu=1\n|||||||\n")
@example(b"JobID|JobName|Submit|AllocTRES\n1|\n\n\n\n")
def test_any_bytes_are_refused_or_add_up(file, content):
    assert_adds_up(outcome(file, content))
    assert_adds_up(outcome(file, b"JobID|JobName|Submit|AllocTRES\n" + content))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(VALID) - 1),
            st.sampled_from(["delete", "insert", "replace", "cut"]),
            st.one_of(st.binary(max_size=4), st.sampled_from([b"|", b"\n", b"||", b'"', b"\r"])),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_damaged_extracts_are_refused_or_add_up(file, damages):
    content = bytearray(VALID)
    for at, kind, put in damages:
        end = {"delete": at + 1, "insert": at, "replace": at + len(put), "cut": len(content)}[kind]
        content[at:end] = put
    assert_adds_up(outcome(file, bytes(content), SlurmOptions(timezone="Europe/Berlin", needs_gpus=False)))


@settings(max_examples=60, deadline=None)
@given(
    st.permutations(FIELDS),
    st.integers(3, len(FIELDS)),
    st.lists(st.fixed_dictionaries(dict.fromkeys(FIELDS, CELL)), min_size=1, max_size=5),
    st.sampled_from(["|", ",", ";", "\t", "~~"]),
    st.booleans(),
)
def test_any_cells_under_any_header_are_refused_or_add_up(file, fields, number, rows, delimiter, trailing):
    text = extract(*rows, fields=fields[:number], delimiter=delimiter, trailing=trailing)
    assert_adds_up(outcome(file, text.encode("utf-8", errors="replace")))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([SCONTROL, SINFO]),
    st.lists(st.tuples(st.integers(0, 300), st.text("|()[]:=,\n gpua1-*", max_size=3)), max_size=5),
)
def test_damaged_node_listings_are_refused_or_make_sense(file, text, damages):
    for at, put in damages:
        text = text[:at] + put + text[at + 1 :]
    file.write_text(text)
    try:
        _, found = capacity_source.read(file)
    except TraceError as error:
        assert "\n" not in str(error).strip()
        return
    assert (found.rows["gpus"] >= 0).all()
    assert found.rows["vc"].is_unique


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.integers(0, len(VALID) - 1), min_size=1, max_size=3),
    st.sampled_from([b"|", b"\n", b"9", b""]),
)
def test_whatever_was_imported_before_stays_readable(tmp_path_factory, places, put):
    root = tmp_path_factory.mktemp("data")
    whole, damaged = root / "whole.txt", root / "damaged.txt"
    content = bytearray(VALID)
    for at in places:
        content[at : at + 1] = put
    whole.write_bytes(VALID)
    damaged.write_bytes(bytes(content))
    plan = Plan(whole, "slurm", Wishes(timezone="UTC"), "T")
    intake.publish(root, plan)
    before = Catalog(root).manifest("T")
    try:
        intake.publish(root, Plan(damaged, "slurm", Wishes(timezone="UTC"), "T"))
    except TraceError:
        assert Catalog(root).manifest("T") == before
    after = Catalog(root).manifest("T")["clusters"]
    for name, entry in before["clusters"].items():
        assert after[name]["report"]["rows_kept"] >= entry["report"]["rows_kept"] - len(places)
