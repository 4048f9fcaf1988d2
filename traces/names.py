"""Names of traces and clusters: they become folder and file names, so they are checked first."""

import re

from traces.errors import TraceError

_NAME = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9._-])?")


def checked_name(name: str, kind: str) -> str:
    """`name` if it can name a `kind` ("trace" or "cluster"), else TraceError."""
    if not is_name(name):
        raise TraceError(
            f"{name!r} cannot name a {kind}: use 1 to 64 letters, digits, spaces, '.', '_' or '-', "
            "not beginning with a dot or a space and not ending with a space."
        )
    return name


def is_name(name: str) -> bool:
    """Whether `name` can name a trace or a cluster."""
    return _NAME.fullmatch(name) is not None
