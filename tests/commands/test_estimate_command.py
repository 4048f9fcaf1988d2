"""``heliograph estimate`` as a script and as a person see it."""

import json


def test_estimate_prints_one_document_for_scripts(small_trace, heliograph):
    answer = heliograph("estimate", "--trace", small_trace, "--json")
    assert answer.code == 0, answer.err
    assert set(answer.document) == {"scenario", "clusters", "elapsed_s"}
    [part] = answer.document["clusters"]
    assert part["jobs"] == 144
    assert part["model"] is None  # too few jobs, and none before the window
    assert part["ends"] == "simulated"
    assert [row["order"] for row in part["schedules"]][:2] == ["fifo", "fewest_gpus"]
    assert "NaN" not in json.dumps(answer.document)


def test_estimate_says_for_people_what_is_missing(small_trace, heliograph):
    answer = heliograph("estimate", "--trace", small_trace)
    assert answer.code == 0, answer.err
    assert "no model" in answer.out
    assert "no job names" in answer.out
    assert "fewest_gpus" in answer.out


def test_recorded_ends_that_a_trace_does_not_have_are_refused(small_trace, heliograph):
    answer = heliograph("estimate", "--trace", small_trace, "--ends", "recorded")
    assert answer.code == 2
    assert "no end times" in answer.err
    assert answer.err.count("\n") == 1
