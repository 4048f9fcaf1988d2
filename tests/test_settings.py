"""The settings and their page in the docs are the same list."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from settings import Settings

PAGE = Path(__file__).resolve().parents[1] / "docs/reference/settings.md"


def test_every_setting_is_documented_with_its_default_and_its_meaning():
    rows = re.findall(r"^\| `HELIOGRAPH_(\w+)` \| `(.*?)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    documented = {name.lower(): (default, text) for name, default, text in rows}
    actual = {
        name: ("" if field.default is None else str(field.default), field.description)
        for name, field in Settings.model_fields.items()
    }
    assert documented == actual


def test_a_setting_is_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("HELIOGRAPH_PORT", "9001")
    assert Settings().port == 9001


def test_a_setting_out_of_range_is_refused(monkeypatch):
    monkeypatch.setenv("HELIOGRAPH_PORT", "-1")
    with pytest.raises(ValidationError, match="port"):
        Settings()
