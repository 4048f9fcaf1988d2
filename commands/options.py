"""Options that several subcommands take, the same everywhere."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def json_option(command: Command) -> Command:
    """The ``--json`` flag, the same everywhere."""
    return click.option("--json", "as_document", is_flag=True, help="Print one JSON document on stdout.")(
        command
    )


def _named_columns(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """``canonical=source`` options as a dictionary."""
    named: dict[str, str] = {}
    for each in given:
        canonical, equals, source = each.partition("=")
        if not (equals and canonical.strip() and source.strip()):
            raise click.BadParameter(
                f"{each!r} is not of the form canonical=source, such as submit_time=timestamp."
            )
        named[canonical.strip()] = source.strip()
    return named


def pairs(example: str) -> Callable[..., dict[str, str]]:
    """A callback that makes a dictionary of ``name=value`` options; the last ``=`` divides."""

    def read(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
        named: dict[str, str] = {}
        for each in given:
            name, equals, value = each.rpartition("=")
            if not (equals and name.strip() and value.strip()):
                raise click.BadParameter(f"{each!r} is not of the form {example}.", context, parameter)
            named[name.strip()] = value.strip()
        return named

    return read


def replayed_jobs_options(command: Command) -> Command:
    """``--trace``, ``--cluster`` and ``--vc``: whose jobs are replayed."""
    for option in (
        click.option("--vc", "vcs", multiple=True, help="Virtual cluster; all where none is given."),
        click.option("--cluster", "clusters", multiple=True, help="Cluster; all where none is given."),
        click.option("--trace", required=True, help="Trace to replay."),
    ):
        command = option(command)
    return command


def map_option(command: Command) -> Command:
    """``--map canonical=source``, once per column."""
    text = "Canonical column and the file's column that holds it; once per column."
    return click.option(
        "--map", "mapped", metavar="CANONICAL=SOURCE", multiple=True, callback=_named_columns, help=text
    )(command)


def window_options(command: Command) -> Command:
    """``--from`` and ``--to``."""
    command = click.option(
        "--to", default="", help="End of the window (not included): a date or an instant."
    )(command)
    return click.option("--from", "from_", default="", help="Start of the window: a date or an instant.")(
        command
    )


def policies_option(command: Command) -> Command:
    """``--policy``, once per policy that is replayed."""
    text = (
        "Policy; once per policy. fifo, sjf, smallest, qssf, gputime, fairshare, priority; srtf, srsf, las."
    )
    return click.option(
        "--policy", "policies", multiple=True, default=("fifo",), show_default=True, help=text
    )(command)


def rules_options(command: Command) -> Command:
    """``--placement``, ``--backfill`` and ``--start-state``: how every replay goes."""
    for option in (
        click.option(
            "--start-state", is_flag=True, help="Begin with the jobs that ran and waited as recorded."
        ),
        click.option(
            "--backfill", is_flag=True, help="Jobs may overtake a blocked head that they do not delay."
        ),
        click.option(
            "--placement",
            default="consolidate",
            show_default=True,
            help="consolidate, consolidateFirst, bestFit, firstFit or spread.",
        ),
    ):
        command = option(command)
    return command


def quota_option(command: Command) -> Command:
    """``--capacity-over-time``."""
    return click.option(
        "--capacity-over-time",
        is_flag=True,
        help="Follow the daily quota; without it each VC has its maximum in the window.",
    )(command)
