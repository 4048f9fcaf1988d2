"""Slurm host lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import hostlists


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a01", ["a01"]),
        ("a[01-02],b03,c[1,3-4]", ["a01", "a02", "b03", "c1", "c3", "c4"]),
        ("rack[0-1]_blade[0-1]", ["rack0_blade0", "rack0_blade1", "rack1_blade0", "rack1_blade1"]),
        ("n[008-011]-ib", ["n008-ib", "n009-ib", "n010-ib", "n011-ib"]),
        ("None assigned", []),
        ("", []),
        ("(null)", []),
    ],
)
def test_brackets_multiply_and_keep_their_zeros(text, names):
    assert hostlists.nodes(text) == names
    assert (hostlists.size(text) or 0) == len(names)


@pytest.mark.parametrize(
    "text", ["a[", "a[x]", "a[2-1]", "a[]", "a]1[", "n[0-99999999999]", "a[0-999]b[0-999]c[0-9]"]
)
def test_what_is_no_host_list_or_too_long_is_an_error(text):
    with pytest.raises(ValueError):
        hostlists.size(text)


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 40)), min_size=1, max_size=5))
def test_a_list_has_as_many_nodes_as_its_ranges(ranges):
    text = "n[" + ",".join(f"{first}-{first + more}" for first, more in ranges) + "]"
    assert hostlists.size(text) == len(hostlists.nodes(text)) == sum(more + 1 for _, more in ranges)
