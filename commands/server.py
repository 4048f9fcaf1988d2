"""``serve``, ``worker`` and ``password``."""

import sys
from pathlib import Path

import click

import settings
from commands.terminal import refuse


@click.command()
@click.option("--with-demo", is_flag=True, help="Make the demo trace first if there is no trace at all.")
@click.option("--no-worker", is_flag=True, help="Web server only; start `heliograph worker` elsewhere.")
def serve(with_demo: bool, no_worker: bool) -> None:
    """Start the web server and one worker; Ctrl-C stops both."""
    import serving

    knobs = settings.current()
    serving.check(knobs)
    if with_demo:
        _make_demo_if_empty(knobs.data)
    sys.exit(serving.serve(knobs, with_worker=not no_worker))


@click.command()
@click.option(
    "--runs-at-once",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Runs worked at the same time.",
)
def worker(runs_at_once: int) -> None:
    """Work on queued runs until stopped."""
    from runs import queue

    queue.serve(workers=runs_at_once)


@click.command()
@click.argument("user")
@click.password_option(help="The password; asked for where it is not given.")
def password(user: str, password: str) -> None:
    """Print a line for HELIOGRAPH_AUTH_FILE: USER and the hash of a password."""
    from werkzeug.security import generate_password_hash

    if ":" in user or not user.strip():
        refuse("A user name cannot be empty or contain a colon.")
    click.echo(f"{user}:{generate_password_hash(password)}")


def _make_demo_if_empty(root: Path) -> None:
    from commands import demo
    from traces.catalog import Catalog

    if not Catalog(root).names():
        click.echo("Making a small demo trace ...", err=True)
        demo.make(root)
