"""Questions to the stored traces: one ``.sql`` file per question, asked with :func:`fetch`."""

from queries.errors import QueryError
from queries.warehouse import fetch, rows

__all__ = ["QueryError", "fetch", "rows"]
