"""The error of this room."""


class ScenarioError(ValueError):
    """A replay that cannot be made as asked; its text is one sentence for the person who asked."""
