"""The one error of this room."""


class RunError(ValueError):
    """A scenario or run that cannot be used; the text is one sentence for the user."""
