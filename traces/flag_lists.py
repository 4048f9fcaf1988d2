"""Lists of flags, one list per job, as whole columns."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Mask = npt.NDArray[np.bool_]


def arrow_lists(flags: pd.Series) -> pa.ListArray:
    """A column of flag lists as one Arrow array."""
    lists = pa.array(flags, pa.list_(pa.string()))
    return lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists


def series(lists: pa.ListArray) -> pd.Series:
    """An Arrow array of flag lists as a column."""
    return pd.Series(pd.arrays.ArrowExtensionArray(lists))


def marked(flags: pd.Series, name: str, jobs: Mask) -> pd.Series:
    """The column in which exactly the chosen `jobs` carry the flag `name`, beside their other flags."""
    lists = arrow_lists(flags)
    parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    words = pc.list_flatten(lists).to_numpy(zero_copy_only=False)
    others = words != name
    new = np.flatnonzero(jobs)
    parents = np.concatenate([parents[others], new]).astype(np.int64)
    words = np.concatenate([words[others], np.full(len(new), name, dtype=object)])
    order = np.argsort(parents, kind="stable")
    offsets = np.searchsorted(parents[order], np.arange(len(lists) + 1))
    values = pa.array(words[order], pa.string())
    result = series(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values))
    result.index = flags.index
    return result


def counts(flags: pd.Series) -> dict[str, int]:
    """How many jobs carry each flag, in alphabetical order."""
    words = pc.value_counts(pc.list_flatten(arrow_lists(flags)))
    return dict(sorted((each["values"], each["counts"]) for each in words.to_pylist()))
