"""The command and its page in the docs name the same things."""

import re
from pathlib import Path

import click

import cli

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/command.md").read_text()


def subcommands(group: click.Group, prefix: str = "heliograph") -> set[str]:
    """Full names of all commands that do something when called bare."""
    names = set()
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        if isinstance(command, click.Group) and not command.invoke_without_command:
            names |= subcommands(command, full)
        else:
            names.add(full)
    return names


def test_the_docs_list_exactly_the_subcommands_that_there_are():
    documented = set(re.findall(r"^\| `(heliograph [a-z ]+)` \|", PAGE, re.MULTILINE))
    assert documented == subcommands(cli.heliograph)


def test_every_option_has_a_help_text():
    def walk(command):
        if isinstance(command, click.Group):
            for each in command.commands.values():
                yield from walk(each)
        yield command

    for command in walk(cli.heliograph):
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{command.name} {parameter.opts}"
