"""The error of this room."""


class QueryError(ValueError):
    """A question that cannot be answered; its text is one sentence for the person who asked."""
