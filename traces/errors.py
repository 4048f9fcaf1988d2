"""The one error type of this room."""


class TraceError(ValueError):
    """A trace or a file that cannot be used; its text is one sentence: what is wrong, where, what to do."""
