"""The one error type of this room."""


class EnergyError(ValueError):
    """A mistake in the input of a forecast or an energy run; its text is one sentence for the user."""
