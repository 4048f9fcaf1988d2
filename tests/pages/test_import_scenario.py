"""What the form of an import asks the worker for."""

from pathlib import Path
from types import ModuleType

import pytest

from runs.import_fields import refusals
from traces.schema import SOURCE_COLUMNS

SAID = {
    "format": "csv",
    "trace": " mine ",
    "cluster": "C ",
    "timezone": "Europe/Berlin",
    "file_timezone": "UTC",
    "vc_field": "QOS",
    "capacity": None,
    "gpus_per_node": 4,
    "outcome": "replace",
    "pseudonymize": True,
    "processors_are_gpus": True,
    "ids_follow_submission": True,
}
COLUMNS = {"submit_time": "when", "gpu_num": "gpus", "job_id": "id", "time": "when", "used": "gpus"}


@pytest.fixture
def asked(application: ModuleType):  # the check that the form asks for
    from pages.import_scenario import scenario_of

    return lambda **changes: scenario_of("upload/x", "1-2", SAID | changes, COLUMNS)


def test_only_what_the_format_uses_is_said(asked) -> None:
    table = asked()
    assert (table.step, table.trace, table.cluster, table.gpus_per_node) == ("check", "mine", "C", 4)
    assert (table.file_timezone, table.vc_field, table.processors_are_gpus) == ("", "Partition", False)
    assert table.ids_follow_submission
    taken = {name: source for name, source in table.mapped.items() if source}
    assert taken == {"submit_time": "when", "gpu_num": "gpus", "job_id": "id"}
    assert set(table.mapped) == set(SOURCE_COLUMNS)  # the others are not taken, whatever the file has
    assert asked(format="nodes").mapped == {"time": "when", "used": "gpus", "total": ""}
    assert not asked(format="nodes").ids_follow_submission
    public = asked(format="helios")
    assert (public.mapped, public.timezone, public.gpus_per_node, public.starts_over) == ({}, "", None, False)


def test_a_table_replaces_unless_it_adds_and_slurm_adds_unless_it_starts_over(asked) -> None:
    assert (asked().adds, asked(outcome="add").adds) == (False, True)
    assert asked(format="slurm", outcome="add").starts_over is False
    assert asked(format="slurm", outcome="replace").starts_over is True


@pytest.mark.parametrize(("typed", "read"), [(4, 4), ("", None), (None, None), ("-", 0), (float("nan"), 0)])
def test_a_number_that_is_half_typed_is_refused_and_breaks_nothing(asked, typed, read) -> None:
    form = asked(gpus_per_node=typed)
    assert form.gpus_per_node == read
    assert ("gpus_per_node" in refusals(form)) == (read == 0)
    assert asked(trace=7, cluster=1.5).trace == ""


def test_a_form_without_a_format_is_refused_there_and_breaks_nothing(asked, empty: Path) -> None:
    assert list(refusals(asked(format=None))) == ["format"]
