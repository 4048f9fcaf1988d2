"""A question as a file: three checked header lines, then SQL.

The header says what the query answers and the names and DuckDB types of what goes in and what comes out::

    -- Jobs of each final status, GPU jobs and CPU jobs apart.
    -- params: start TIMESTAMP, end TIMESTAMP
    -- returns: kind VARCHAR, status VARCHAR, jobs BIGINT
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Statement:
    """One query: file name, what it answers, parameters and columns (name → DuckDB type), its text."""

    name: str
    answers: str
    params: dict[str, str]
    returns: dict[str, str]
    sql: str


@cache
def statement(name: str) -> Statement:
    """The statement kept in ``queries/<name>.sql``.

    Raises:
        LookupError: there is no such file, or its header is not the three lines it must be.
    """
    path = FOLDER / f"{name}.sql"
    if not path.is_file():
        raise LookupError(f"there is no query {name!r}")
    sql = path.read_text(encoding="utf-8")
    answers, params, returns = (line.removeprefix("--").strip() for line in sql.split("\n")[:3])
    if not params.startswith("params:") or not returns.startswith("returns:"):
        raise LookupError(f"{path.name} must open with what it answers, then params:, then returns:")
    return Statement(name, answers, _declared(params), _declared(returns), sql)


def statement_names() -> list[str]:
    """Names of all queries."""
    return sorted(path.stem for path in FOLDER.glob("*.sql"))


def _declared(line: str) -> dict[str, str]:
    text = line.partition(":")[2].strip()
    return dict(item.strip().split(" ", 1) for item in text.split(",") if item.strip()) if text else {}
