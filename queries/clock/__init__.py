"""What a window has of whole days, months, half hours and slots: asked once, then remembered.

The definitions are SQL, beside this file. As macros of a trace's database they were prepared anew wherever a
question names one, and preparing took as long as answering. So a small database without tables knows the
macros, and a trace's database asks it by functions that remember (docs/decisions/0012-quick-pages.md).
"""

import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import duckdb
from duckdb.func import SPECIAL

FOLDER = Path(__file__).parent
#: What a trace's database knows as macros as well, since it asks it of whole columns.
LOCAL_TIME = "local_time"
DEFINITIONS = (LOCAL_TIME, "days_and_months", "half_hours_and_slots")
#: Types of what goes in and of what comes out, by the name of macro and function.
FUNCTIONS: dict[str, tuple[list[Any], str]] = {
    "midnight": (["DATE"], "TIMESTAMP"),
    "first_whole_day": (["TIMESTAMP"], "DATE"),
    "end_of_whole_days": (["TIMESTAMP", "TIMESTAMP"], "DATE"),
    "first_whole_month": (["TIMESTAMP"], "DATE"),
    "end_of_whole_months": (["TIMESTAMP", "TIMESTAMP"], "DATE"),
    "first_whole_half_hour": (["TIMESTAMP"], "TIMESTAMP"),
    "end_of_whole_half_hours": (["TIMESTAMP", "TIMESTAMP"], "TIMESTAMP"),
    "has_half_hours": (["TIMESTAMP", "BIGINT"], "BOOLEAN"),
    "slot_s": (["TIMESTAMP", "BIGINT"], "BIGINT"),
    "end_of_slots": (["TIMESTAMP", "TIMESTAMP", "BIGINT"], "TIMESTAMP"),
}
#: Answers that each function remembers.
REMEMBERED = 4096


def teach(database: duckdb.DuckDBPyConnection, facts: Iterable[str]) -> None:
    """Have ``database`` know the functions of this room, about the trace of ``facts``: macros as SQL."""
    database.execute(_definition(LOCAL_TIME))
    clock = duckdb.connect(":memory:", config={"threads": 1, "autoload_known_extensions": False})
    clock.execute("SET TimeZone = 'UTC'")
    for definition in [*facts, *map(_definition, DEFINITIONS)]:
        clock.execute(definition)
    lock = threading.Lock()
    for name, (takes, gives) in FUNCTIONS.items():
        asked = _asked(clock, lock, name, takes)
        asked.__signature__ = _signature(len(takes))  # type: ignore[attr-defined]  # DuckDB counts parameters
        database.create_function(name, asked, takes, gives, null_handling=SPECIAL)


def _signature(parameters: int) -> Signature:
    return Signature([Parameter(f"value_{place}", Parameter.POSITIONAL_ONLY) for place in range(parameters)])


def _definition(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def _asked(
    clock: duckdb.DuckDBPyConnection, lock: threading.Lock, name: str, takes: list[Any]
) -> Callable[..., Any]:
    question = f"SELECT {name}({', '.join(f'?::{kind}' for kind in takes)})"

    @lru_cache(maxsize=REMEMBERED)
    def answer(*values: Any) -> Any:
        with lock:
            row = clock.execute(question, values).fetchone()
        return row and row[0]

    return answer
