"""Ids that are there twice are found, whatever they look like."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import distinct


@given(st.lists(st.text(max_size=5), max_size=12))
def test_ids_are_distinct_exactly_when_a_set_of_them_is_as_large(ids):
    for kind in (pa.string(), pa.large_string()):
        assert distinct.are_distinct(pa.array(ids, kind)) == (len(set(ids)) == len(ids))


@pytest.mark.parametrize("again", [0, 60_000, 119_999])
def test_an_id_that_comes_again_in_another_chunk_is_found(again):
    ids = [f"application_{number}" for number in range(120_000)]
    assert distinct.are_distinct(pa.array(ids))
    assert not distinct.are_distinct(pa.chunked_array([ids, [ids[again]]]))


def test_long_ids_are_compared_as_they_are():
    ids = ["x" * 300 + str(number) for number in range(3)]
    assert distinct.are_distinct(pa.array(ids))
    assert not distinct.are_distinct(pa.array([*ids, ids[0]]))


def test_equal_fingerprints_of_different_ids_do_not_make_them_equal(monkeypatch):
    monkeypatch.setattr(distinct, "_fingerprints", lambda texts, _: np.zeros(len(texts), dtype=np.uint64))
    assert distinct.are_distinct(pa.array(["a", "b"]))
    assert not distinct.are_distinct(pa.array(["a", "a"]))
