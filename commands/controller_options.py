"""The options of ``energy`` that choose a controller, how nodes wake, and what is known of the site."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from commands.terminal import refuse

PARAMETERS = {
    "history": ("history_slots", "Slots of the recent mean (ces)."),
    "future": ("future_slots", "Slots the forecast is averaged over (ces)."),
    "xi_h": ("xi_h_nodes", "Nodes that demand must have fallen below its recent mean (ces)."),
    "xi_p": ("xi_p_nodes", "Nodes that demand is forecast to stay below (ces)."),
    "min_step": ("min_step_nodes", "Fewest nodes worth putting to sleep (ces)."),
    "buffer": ("buffer_nodes", "Nodes awake beyond demand (ces)."),
    "margin": ("margin_nodes", "Nodes free after every action (margin)."),
    "quantile": ("quantile", "Quantile of the demand ahead that stays awake, 0 to 1 (quantile)."),
    "ahead": ("ahead_slots", "Slots beyond the boot time that the quantile looks ahead (quantile)."),
    "low_water": ("low_water_nodes", "Fewer free nodes than this wake some (margin, quantile)."),
    "hold": ("hold_slots", "Slots after a wake-up without a sleep (ces, margin, quantile)."),
}
SITE = {
    "idle_w": "Power of an idle node, W.",
    "sleep_w": "Power of a sleeping node, W.",
    "boot_wh": "Energy of one wake-up beyond idling, Wh.",
    "cooling_factor": "Cooling power per power of the node.",
    "pue": "Power usage effectiveness, in place of the cooling factor.",
}
RATES = {
    "price": ("price_per_kwh", "Price per kWh: a number, or a file time,value by the hour."),
    "carbon": ("carbon_g_per_kwh", "Grams of CO₂e per kWh: a number, or a file time,value by the hour."),
}


def controller_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Controller, its parameters, waking and the site."""
    options = [
        click.option(
            "--controller",
            default="ces",
            show_default=True,
            help="ces, ces_published, always_on, drs, quantile or margin.",
        ),
        click.option(
            "--preset", default="", help="Published parameter set: Venus, Earth, Saturn, Uranus or Philly."
        ),
        *(click.option(_flag(name), type=float, help=text) for name, (_, text) in PARAMETERS.items()),
        click.option(
            "--boot-time",
            default="0s",
            show_default=True,
            help="Time from wake to ready, such as 90s or 5min.",
        ),
        click.option(
            "--wake-failures",
            "wake_failure_probability",
            type=float,
            default=0.0,
            show_default=True,
            help="Probability that one attempt to wake a node fails.",
        ),
        click.option("--seed", type=int, default=1, show_default=True, help="Settles which wake-ups fail."),
        *(click.option(_flag(name), type=float, help=text) for name, text in SITE.items()),
        *(click.option(_flag(name), help=text) for name, (_, text) in RATES.items()),
    ]
    for each in reversed(options):
        command = each(command)
    return command


def take_parameters(options: dict[str, Any]) -> dict[str, float]:
    """The controller's parameters that were given, by their name in a scenario; taken out of ``options``."""
    given = {name: options.pop(short) for short, (name, _) in PARAMETERS.items()}
    return {name: value for name, value in given.items() if value is not None}


def take_rates(options: dict[str, Any]) -> tuple[dict[str, float], dict[str, Path]]:
    """Price and carbon intensity by their name in a scenario, constants and files; taken out of
    ``options``."""
    constants: dict[str, float] = {}
    files: dict[str, Path] = {}
    for short, (name, _) in RATES.items():
        text = options.pop(short)
        if text is None:
            continue
        try:
            constants[name] = float(text)
        except ValueError:
            if not Path(text).is_file():
                refuse(f"{_flag(short)} is {text!r}, which is neither a number nor a file of time and value.")
            files[name] = Path(text)
    return constants, files


def seconds(option: str, text: str) -> float:
    """A time span such as ``90s``, ``5min`` or ``1h`` in seconds."""
    units = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
    digits = text.strip().rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text.strip()[len(digits) :].strip() or "s"
    try:
        return float(digits) * units[unit]
    except (KeyError, ValueError):
        refuse(f"{option} is {text!r}; give a number and a unit, such as 90s, 5min or 1h.")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
