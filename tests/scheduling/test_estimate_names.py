"""Job names: what they have in common, and which came before."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.estimates.names import edits, nearest_before, spelled, templates

FEW = settings(max_examples=60, deadline=None)
words = st.lists(st.text("abé_#", min_size=1, max_size=8), min_size=1, max_size=12)


def test_a_template_is_what_stays_when_a_job_is_submitted_again():
    pairs = [
        ("Bert-Pretrain.lr3e-4", "bert_pretrain_lr1e-5"),
        ("train 2020-09-01", "train_2020.10.12"),
        ("eval-9f86d081884c7d65", "eval-0123abcd4567"),
        ("训练_3", "训练_12"),
    ]
    for one, other in pairs:
        made = templates(pd.Series([one, other]))
        assert made[0] == made[1]
    assert templates(pd.Series(["facade", "decade"])).tolist() == ["facade", "decade"]  # words, not hashes


def test_a_job_without_a_name_has_no_template():
    assert templates(pd.Series([None, "  ", "--", "a"])).isna().tolist() == [True, True, True, False]


def slow_edits(one, other):
    """Levenshtein's distance by its definition."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            replaced = table[i - 1, j - 1] + (one[i - 1] != other[j - 1])
            table[i, j] = min(replaced, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table[len(one), len(other)]


@FEW
@given(words=words, most=st.integers(0, 9))
def test_edits_are_levenshteins_distance_up_to_the_limit(words, most):
    letters, first = spelled(words)
    for other in range(len(words)):
        true = slow_edits(words[0].encode(), words[other].encode())
        found = edits(letters, first, 0, other, most, np.empty(99, np.int64))
        assert found == true if true <= most else found > most


@FEW
@given(words=words, owners=st.lists(st.integers(0, 2), min_size=12, max_size=12), looked_at=st.integers(1, 5))
def test_the_nearest_name_is_the_most_similar_of_the_owners_latest(words, owners, looked_at):
    letters, first = spelled(words)
    owner = np.array(owners[: len(words)])
    found = nearest_before(letters, first, owner, np.arange(len(words)), looked_at, 0.5)
    for at, word in enumerate(words):
        earlier = [i for i in range(at - 1, -1, -1) if owner[i] == owner[at]][:looked_at]
        shares = [
            slow_edits(word.encode(), words[i].encode()) / max(len(word.encode()), len(words[i].encode()))
            for i in earlier
        ]
        if not shares or min(shares) > 0.5:
            assert found[at] == -1
        else:
            assert found[at] == earlier[shares.index(min(shares))]
