"""Numbers as people read them."""

import math
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import numbers
from tests.components.text import plain


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.4, "0.4 s"),
        (9.96, "10.0 s"),
        (59.6, "1 min"),
        (250, "4 min 10 s"),
        (3599.7, "1 h"),
        (8040, "2 h 14 min"),
        (7200, "2 h"),
        (86399, "1 d"),
        (273600, "3 d 4 h"),
        (2874 * 86400 + 3600, "2,874 d 1 h"),
        (-250, "−4 min 10 s"),
    ],
)
def test_durations_are_given_in_their_two_largest_units(seconds: float, text: str) -> None:
    assert plain(numbers.duration(seconds)) == text


@given(st.floats(0, 1e9))
def test_a_duration_never_shows_sixty_of_a_unit(seconds: float) -> None:
    words = plain(numbers.duration(seconds)).split()
    for value, unit in zip(words[::2], words[1::2], strict=True):
        assert float(value.replace(",", "")) < {"s": 60, "min": 60, "h": 24, "d": math.inf}[unit]


@pytest.mark.parametrize("unknown", [None, math.nan, pd.NaT, pd.NA])
def test_unknown_is_a_word_and_never_zero(unknown: object) -> None:
    humanized = (
        numbers.count,
        numbers.percent,
        numbers.duration,
        numbers.gpu_hours,
        numbers.size,
        numbers.minute,
    )
    assert {function(unknown) for function in humanized} == {"unknown"}


def test_counts_have_thousands_separators_and_keep_small_fractions() -> None:
    assert [numbers.count(value) for value in (263245, 0, 0.25, 1908.0)] == ["263,245", "0", "0.25", "1,908"]


def test_ratios_are_per_cent_with_a_space_that_does_not_break() -> None:
    assert numbers.percent(0.8364) == "83.6\u00a0%"
    assert [plain(numbers.percent(each)) for each in (-0.0004, -0.28)] == ["0.0 %", "−28.0 %"]


def test_no_line_ends_within_a_unit() -> None:
    written = [numbers.gpu_hours(4.3e6), numbers.percent(10.292), numbers.duration(3720), numbers.size(9e9)]
    assert [plain(text) for text in written] == ["1,194 GPU-h", "1,029.2 %", "1 h 2 min", "9.0 GB"]
    assert not [text for text in written if re.search("[ \t\n]|-(?!\u2060)", text)]


def test_nouns_follow_their_number() -> None:
    assert (numbers.plural(1, "GPU"), numbers.plural(2, "GPU"), numbers.plural(0, "job")) == (
        "1 GPU",
        "2 GPUs",
        "0 jobs",
    )


def test_a_word_goes_with_a_number_that_is_written_otherwise() -> None:
    assert [numbers.inflected(each, "node") for each in (1, 1.0, 0.5, 0, None)] == [
        "node",
        "node",
        "nodes",
        "nodes",
        "nodes",
    ]
    assert (numbers.inflected(1, "is", "are"), numbers.inflected(3, "is", "are")) == ("is", "are")


def test_words_are_listed_as_a_sentence_holds_them() -> None:
    assert [numbers.listing(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_sizes_are_powers_of_ten() -> None:
    assert [plain(numbers.size(value)) for value in (999, 36_400_000)] == ["999 B", "36.4 MB"]
