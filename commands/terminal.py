"""How the command speaks: one sentence for a mistake, one document for scripts, progress for people."""

import json
import math
import sys
from typing import Any, NoReturn

import click

ROOMS = {"traces", "queries", "scheduling", "energy", "runs", "serving"}


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
    """Whether it is an error of the rooms (each carries a sentence) or a file that cannot be used."""
    room = type(error).__module__.partition(".")[0]
    return isinstance(error, OSError) or room in ROOMS


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
