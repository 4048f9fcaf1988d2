"""The preview on the scheduling page: the stored run's numbers, refused with a sentence, nothing stored."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import settings
from runs import simulation
from runs.scenario import SchedulingScenario
from runs.store import RunStore
from tests.components.text import text_of
from tests.pages.stored_runs import REPLAY_DAYS

DAYS = "&from=2020-09-03&to=2020-09-10"
ADDRESS = f"?trace=demo&cluster=Venus{DAYS}&policy=fifo&policy=sjf&policy=srtf"


@pytest.fixture
def preview(ask: Callable[..., dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    """The card as the browser gets it for an address."""

    def shown(address: str) -> dict[str, Any]:
        return ask(
            "replay-preview-totals.children",
            replay_preview_ask={"address": address, "time": 0},
        )

    return shown


def test_the_preview_shows_what_the_stored_run_has(
    application: ModuleType, data: Path, preview: Callable[[str], dict[str, Any]]
) -> None:
    from components.numbers import count, duration, percent

    answer = preview(ADDRESS)
    run = simulation.simulate(
        SchedulingScenario("demo", ("Venus",), policies=("fifo", "sjf", "srtf"), **REPLAY_DAYS)
    )
    table = answer["replay-preview-totals"]["children"]["props"]["children"][-1]
    body = table["props"]["children"][0]["props"]["children"]["props"]["data"]["body"]
    totals = [row for row in run.document["results"] if row["vc"] == "*"]
    assert [row[1:] for row in body] == [
        [
            *(duration(row[key]) for key in ("avg_jct_s", "avg_queueing_delay_s", "p95_queueing_delay_s")),
            *(count(row[key]) for key in ("queued_jobs", "rejected_jobs")),
            percent(row["gpu_utilization"]),
        ]
        for row in totals
    ]
    assert answer["replay-preview-answered"]["data"] == ADDRESS
    assert answer["replay-preview-place"]["className"] == "preview"
    assert not RunStore(data).all()


def test_a_preview_that_costs_more_than_the_setting_says_what_to_do(
    data: Path, preview: Callable[[str], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, says in (("10", "Choose fewer days"), ("0", "switched off")):
        monkeypatch.setenv("HELIOGRAPH_REPLAY_JOBS_IN_WEB", most)
        settings.current.cache_clear()
        answer = preview(ADDRESS)
        assert says in str(answer["replay-preview-totals"]["children"])
        assert answer["replay-preview-place"]["className"] == "preview only-totals"
        assert answer["replay-preview-answered"]["data"] == ADDRESS


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("?trace=demo&policy=", "at least one policy"),
        ("?trace=gone", "no trace called “gone”"),
        ("?trace=demo&load=99", "from 0.05 to 10"),
        ("?trace=demo&vc=nothing", "nothing"),
        ("?trace=demo&nodes=Venus/vcA", "Venus/vcA:3"),
    ],
)
def test_what_cannot_be_replayed_is_said_in_the_preview_and_the_next_question_is_asked(
    data: Path, preview: Callable[[str], dict[str, Any]], address: str, says: str
) -> None:
    answer = preview(address)
    assert says in str(answer["replay-preview-totals"]["children"])
    assert answer["replay-preview-answered"]["data"] == address


def test_a_policy_that_waits_for_estimates_is_named(
    data: Path, preview: Callable[[str], dict[str, Any]]
) -> None:
    answer = preview(f"?trace=demo&cluster=Venus{DAYS}")
    assert "QSSF waits for estimates" in str(answer["replay-preview-totals"]["children"])


def test_the_csv_has_the_points_of_the_curve(data: Path, ask: Callable[..., dict[str, Any]]) -> None:
    run = simulation.simulate(
        SchedulingScenario("demo", ("Venus",), policies=("fifo", "sjf", "srtf"), **REPLAY_DAYS)
    )
    answer = ask('"name":"replay-preview","type":"download"}.data', replay_preview_answered=ADDRESS)
    [saved] = [part["data"] for part in answer.values()]
    assert saved["content"] == run.cdf.to_csv(index=False)


def test_the_form_says_how_the_sliders_stand(application: ModuleType, data: Path) -> None:
    from pages import scheduling

    page = scheduling.layout(trace="demo", load="7", durations="0.5")
    at = {
        str(each.id): each.value
        for each in page._traverse()
        if str(getattr(each, "id", "")).endswith("slider")
    }
    assert at == {"replay-load-slider": 3.0, "replay-durations-slider": 0.5}
    assert "Results appear here" in text_of(page)
