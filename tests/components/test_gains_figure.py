"""Winners and losers as bars and as a sentence: the numbers are those of the frame."""

import pandas as pd
import pytest

from components.figures.gains import changes_by_vc
from components.replay_gains import labelled, sentence
from tests.components.text import plain

ROWS = pd.DataFrame(
    {
        "label": ["a", "b · Venus", "c"],
        "change_s": [7200.0, -60.0, -5400.0],
        "losers": [3, 0, 1],
        "winners": [0, 2, 9],
    }
)


def test_a_bar_goes_up_where_a_vc_waits_longer_and_has_its_own_pattern():
    figure = changes_by_vc(ROWS)
    bars = {bar.name: bar for bar in figure.data}
    assert list(bars["waits longer"].y) == [7200.0] and list(bars["waits longer"].x) == ["a"]
    assert list(bars["waits less"].y) == [-60.0, -5400.0]
    assert list(figure.layout.xaxis.categoryarray) == ["a", "b<br>Venus", "c"]
    assert plain(bars["waits less"].customdata[1]) == "− 1 h 30 min (1 job longer, 9 shorter)"
    assert bars["waits longer"].marker.pattern.shape != bars["waits less"].marker.pattern.shape


def test_a_lone_bar_is_no_block():
    widths = [changes_by_vc(ROWS.head(number)).data[0].width for number in (1, 2, 3)]
    assert widths == [0.2, 0.4, pytest.approx(0.6)]


def test_the_axis_has_signed_ticks_around_zero():
    axis = changes_by_vc(ROWS).layout.yaxis
    assert dict(zip(axis.tickvals, axis.ticktext, strict=True)) == {
        -7200: "−2 h",
        -3600: "−1 h",
        0: "0",
        3600: "+1 h",
        7200: "+2 h",
    }
    assert changes_by_vc(ROWS.iloc[:0]).layout.yaxis.ticktext is not None


def test_the_sentence_counts_jobs_vcs_and_users():
    totals = {"jobs": 1000, "winners": 600, "losers": 1, "avg_change_s": -90.0}
    said = plain(sentence(totals | {"losing_vcs": 2, "losing_users": 1}, "qssf", "fifo"))
    assert said == (
        "600 of 1,000 jobs wait less under QSSF than under FIFO, 1 longer; the mean delay changes by "
        "− 1 min 30 s; it grows for 2 VCs and 1 user."
    )
    assert sentence(totals | {"losing_vcs": 0, "losing_users": None}, "qssf", "fifo").endswith("0 VCs.")
    lone = {"jobs": 1, "winners": 1, "losers": 0, "losing_vcs": 0, "losing_users": 0}
    assert "1 of 1 job waits less" in sentence(totals | lone, "qssf", "fifo")
    assert "two different policies" in sentence({}, "fifo", "fifo")


def test_a_vc_says_its_cluster_where_there_are_several():
    rows = pd.DataFrame({"vc": ["a"], "cluster": ["Venus"]})
    assert list(labelled(rows, True)["label"]) == ["a · Venus"]
    assert list(labelled(rows, False)["label"]) == ["a"]
