"""The controller CES as forms and results show it, and the forecast models by name."""

from dataclasses import dataclass

#: Forecast models, the default first.
MODEL_TITLES = {
    "seasonal": "level with the rhythm of the day",
    "level": "level",
    "last": "last value",
    "day": "same slot yesterday",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter: its key in the address, title, unit, what it does, whether it is whole."""

    key: str
    title: str
    unit: str
    help_text: str
    whole: bool
    least: float = 0


#: The controller's parameters by their name in a scenario.
PARAMETERS = {
    "history_slots": Parameter(
        "history", "History", "slots", "How many past slots of 10 minutes demand is compared with.", True, 1
    ),
    "future_slots": Parameter(
        "future", "Future", "slots", "How many slots ahead the forecast is averaged over.", True, 1
    ),
    "xi_h_nodes": Parameter(
        "xi_h", "ξ H", "nodes", "Nodes may sleep once demand is this far below its recent mean.", False, -1e6
    ),
    "xi_p_nodes": Parameter(
        "xi_p", "ξ P", "nodes", "Nodes may sleep if demand is forecast to be this far below now.", False, -1e6
    ),
    "min_step_nodes": Parameter(
        "min_step", "Minimum step", "nodes", "Fewer nodes than this are not put to sleep.", False
    ),
    "buffer_nodes": Parameter("buffer", "Buffer σ", "nodes", "Nodes kept awake beyond what is in use.", True),
    "hold_slots": Parameter(
        "hold", "Hold", "slots", "After a wake-up nothing is put to sleep for so many slots.", True
    ),
}
#: The published parameter sets (energy.PRESETS; a test compares the two), in the order of PARAMETERS.
PRESETS: dict[str, tuple[float, ...]] = {
    "Venus": (3, 18, 0.5, 1, 2, 5, 12),
    "Earth": (6, 18, 1, 1, 5, 5, 12),
    "Saturn": (6, 18, 1, 1, 1, 5, 12),
    "Uranus": (3, 18, 1, 1, 1, 7, 12),
    "Philly": (2, 30, 0.1, 0, 1, 20, 10),
}


def preset_values(preset: str) -> dict[str, float]:
    """A preset's value of every parameter."""
    return dict(zip(PARAMETERS, PRESETS[preset], strict=True))
