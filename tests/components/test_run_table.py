"""The list of runs and what a scenario says in one line."""

import pytest

from components.run_table import RunRow, action, moment, run_table, scenario_sentence, window_text
from tests.components.text import plain, text_of

SCHEDULING = {
    "trace": "demo",
    "clusters": ["Saturn"],
    "vcs": ["vcA", "vcB"],
    "from": "2020-09-01",
    "to": "2020-09-27",
    "policies": ["fifo", "qssf"],
    "placement": "consolidate",
    "extra_nodes": {"Saturn/vcA": -3},
    "load_factor": 1.5,
}
ENERGY = {
    "trace": "philly",
    "cluster": "Nodes",
    "from": "2017-11-17",
    "to": "",
    "model": "seasonal",
    "preset": "Philly",
    "parameters": {"buffer_nodes": 5},
    "boot_time_s": 300.0,
}


def listed(**changes) -> RunRow:
    values = {
        "id": "abc",
        "kind": "scheduling",
        "name": "",
        "scenario": SCHEDULING,
        "state": "done",
        "progress": 1.0,
        "created": 0.0,
        "started": 10.0,
        "finished": 85.0,
        "sentence": "QSSF shortens it.",
        "path": "/runs/abc",
        "csv": "/runs/abc/results.csv",
        "trace_is_there": True,
    }
    return RunRow(**values | changes)


def buttons(table) -> set[str]:
    return {id["action"] for id in _ids(table) if isinstance(id, dict)}


def _ids(component) -> list:
    children = getattr(component, "children", None)
    inner = children if isinstance(children, (list, tuple)) else [children]
    own = [component.id] if getattr(component, "id", None) else []
    return own + [
        id for child in inner if child is not None and not isinstance(child, str) for id in _ids(child)
    ]


def test_a_scheduling_scenario_fits_in_a_line():
    assert plain(scenario_sentence("scheduling", SCHEDULING)) == (
        "demo · Saturn · vcA and vcB · 1 Sep 2020 – 26 Sep 2020 · FIFO, QSSF · Saturn/vcA −3 nodes "
        "· load × 1.5"
    )


def test_an_energy_scenario_fits_in_a_line():
    said = plain(scenario_sentence("energy", ENERGY))
    assert said.startswith("philly · Nodes · 17 Nov 2017 to the end · forecast:")
    assert said.endswith("preset Philly, changed · boot time 5 min")


@pytest.mark.parametrize(
    ("first", "end", "text"),
    [
        ("", "", "whole trace"),
        ("2020-09-01", "2020-09-02", "1 Sep 2020 – 1 Sep 2020"),
        ("", "2020-09-02", "the beginning – 1 Sep 2020"),
        ("2020-09-01T12:00", "2020-09-01T18:00", "2020-09-01 12:00 – 2020-09-01 18:00"),
    ],
)
def test_a_window_shows_its_last_included_day(first, end, text):
    assert window_text({"from": first, "to": end}) == text


def test_a_finished_run_can_be_renamed_downloaded_and_deleted():
    table = run_table([listed()])
    assert buttons(table) == {"rename", "delete"}
    assert all(word in text_of(table) for word in ("QSSF shortens it.", "CSV", "1 min 15 s", "done"))


def test_an_open_run_can_be_cancelled_and_offers_no_result():
    table = run_table([listed(state="running", progress=0.4, finished=None, sentence="")])
    assert buttons(table) == {"cancel", "delete"}
    assert "CSV" not in text_of(table) and "running" in text_of(table)


def test_a_run_whose_trace_is_gone_says_so():
    assert "gone" in text_of(run_table([listed(trace_is_there=False)]))
    assert "gone" not in text_of(run_table([listed()]))


def test_instants_are_told_in_utc():
    assert text_of(moment(1_600_000_000.0)) == "13 Sep 2020, 12:26 UTC"


def test_the_buttons_of_two_runs_are_told_apart():
    assert action("delete", "a") != action("delete", "b")
