"""`heliograph plan` as a script sees it."""

import pytest


def test_a_plan_prints_its_answer_and_everything_that_was_asked(small_trace, heliograph):
    words = ("plan", "--trace", small_trace, "--vc", "busy", "--target", "avg_queueing_delay_s<=0")
    answer = heliograph(*words, "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    keys = "scenario target measure limit by now found monotone asked curve interval sentence elapsed_s"
    assert set(document) == set(keys.split())
    assert list(document["found"]["vcs"]) == ["busy"]
    assert document["found"]["numbers"]["avg_queueing_delay_s"] == 0
    assert document["sentence"] in heliograph(*words).out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--target", "speed<=1"), "is no target"),
        (("--target", "avg_jct_s<=1", "--by", "magic"), "magic"),
        (("--target", "avg_jct_s<=1", "--policy", "magic"), "no policy 'magic'"),
        ((), "Missing option '--target'"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_one_sentence(small_trace, heliograph, words, sentence):
    answer = heliograph("plan", "--trace", small_trace, *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.out == ""
