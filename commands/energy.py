"""``energy`` and ``forecast``: how many nodes are needed, and how many could sleep."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from commands.controller_options import controller_options, seconds, take_parameters, take_rates
from commands.options import json_option, map_option, window_options
from commands.terminal import print_json, refuse, say


def energy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both `energy` and `forecast` take."""
    options: list[Callable[..., Any]] = [
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
        click.option("--model", default="seasonal", show_default=True, help="Forecast model, or auto."),
        click.option(
            "--keep", metavar="FROM/TO", multiple=True, help="Lift the outage marks of a span; repeatable."
        ),
        click.option(
            "--drop", metavar="FROM/TO", multiple=True, help="Leave the slots of a span out; repeatable."
        ),
        click.option(
            "--holidays",
            type=click.Path(path_type=Path),
            help="File of local dates, one per line, for models that use them.",
        ),
        json_option,
    ]
    for each in reversed(options):
        command = each(command)
    return command


@click.command()
@energy_options
@click.option(
    "--policy", default="", help="Study the demand of a replay under this policy, also where it was recorded."
)
@controller_options
@click.option("--frontier", is_flag=True, help="Sweep every controller's parameter and compare them.")
@click.option("--jobs/--no-jobs", default=True, show_default=True, help="Replay the jobs on the awake nodes.")
def energy(boot_time: str, as_document: bool, **options: Any) -> None:
    """Forecast node demand and let a controller put nodes to sleep."""
    parameters = take_parameters(options)
    constants, files = take_rates(options)
    scenario = {"parameters": parameters, "boot_time_s": seconds("--boot-time", boot_time), **constants}
    document = _study(options, files, **scenario)
    if as_document:
        print_json(document)
        return
    _say_forecast(document)
    for name, value in document["result"].items():
        click.echo(f"{name:28} {_number(value)}")
    _say_jobs(document.get("jobs"))
    _say_savings(document["savings"])
    _say_frontier(document)


@click.command()
@energy_options
def forecast(as_document: bool, **options: Any) -> None:
    """Forecast node demand, and say how far to trust it."""
    document = _study(options, {}, forecast_only=True)
    print_json(document) if as_document else _say_forecast(document)


def _study(options: dict[str, Any], rate_files: dict[str, Path], **scenario: Any) -> dict[str, Any]:
    """Run an energy scenario on a series file or on a stored trace."""
    from runs import energy_study, known_spans, node_demand
    from runs.scenario import EnergyScenario
    from runs.site import RateFiles

    series, timezone, mapped = (options.pop(name) for name in ("series", "timezone", "mapped"))
    file = options.pop("holidays")
    holidays = known_spans.holiday_dates(file) if file is not None else ()
    wanted = EnergyScenario(**options, **scenario, holidays=holidays)
    rates = RateFiles(**rate_files, timezone=timezone or "UTC")
    if series is not None:
        if wanted.trace or wanted.cluster:
            refuse("Give either --series, or --trace and --cluster.")
        demand = node_demand.from_file(series, timezone or "UTC", mapped, wanted)
        return energy_study.study_series(wanted, demand, say, rates).document
    if not (wanted.trace and wanted.cluster):
        refuse("Say which demand to study: --series FILE, or --trace T and --cluster C.")
    return energy_study.study(wanted, say, rates).document


def _say_forecast(document: dict[str, Any]) -> None:
    made = document["forecast"]
    click.echo(f"model {made['model']}")
    if made["decision"] is not None:
        click.echo(f"  {made['decision']['sentence']}")
    for row in made["horizons"]:
        numbers = "  ".join(
            f"{name} {'unknown' if row[name] is None else f'{row[name]:.3f}'}"
            for name in ("mae", "rmse", "smape", "skill", "coverage_80", "coverage_95")
        )
        click.echo(f"  {row['horizon_s']:6} s ahead  n {row['n']:6,}  {numbers}")
    for mark in made["marks"]:
        kept = ", kept" if mark["kept"] else ""
        click.echo(f"  {mark['reason']}: {mark['from']} to {mark['to']}, {mark['slots']:,} slots{kept}")


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.3f}"


def _say_jobs(jobs: dict[str, Any] | None) -> None:
    if jobs is None:
        return
    click.echo(f"jobs on awake nodes: {jobs['jobs_delayed']:,} of {jobs['jobs']:,} delayed")
    for name in ("mean_added_delay_s", "delayed_mean_s", "delayed_p95_s", "delayed_max_s"):
        click.echo(f"  {name:26} {_number(jobs[name])}")


def _say_savings(savings: dict[str, Any] | None) -> None:
    if savings is None:
        return
    given = ", ".join(f"{name} {_number(value)}" for name, value in savings["inputs"].items())
    click.echo(f"savings with the inputs given ({given})")
    for span in ("window", "year"):
        click.echo(f"  {span:7}" + "  ".join(f"{k} {_number(v)}" for k, v in savings[span].items()))


def _say_frontier(document: dict[str, Any]) -> None:
    for row in document.get("frontier", []):
        parameter = "" if row["parameter"] is None else f"{row['parameter']:g}"
        click.echo(
            f"{row['controller']:10} {row['forecast'] or '-':12} {parameter:>5}  "
            f"asleep {_number(row['mean_sleeping_nodes'])}  lack events {row['lack_events']:,}  "
            f"wake-ups a day {row['wake_ups_per_day']:.2f}"
        )
    for each in document.get("comparison", {}).get("forecasts", []):
        click.echo(each["sentence"])
