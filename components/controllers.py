"""The controllers that let nodes sleep, as forms and results show them: titles, parameters, usual values.

The rooms below know the same facts (``energy.CONTROLLERS``, ``energy.PRESETS``); tests compare the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from components.numbers import inflected, uncapitalized


@dataclass(frozen=True)
class Parameter:
    """One parameter: key in the address, title, unit (of one), what it does, whether it is whole, limits."""

    key: str
    title: str
    unit: str
    help_text: str
    whole: bool
    least: float = 0
    most: float | None = None

    def unit_of(self, value: float | None) -> str:
        """The unit as it stands behind a value (``agree`` in ``assets/what-if.js``): node, nodes."""
        return inflected(value, self.unit) if self.unit else ""


#: Every controller's parameters by their name in a scenario; two controllers may share one.
PARAMETERS = {
    "history_slots": Parameter(
        "history", "History", "slot", "How many past slots of 10 minutes demand is compared with.", True, 1
    ),
    "future_slots": Parameter(
        "future", "Future", "slot", "How many slots ahead the forecast is averaged over.", True, 1
    ),
    "xi_h_nodes": Parameter(
        "xi_h", "ξ H", "node", "Nodes may sleep once demand is this far below its recent mean.", False, -1e6
    ),
    "xi_p_nodes": Parameter(
        "xi_p", "ξ P", "node", "Nodes may sleep if demand is forecast to be this far below now.", False, -1e6
    ),
    "min_step_nodes": Parameter(
        "min_step", "Minimum step", "node", "Fewer nodes than this are not put to sleep.", False
    ),
    "buffer_nodes": Parameter("buffer", "Buffer σ", "node", "Nodes kept awake beyond what is in use.", True),
    "quantile": Parameter(
        "quantile",
        "Quantile",
        "",
        "So much of the largest demand ahead stays awake; 1 is the most that was ever missed.",
        False,
        0,
        1,
    ),
    "ahead_slots": Parameter(
        "ahead",
        "Ahead",
        "slot",
        "How many slots after the boot time the largest demand is looked for.",
        True,
    ),
    "margin_nodes": Parameter("margin", "Margin", "node", "Free nodes after every action.", True),
    "low_water_nodes": Parameter(
        "low_water", "Low water", "node", "Fewer free nodes than this, and nodes are woken.", True
    ),
    "hold_slots": Parameter(
        "hold", "Hold", "slot", "After a wake-up nothing is put to sleep for so many slots.", True
    ),
}
CES_PARAMETERS = (
    "history_slots",
    "future_slots",
    "xi_h_nodes",
    "xi_p_nodes",
    "min_step_nodes",
    "buffer_nodes",
    "hold_slots",
)
#: CES's published parameter sets, in the order of CES_PARAMETERS.
PRESETS: dict[str, tuple[float, ...]] = {
    "Venus": (3, 18, 0.5, 1, 2, 5, 12),
    "Earth": (6, 18, 1, 1, 5, 5, 12),
    "Saturn": (6, 18, 1, 1, 1, 5, 12),
    "Uranus": (3, 18, 1, 1, 1, 7, 12),
    "Philly": (2, 30, 0.1, 0, 1, 20, 10),
}
#: Nodes of the clusters that the presets are for: Helios on 1 September 2020 (Hu et al., SC'21, table 1),
#: Philly's node series of October and November 2017.
PRESET_NODES = {"Venus": 133, "Earth": 143, "Saturn": 262, "Uranus": 264, "Philly": 420}
#: Parameters of CES that go with the size of a cluster.
SCALED = ("min_step_nodes", "buffer_nodes")
#: Defaults of the proactive controllers; those in nodes are for a cluster of PROACTIVE_NODES.
PROACTIVE = {
    "quantile": {"quantile": 0.8, "ahead_slots": 36, "low_water_nodes": 5, "hold_slots": 36},
    "margin": {"margin_nodes": 20, "low_water_nodes": 6, "hold_slots": 36},
}
PROACTIVE_NODES = 420


@dataclass(frozen=True)
class ControllerTitle:
    """What a controller is called, and its rule in a sentence."""

    title: str
    rule: str


#: Controllers in the order in which they are offered; the published CES is for comparison only.
CONTROLLERS = {
    "ces": ControllerTitle("CES", "Helios' published rule, deciding from earlier slots alone."),
    "quantile": ControllerTitle(
        "Quantile", "Wakes before a lack: an upper quantile of the forecast stays awake."
    ),
    "margin": ControllerTitle("Margin", "Wakes before a lack: the last value and a margin stay awake."),
    "drs": ControllerTitle("Demand following", "As many nodes awake as were in use in the last slot."),
    "always_on": ControllerTitle("Always on", "No node sleeps: the other end."),
}
PUBLISHED = "ces_published"


def controller_title(name: str) -> str:
    """The title of a controller."""
    if name == PUBLISHED:
        return "CES as published"
    return CONTROLLERS[name].title if name in CONTROLLERS else name


def reads_preset(controller: str) -> bool:
    """Whether a controller takes its parameters from a published set."""
    return controller in ("ces", PUBLISHED)


def preset_values(preset: str) -> dict[str, float]:
    """A preset's value of every parameter of CES, as published."""
    return dict(zip(CES_PARAMETERS, PRESETS[preset], strict=True))


def usual_values(controller: str, preset: str, nodes: float | None = None) -> dict[str, float]:
    """What a controller's parameters are where nobody changes them, in a cluster of ``nodes``.

    In a cluster that is smaller than the one a preset is for, CES's buffer and minimum step go with its size,
    as the nodes of the proactive controllers always do; they are at least 1.
    """
    if reads_preset(controller):
        factor = min(1.0, nodes / PRESET_NODES[preset]) if nodes else 1.0
        values = preset_values(preset)
        return {name: _scaled(values[name], factor) if name in SCALED else values[name] for name in values}
    values = dict(PROACTIVE.get(controller, {}))
    factor = nodes / PROACTIVE_NODES if nodes else 1.0
    return {
        name: _scaled(value, factor) if name.endswith("_nodes") else value for name, value in values.items()
    }


def scaling_sentence(controller: str, preset: str, nodes: float | None) -> str:
    """What was scaled because the cluster has other than the published number of nodes; empty if nothing."""
    usual, published = usual_values(controller, preset, nodes), usual_values(controller, preset)
    changed = [name for name in usual if usual[name] != published[name]]
    if not changed or nodes is None:
        return ""
    parts = [
        f"{uncapitalized(PARAMETERS[name].title)} {published[name]:g} → {usual[name]:g}" for name in changed
    ]
    owner, whole = (
        (f"{preset}'s preset is", PRESET_NODES[preset])
        if reads_preset(controller)
        else ("The defaults are", PROACTIVE_NODES)
    )
    return f"{owner} for {whole} nodes; this cluster has {nodes:,.0f}, so: {', '.join(parts)}."


def parameters_text(values: Mapping[str, float]) -> str:
    """Parameters in one line: Buffer σ 5 nodes, Hold 12 slots."""
    named = [(PARAMETERS[name], value) for name, value in values.items() if name in PARAMETERS]
    return ", ".join(
        f"{uncapitalized(each.title)} {value:g} {each.unit_of(value)}".rstrip() for each, value in named
    )


def _scaled(value: float, factor: float) -> float:
    return max(1, round(value * factor)) if factor != 1 else value
