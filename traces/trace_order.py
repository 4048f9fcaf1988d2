"""The order in which jobs are stored and replayed: a total one, so that ties are never left to chance."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from traces import schema

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LONGEST_NUMBER = 18
"""Digits that a 64-bit integer always holds."""


def trace_order(jobs: pd.DataFrame, ids_follow_submission: bool) -> Integers | None:
    """Places of the jobs by submit time, then numeric job_id where ids follow submission (others last), then
    row; None where they are in this order already."""
    keys = {"submit_time": pa.array(jobs["submit_time"])}
    if ids_follow_submission:
        keys["number"] = numbers(pa.array(jobs["job_id"]))
    if "row" in jobs:
        keys["row"] = pa.array(jobs["row"])
    if _is_ordered(list(keys.values())):
        return None
    ordered: Integers = pc.sort_indices(
        pa.table(keys), sort_keys=[(name, "ascending") for name in keys]
    ).to_numpy()
    return ordered


def _is_ordered(keys: list[pa.Array]) -> bool:
    """Whether rows are in strictly ascending order by these keys; False where one of them is missing."""
    if any(key.null_count for key in keys):
        return False
    undecided: Mask = np.ones(max(len(keys[0]) - 1, 0), dtype=bool)
    for key in keys:
        values = key.to_numpy(zero_copy_only=False)
        before, after = values[:-1], values[1:]
        if (undecided & (before > after)).any():
            return False
        undecided &= before == after
    return not undecided.any()


def in_attempt_order(jobs: pa.Table) -> pa.Table:
    """Jobs by submit time, number of the job, number of the array task, id and start, `row` counting them.

    The order of jobs that came in several files, whatever the order of the files.
    """
    ids = jobs["job_id"]
    keyed = jobs.append_column("number", _number(ids, "^([0-9]{1,18})(?:[_+].*)?$"))
    keyed = keyed.append_column("task", _number(ids, "^[0-9]+[_+]([0-9]{1,18})$"))
    keys = [(name, "ascending") for name in ("submit_time", "number", "task", "job_id", "start_time")]
    ordered = jobs.take(pc.sort_indices(keyed, sort_keys=keys))
    rows = pa.array(range(len(ordered)), pa.int32())
    return ordered.set_column(ordered.schema.get_field_index("row"), schema.JOBS.field("row"), rows)


def numbers(ids: pa.Array) -> pa.Array:
    """Ids of at most 18 digits as numbers, null for others."""
    longest = pc.max(pc.binary_length(ids)).as_py() or 0
    if longest <= LONGEST_NUMBER and pc.all(pc.ascii_is_decimal(ids)).as_py():
        return pc.cast(ids, pa.int64())
    return _number(ids, f"^([0-9]{{1,{LONGEST_NUMBER}}})$")


def _number(ids: pa.Array, pattern: str) -> pa.Array:
    """The number that `pattern` captures in each id, null where the id is of another form."""
    shaped = pc.match_substring_regex(ids, pattern)
    digits = pc.replace_substring_regex(ids, pattern, r"\1")
    return pc.cast(pc.if_else(shaped, digits, pa.scalar(None, pa.string())), pa.int64())
