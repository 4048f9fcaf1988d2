"""The order in which jobs are stored and replayed: a total one, so that ties are never left to chance."""

import pyarrow as pa
import pyarrow.compute as pc

from traces import schema

LONGEST_NUMBER = 18
"""Digits that a 64-bit integer always holds."""


def in_trace_order(jobs: pa.Table, ids_follow_submission: bool) -> pa.Table:
    """Jobs by submit time, then numeric job_id where ids follow submission (others last), then row."""
    keys = [("submit_time", "ascending"), ("row", "ascending")]
    keyed = jobs
    if ids_follow_submission:
        keyed = jobs.append_column("number", _numbers(jobs["job_id"]))
        keys.insert(1, ("number", "ascending"))
    return jobs.take(pc.sort_indices(keyed, sort_keys=keys))


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


def _numbers(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Ids that are numbers as such; at once where all of them are."""
    longest = pc.max(pc.binary_length(ids)).as_py() or 0
    if longest <= LONGEST_NUMBER and pc.all(pc.ascii_is_decimal(ids)).as_py():
        return pc.cast(ids, pa.int64())
    return _number(ids, f"^([0-9]{{1,{LONGEST_NUMBER}}})$")


def _number(ids: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    """The number that `pattern` captures in each id, null where the id is of another form."""
    shaped = pc.match_substring_regex(ids, pattern)
    digits = pc.replace_substring_regex(ids, pattern, r"\1")
    return pc.cast(pc.if_else(shaped, digits, pa.scalar(None, pa.string())), pa.int64())
