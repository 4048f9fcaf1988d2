"""``energy`` and ``forecast``: how many nodes are needed, and how many could sleep."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from commands.options import json_option, map_option, window_options
from commands.terminal import print_json, refuse, say


def energy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both `energy` and `forecast` take."""
    options = [
        click.option(
            "--series",
            type=click.Path(path_type=Path),
            help="File of node counts (time,used,total), read as stored.",
        ),
        click.option("--trace", default="", help="Trace that holds the cluster."),
        click.option("--cluster", default="", help="Cluster of the trace."),
        click.option("--timezone", help="Time zone of the series file; UTC where none is given."),
        map_option,
        window_options,
        click.option("--model", default="seasonal", show_default=True, help="Forecast model."),
        json_option,
    ]
    for each in reversed(options):
        command = each(command)
    return command


@click.command()
@energy_options
@click.option("--preset", default="", help="Published parameter set: Venus, Earth, Saturn, Uranus or Philly.")
@click.option("--history", type=float, help="Slots of the recent mean.")
@click.option("--future", type=float, help="Slots the forecast is averaged over.")
@click.option("--xi-h", type=float, help="Nodes that demand must have fallen below its recent mean.")
@click.option("--xi-p", type=float, help="Nodes that demand is forecast to stay below.")
@click.option("--min-step", type=float, help="Fewest nodes worth putting to sleep.")
@click.option("--buffer", type=float, help="Nodes awake beyond demand.")
@click.option("--hold", type=float, help="Slots after a wake-up without a sleep.")
@click.option(
    "--boot-time", default="0s", show_default=True, help="Time from wake to ready, such as 90s or 5min."
)
def energy(preset: str, boot_time: str, as_document: bool, **options: Any) -> None:
    """Forecast node demand and let CES put nodes to sleep."""
    names = {
        "history": "history_slots",
        "future": "future_slots",
        "xi_h": "xi_h_nodes",
        "xi_p": "xi_p_nodes",
        "min_step": "min_step_nodes",
        "buffer": "buffer_nodes",
        "hold": "hold_slots",
    }
    given = {name: options.pop(short) for short, name in names.items()}
    parameters = {name: value for name, value in given.items() if value is not None}
    document = _study(options, preset=preset, parameters=parameters, boot_time_s=_seconds(boot_time))
    if as_document:
        print_json(document)
        return
    _say_forecast(document)
    for name, value in document["result"].items():
        click.echo(f"{name:24} {'unknown' if value is None else f'{value:,.3f}'}")


@click.command()
@energy_options
def forecast(as_document: bool, **options: Any) -> None:
    """Forecast node demand, and say how far to trust it."""
    document = _study(options, forecast_only=True)
    print_json(document) if as_document else _say_forecast(document)


def _study(options: dict[str, Any], **scenario: Any) -> dict[str, Any]:
    """Run an energy scenario on a series file or on a stored trace."""
    from runs import energy_study
    from runs.scenario import EnergyScenario

    series, timezone, mapped = (options.pop(name) for name in ("series", "timezone", "mapped"))
    wanted = EnergyScenario(**options, **scenario)
    if series is not None:
        if wanted.trace or wanted.cluster:
            refuse("Give either --series, or --trace and --cluster.")
        demand = energy_study.file_demand(series, timezone or "UTC", mapped, wanted)
        return energy_study.study_series(wanted, demand, say).document
    if not (wanted.trace and wanted.cluster):
        refuse("Say which demand to study: --series FILE, or --trace T and --cluster C.")
    return energy_study.study(wanted, say).document


def _seconds(text: str) -> float:
    """A time span such as ``90s``, ``5min`` or ``1h`` in seconds."""
    units = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
    digits = text.strip().rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text.strip()[len(digits) :].strip() or "s"
    try:
        return float(digits) * units[unit]
    except (KeyError, ValueError):
        refuse(f"--boot-time is {text!r}; give a number and a unit, such as 90s, 5min or 1h.")


def _say_forecast(document: dict[str, Any]) -> None:
    made = document["forecast"]
    click.echo(f"model {made['model']}")
    for row in made["horizons"]:
        numbers = "  ".join(
            f"{name} {'unknown' if row[name] is None else f'{row[name]:.3f}'}"
            for name in ("mae", "rmse", "smape", "coverage_80")
        )
        click.echo(f"  {row['horizon_s']:6} s ahead  n {row['n']:6,}  {numbers}")
