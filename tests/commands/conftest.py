"""The `heliograph` command as a script sees it."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

import cli


@dataclass(frozen=True)
class Answer:
    """What a call gave: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def heliograph(data_folder, monkeypatch, capsys):
    """Call the command in this process on an empty data folder."""

    def call(*words: object) -> Answer:
        monkeypatch.setattr("sys.argv", ["heliograph", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return Answer(code, printed.out, printed.err)

    return call
