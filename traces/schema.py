"""Canonical tables: the single source of column names, order and types.

All timestamps are naive UTC with microseconds; local time exists only where text is parsed or shown.
"""

from collections.abc import Iterable

import pandas as pd
import pyarrow as pa

from traces.errors import TraceError

STATES = (
    "COMPLETED",
    "CANCELLED",
    "FAILED",
    "TIMEOUT",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "RUNNING",
    "PENDING",
    "SUSPENDED",
    "OTHER",
    "UNKNOWN",
)
"""Job states: OTHER is a word we do not know, UNKNOWN means that the source has no state for the job."""

TIMESTAMP = pa.timestamp("us")

JOBS = pa.schema(
    [
        ("trace", pa.string()),
        ("cluster", pa.string()),
        ("job_id", pa.string()),
        ("row", pa.int32()),
        ("user", pa.string()),
        ("vc", pa.string()),
        ("job_name", pa.string()),
        ("gpu_num", pa.float64()),
        ("gpu_type", pa.string()),
        ("cpu_num", pa.int32()),
        ("node_num", pa.int32()),
        ("state", pa.string()),
        ("submit_time", TIMESTAMP),
        ("start_time", TIMESTAMP),
        ("end_time", TIMESTAMP),
        ("duration_s", pa.float64()),
        ("queueing_delay_s", pa.float64()),
        ("flags", pa.list_(pa.string())),
    ]
)
"""One row per job; the meaning of each column is in docs/reference/traces.md."""

PRIORITY = pa.field("priority", pa.float64())
"""The operator's own priority, the smallest first: a column only of the clusters whose source has one."""

QUOTA = pa.schema(
    [("cluster", pa.string()), ("vc", pa.string()), ("date", pa.date32()), ("gpus", pa.int32())]
)
"""GPUs of a VC from the local midnight of `date` until the next row of that VC."""

NODES = pa.schema(
    [("cluster", pa.string()), ("node", pa.string()), ("gpus", pa.int32()), ("gpu_type", pa.string())]
)
"""Machines of a cluster."""

SERIES = pa.schema(
    [("cluster", pa.string()), ("time", TIMESTAMP), ("used", pa.float64()), ("total", pa.float64())]
)
"""Used and present nodes over time, as the source has them: duplicates and gaps included."""

TEXT_COLUMNS = ("job_id", "user", "vc", "job_name", "gpu_type", "state")
TIME_COLUMNS = ("submit_time", "start_time", "end_time")
NUMBER_COLUMNS = ("gpu_num", "cpu_num", "node_num", "duration_s", "queueing_delay_s", PRIORITY.name)
SOURCE_COLUMNS = (*TEXT_COLUMNS, *TIME_COLUMNS, *NUMBER_COLUMNS)
"""Canonical columns that a source file may provide; the others (trace, cluster, row, flags) are ours."""


def jobs_layout(columns: Iterable[str]) -> pa.Schema:
    """`JOBS`, with `PRIORITY` where it is among the columns of a frame or table of jobs."""
    return JOBS.append(PRIORITY) if PRIORITY.name in columns else JOBS


def conformed(frame: pd.DataFrame, schema: pa.Schema, **constants: str) -> pa.Table:
    """`frame` as an Arrow table of exactly `schema`.

    A column that the frame lacks is taken from `constants` (one value for all rows), else it is null, and
    `flags` an empty list. Extra columns are dropped. Raises TraceError when a column does not fit its type.
    """
    columns = []
    for field in schema:
        if field.name in constants:
            column = pa.repeat(pa.scalar(constants[field.name], field.type), len(frame))
        elif field.name in frame.columns:
            column = _converted(frame[field.name], field)
        else:
            column = _absent(field, len(frame))
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _converted(values: pd.Series, field: pa.Field) -> pa.Array | pa.ChunkedArray:
    try:
        array = pa.array(values, from_pandas=True)
        return array if array.type == field.type else array.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise TraceError(f"Column {field.name} does not fit the type {field.type}: {error}.") from error


def _absent(field: pa.Field, rows: int) -> pa.Array:
    if field.name == "flags":
        return pa.repeat(pa.scalar([], field.type), rows)
    return pa.nulls(rows, field.type)
