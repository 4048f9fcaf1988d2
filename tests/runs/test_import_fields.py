"""What an operator must say for each format, where a mistake is shown, and what columns look like."""

import re
from pathlib import Path

import pytest

from runs.column_guesses import guesses
from runs.import_fields import USES, placed, refusals
from runs.scenario import ImportScenario
from traces.formats import FORMATS
from traces.schema import SOURCE_COLUMNS

MAP = {"submit_time": "when", "gpu_num": "gpus"}
GOOD = ImportScenario("upload/x", "check", format="csv", trace="mine", cluster="C", mapped=MAP)


def said(**changes):
    return refusals(ImportScenario(**(vars(GOOD) | changes)))


def test_every_format_says_which_fields_it_uses():
    assert set(USES) == set(FORMATS)


def test_a_complete_table_is_accepted():
    assert said() == {}
    assert said(timezone="Europe/Berlin", gpus_per_node=8) == {}
    assert said(mapped=MAP | {"user": "", "vc": ""}) == {}


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"format": ""}, "format", "which format"),
        ({"trace": ""}, "trace", "Name the trace"),
        ({"trace": "../x"}, "trace", "cannot name a trace"),
        ({"cluster": ""}, "cluster", "name it"),
        ({"cluster": ".x"}, "cluster", "cannot name a cluster"),
        ({"timezone": "Mars/Base"}, "timezone", "no time zone"),
        ({"gpus_per_node": 0}, "gpus_per_node", "at least 1"),
        ({"mapped": {"gpu_num": "gpus"}}, "map", "submit_time"),
        ({"mapped": MAP | {"end_time": "when"}}, "map", "submit_time and end_time"),
        ({"adds": True}, "map", "job_id"),
        ({"ids_follow_submission": True}, "map", "job_id"),
        ({"mapped": MAP | {"gpu_num": ""}}, "map", "gpu_num"),
        ({"format": "nodes", "mapped": {"time": "t"}}, "map", "used and which is total"),
    ],
)
def test_each_mistake_is_one_sentence_at_its_field(changes, field, words):
    found = said(**changes)
    assert list(found) == [field]
    assert words in found[field]


def test_a_public_trace_needs_no_name_no_cluster_and_no_map():
    assert refusals(ImportScenario("upload/x", "check", format="helios")) == {}


def test_a_sentence_about_an_option_is_shown_at_its_field_in_the_words_of_the_form():
    field, sentence = placed("jobs.csv has no column submit_time; map one with --map submit_time=COLUMN.")
    assert (field, sentence) == ("map", "jobs.csv has no column submit_time; map one with “Columns”.")
    assert placed("… which time zone they are in (--timezone).")[0] == "timezone"
    assert placed("… in another (--file-timezone).")[0] == "file_timezone"
    assert placed("run sacct without --noheader.") == ("", "run sacct without --noheader.")


def test_no_sentence_of_an_import_names_an_option_that_the_form_does_not_know():
    ours = {
        "--capacity",
        "--map",
        "--timezone",
        "--cluster",
        "--trace",
        "--replace",
        "--vc",
        "--pseudonymize",
    }
    ours |= {"--gpus-per-node", "--file-timezone"}
    slurms = {"--parsable", "--parsable2", "--noconvert", "--allocations", "--format", "--noheader", "--json"}
    slurms |= {"--oneliner", "--Node", "--duplicates", "--allusers"}
    folder = Path(__file__).resolve().parents[2] / "traces"
    named = {
        name for file in folder.glob("*.py") for name in re.findall(r"--[a-zA-Z][\w-]+", file.read_text())
    }
    assert named - ours - slurms == set()


def test_columns_are_guessed_by_the_names_that_schedulers_use():
    columns = ["Job ID", "Submitted", "GPUs", "Elapsed", "User", "note"]
    assert guesses(columns, {}, SOURCE_COLUMNS) == {
        "job_id": "Job ID",
        "submit_time": "Submitted",
        "gpu_num": "GPUs",
        "duration_s": "Elapsed",
        "user": "User",
    }


def test_a_column_is_guessed_once_and_never_in_place_of_a_known_one():
    assert guesses(["gpus", "gpu_num"], {"gpu_num": "gpu_num"}, SOURCE_COLUMNS) == {}
    assert guesses(["nodes"], {}, ("node_num", "total")) == {"node_num": "nodes"}
