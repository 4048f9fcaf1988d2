"""What stands under the pointer of a chart is written as everywhere else: one job, 2 h 14 min."""

import re
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from components.figures import jobs, users, virtual_clusters
from components.numbers import plural
from tests.components.text import plain, wrong_plurals

FIRST_DAY = pd.Timestamp("2020-09-01")


def of_one() -> dict[str, go.Figure]:
    """Figures that tell how many, of one each."""
    bins = pd.DataFrame({"completed": ["90–100"], "users": [1]})
    series = pd.DataFrame({"local_time": [FIRST_DAY], "waiting_jobs": [1], "waiting_gpus": [1.0]})
    ended = pd.DataFrame(
        {"cluster": "Venus", "period": [FIRST_DAY], "failed_share": 1.0, "failed_jobs": 1, "ended_jobs": 1}
    )
    bars = pd.DataFrame({"kind": ["GPU jobs"], "status": ["failed"], "jobs": [1], "share": [1.0]})
    over_time = pd.DataFrame({"period": [FIRST_DAY], "status": ["failed"], "jobs": [1]})
    return {
        "jobs by period": jobs.statuses_over_time(
            over_time, "jobs", ["failed"], "GPU jobs", factor=1, written=lambda number: plural(number, "job")
        ),
        "users by completion": users.completion_histogram(bins),
        "users by completion, to be opened": users.completion_histogram(bins, ["#grid?completed=90..100"]),
        "jobs that wait": virtual_clusters.waiting_over_time(series, "UTC"),
        "final status": jobs.final_status(bars, "kind", ""),
        "failures over time": jobs.shares_over_time(ended, "failed", ["Venus"]),
    }


def pointer_texts(figure: go.Figure) -> list[str]:
    """What the pointer says of each point, as Plotly fills it in."""
    return [_filled(line, place) for line in figure.data for place in range(len(line.y))]


def _filled(line: Any, place: int) -> str:
    def value(part: re.Match[str]) -> str:
        of_point = line[part[1]][place]
        shown = of_point if part[2] is None else of_point[int(part[2])]
        return str(shown) if part[3] is None else format(shown, part[3])

    return plain(re.sub(r"%\{(\w+)(?:\[(\d)\])?(?::([^}]*))?\}", value, line.hovertemplate))


@pytest.mark.parametrize("name", of_one())
def test_what_is_one_is_told_as_one(name: str) -> None:
    texts = pointer_texts(of_one()[name])
    assert any(re.search(r"\b1 (job|user)\b", text) for text in texts)
    assert [wrong_plurals(text) for text in texts] == [[]] * len(texts)


def test_mean_delays_and_durations_are_told_in_units_that_people_know() -> None:
    rows = pd.DataFrame(
        {"cluster": "Venus", "vc": ["a"], "avg_queueing_delay_s": [864_000.0], "avg_duration_s": [0.25]}
    )
    figure = virtual_clusters.waits_and_durations(rows, lambda cluster, vc: f"/vcs?vc={vc}")
    assert pointer_texts(figure) == [
        "10 d<extra>a, queueing delay</extra>",
        "0.2 s<extra>a, duration</extra>",
    ]
