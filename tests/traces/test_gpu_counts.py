"""GPUs in Slurm's resource texts."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import gpu_counts


@pytest.mark.parametrize(
    ("text", "count", "types"),
    [
        ("gres/gpu=4,gres/gpu:a100=4", 4, ("a100",)),
        ("billing=4,cpu=4,gres/gpu:a100=4,mem=1G,node=1", 4, ("a100",)),
        ("gres/gpu:v100s=2,gres/gpu:a100=1", 3, ("v100s", "a100")),
        ("gres/gpu:2080ti=1", 1, ("2080ti",)),
        ("gres/gpu:h200_4g.71gb=2", 2, ("h200_4g.71gb",)),
        ("gpu:tesla:3(IDX:0,2-3)", 3, ("tesla",)),
        ("gpu:2", 2, ()),
        ("gpu", 1, ()),
        ("gpu:a100", 1, ("a100",)),
        ("gpu:a100:2(S:0-1),gpu:v100:4(S:0,1)", 6, ("v100", "a100")),
        ("gpu:no_consume:4", 4, ()),
        ("gres:gpu:2", 2, ()),
        ("gres/gpu=0", 0, ()),
        ("gres/gpu=2K", 2048, ()),
        ("cpu=1,gres/gpu=2,gres/gpumem=80G,gres/gpuutil=100", 2, ()),
    ],
)
def test_gpus_are_counted_once_with_their_types(text, count, types):
    assert gpu_counts.gpus(text) == gpu_counts.Gpus(count, types)


@pytest.mark.parametrize(
    "text", ["", "cpu=4,mem=8G,node=1", "gres/gpumem=80G", "gres/shard=4", "(null)", "craynetwork:4"]
)
def test_a_text_without_gpus_says_nothing_about_them(text):
    assert gpu_counts.gpus(text) is None


@pytest.mark.parametrize("text", ["gres/gpu=", "gres/gpu=many", "gpu:a100:x", "gres/gpu:a100=-1"])
def test_a_count_that_cannot_be_read_is_an_error_and_not_0(text):
    with pytest.raises(ValueError):
        gpu_counts.gpus(text)


def test_the_first_column_that_names_gpus_decides_and_silence_is_unknown():
    alloc = pd.Series(["gres/gpu=4", "cpu=2", "", "cpu=2", "gres/gpu=bad"], dtype="str")
    request = pd.Series(["gres/gpu=8", "gres/gpu:a30=1", "", "cpu=2", ""], dtype="str")
    found = gpu_counts.gpu_columns([alloc, request])
    assert list(found["gpu_num"]) == ["4", "1", "", "0", "gres/gpu=bad"]
    assert list(found["gpu_type"]) == ["", "a30", "", "", ""]
    assert list(found["source"]) == [0, 1, -1, -1, 0]


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_.]{0,8}", fullmatch=True), st.integers(1, 64), min_size=1, max_size=4
    )
)
def test_the_count_without_a_type_never_adds_to_the_typed_ones(types):
    typed = ",".join(f"gres/gpu:{kind}={number}" for kind, number in types.items())
    total = sum(types.values())
    assert gpu_counts.gpus(typed).count == total
    assert gpu_counts.gpus(f"{typed},gres/gpu={total}").count == total
    assert set(gpu_counts.gpus(typed).types) == set(types)
