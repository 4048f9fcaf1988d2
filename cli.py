"""The ``heliograph`` command: names, files and JSON keys that scripts rely on (docs/reference/command.md).

Every subcommand exits 0, or 2 with one sentence on stderr for a user's mistake. ``--json`` prints one
document on stdout; progress goes to stderr. The rooms are imported inside the commands, so that
``heliograph --help`` answers at once.
"""

import json
import math
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

import settings


def main() -> None:
    """Entry point of the ``heliograph`` command."""
    heliograph(prog_name="heliograph")


class Group(click.Group):
    """A group whose commands turn a user's mistake into one sentence and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (OSError, ValueError) as error:
            if not _is_a_users_mistake(error):
                raise
            refuse(str(error))


def _is_a_users_mistake(error: Exception) -> bool:
    """Whether this is one of the rooms' own errors (each carries a sentence), or a file that cannot be used."""
    room = type(error).__module__.partition(".")[0]
    return room in {"traces", "queries", "scheduling", "energy", "runs", "serving"} or isinstance(error, OSError)


def refuse(sentence: str) -> NoReturn:
    """Say what is wrong in one sentence and leave with exit code 2."""
    click.echo(f"heliograph: {sentence}", err=True)
    sys.exit(2)


def as_json(value: Any) -> Any:
    """The value with NaN and infinities as null and NumPy's scalars as Python's."""
    if isinstance(value, dict):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_json(document: dict[str, Any] | list[Any]) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(as_json(document), allow_nan=False, indent=2))


def say(done: float, step: str) -> None:
    """Progress for people: on stderr, and only where someone is looking."""
    if sys.stderr.isatty():
        end = "\n" if done >= 1 else ""
        click.echo(f"\r\033[K{done:4.0%}  {step}{end}", err=True, nl=False)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The ``--json`` flag, the same everywhere."""
    return click.option("--json", "as_document", is_flag=True, help="Print one JSON document on stdout.")(command)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="heliograph")
def heliograph() -> None:
    """Heliograph: what is going on in a GPU datacenter, and what if.

    HELIOGRAPH_DATA names the data folder (default: ./data).
    """


# --- processes ---------------------------------------------------------------------------------


@heliograph.command()
@click.option("--with-demo", is_flag=True, help="Make the demo trace first if there is no trace at all.")
@click.option("--no-worker", is_flag=True, help="Web server only; start `heliograph worker` elsewhere.")
def serve(with_demo: bool, no_worker: bool) -> None:
    """Start the web server and one worker; Ctrl-C stops both."""
    import serving

    knobs = settings.current()
    serving.check(knobs)
    if with_demo:
        _demo_if_empty(knobs.data)
    sys.exit(serving.serve(knobs, with_worker=not no_worker))


@heliograph.command()
@click.option("--runs-at-once", default=1, show_default=True, type=click.IntRange(1, 64), help="Runs worked at the same time.")
def worker(runs_at_once: int) -> None:
    """Work on queued runs until stopped."""
    from runs import queue

    queue.serve(workers=runs_at_once)


@heliograph.command()
@click.argument("user")
@click.password_option(help="The password; asked for where it is not given.")
def password(user: str, password: str) -> None:
    """Print a line for HELIOGRAPH_AUTH_FILE: USER and the hash of a password."""
    from werkzeug.security import generate_password_hash

    if ":" in user or not user.strip():
        refuse("A user name cannot be empty or contain a colon.")
    click.echo(f"{user}:{generate_password_hash(password)}")


# --- traces ------------------------------------------------------------------------------------


@heliograph.group(name="traces", invoke_without_command=True)
@json_option
@click.pass_context
def traces_command(context: click.Context, as_document: bool) -> None:
    """List, rename or delete traces."""
    if context.invoked_subcommand is None:
        _list_traces(as_document)


def _list_traces(as_document: bool) -> None:
    from traces import Catalog

    manifests = Catalog(settings.current().data).manifests()
    if as_document:
        print_json({"traces": manifests})
        return
    if not manifests:
        click.echo("No traces yet: heliograph demo makes one, heliograph import brings in yours.")
    for manifest in manifests:
        note = ", generated" if manifest["generated"] else ""
        click.echo(f"{manifest['trace']}  ({manifest['timezone']}{note})")
        for name, cluster in manifest["clusters"].items():
            report = cluster["report"]
            click.echo(f"  {name}: {report['rows_kept']:,} rows, {report['first_submit']} to {report['last_submit']}")


@traces_command.command()
@click.argument("trace")
@click.argument("new_name")
@json_option
def rename(trace: str, new_name: str, as_document: bool) -> None:
    """Give a trace another name; runs that used it stay readable."""
    from traces import Catalog

    Catalog(settings.current().data).rename(trace, new_name)
    print_json({"renamed": trace, "trace": new_name}) if as_document else click.echo(f"{trace} is now called {new_name}.")


@traces_command.command()
@click.argument("trace")
@json_option
def delete(trace: str, as_document: bool) -> None:
    """Remove a trace; runs that used it stay readable."""
    from traces import Catalog

    Catalog(settings.current().data).delete(trace)
    print_json({"deleted": trace}) if as_document else click.echo(f"{trace} is deleted.")
