"""The ``heliograph`` command: names, files and JSON keys that scripts rely on (docs/reference/command.md).

Every subcommand exits 0, or 2 with one sentence on stderr for a user's mistake. ``--json`` prints one
document on stdout; progress goes to stderr. The subcommands import their rooms when they are called, so
that ``heliograph --help`` answers at once.
"""

import sys

import click

from commands import catalog, demo, energy, estimate, fetching, importing, plan, scheduling, server, sweep
from commands.terminal import Group, refuse


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="heliograph")
def heliograph() -> None:
    """Heliograph: what is going on in a GPU datacenter, and what if.

    HELIOGRAPH_DATA names the data folder (default: ./data).
    """


for _command in (
    *(server.serve, server.worker, server.password),
    *(demo.demo, fetching.fetch_command, importing.import_command, importing.check, catalog.traces_command),
    *(scheduling.simulate, sweep.sweep, plan.plan, estimate.estimate, energy.energy, energy.forecast),
):
    heliograph.add_command(_command)


def main() -> None:
    """Entry point of the ``heliograph`` command."""
    try:
        heliograph(prog_name="heliograph", standalone_mode=False)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "heliograph"
        refuse(f"{error.format_message()} See {where} --help.")
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)


if __name__ == "__main__":
    main()
