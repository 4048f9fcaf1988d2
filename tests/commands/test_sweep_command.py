"""`heliograph sweep` as a script sees it."""

import csv
from pathlib import Path


def test_a_sweep_prints_a_row_per_scenario_and_says_where_they_are_kept(small_trace, heliograph):
    words = ("sweep", "--trace", small_trace, "--policy", "fifo", "--nodes", "x1", "--nodes", "x2")
    answer = heliograph(*words, "--load-factor", "1:2:0.5", "--seeds", 2, "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    assert document["scenarios"] == len(document["results"]) == 2 * (1 + 2 * 2)
    assert document["grid"]["load_factors"] == [1, 1.5, 2]
    with Path(document["file"]).open() as file:
        assert len(list(csv.DictReader(file))) == 10
    assert "0 of them new" in heliograph(*words).out


def test_a_grid_above_the_limit_is_refused_with_one_sentence(small_trace, heliograph):
    answer = heliograph("sweep", "--trace", small_trace, "--seeds", 20, "--limit", 10)
    assert answer.code == 2
    assert "20 scenarios, more than the limit of 10" in answer.err
    assert answer.out == ""
