"""Cards, tables and the one factory of charts."""

import ast
import json
from pathlib import Path

import pandas as pd
import plotly
import pytest

import components
from components.cards import result_card
from components.chart_card import chart_card, graph
from components.tables import SHOWN_ROWS, Column, csv, data_table
from components.theme import cluster_styles
from components.trace_card import ClusterTimes, cluster_report, trace_card
from components.vc_table import vc_table
from tests.components.text import table_of

ROOT = Path(components.__file__).parents[1]


def rendered(component: object) -> str:
    """A component as the browser gets it."""
    return json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False).replace(
        "\u00a0", " "
    )


def test_no_chart_offers_to_upload_itself_or_shows_a_logo() -> None:
    config = graph("any").config
    assert config["showSendToCloud"] is False
    assert config["displaylogo"] is False


@pytest.mark.parametrize("room", ["components", "pages"])
def test_every_chart_comes_out_of_the_one_factory(room: str) -> None:
    makers = []
    for path in sorted((ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Graph"
            ):
                makers.append(path.name)
    assert makers == (["chart_card.py"] if room == "components" else [])


def test_a_chart_card_has_title_note_table_and_csv() -> None:
    text = rendered(chart_card("name", "A title", "A note"))
    for part in ("A title", "A note", "Table", "CSV"):
        assert part in text


def test_a_change_stands_under_its_number_with_arrow_and_color() -> None:
    text = rendered(result_card("GPU utilization", "83.6", "%", detail="4.1 points", tone="good", arrow="up"))
    assert "▲ 4.1 points" in text and "detail good" in text


def test_a_table_is_humanized_and_says_when_it_is_cut() -> None:
    frame = pd.DataFrame({"vc": ["a"] * 300, "delay_s": [8040.0] * 300, "share": [None] * 300})
    columns = [
        Column("vc", "VC"),
        Column("delay_s", "Delay", "duration"),
        Column("share", "Share", "percent"),
    ]
    text = rendered(data_table(frame, columns))
    assert text.count("2 h 14 min") == SHOWN_ROWS
    assert "The first 200 of 300 rows" in text
    assert "unknown" in text


def test_csv_is_unrounded_and_unknown_is_empty() -> None:
    assert csv(pd.DataFrame({"a": [0.1 + 0.2, None]})) == 'a\n0.30000000000000004\n""\n'


def test_the_vc_table_shows_unknown_utilization_as_a_word() -> None:
    vcs = pd.DataFrame(
        {"cluster": ["Venus"], "vc": [None], "present_gpus": [None], "utilization": [None],
         "p95_queueing_delay_s": [8040.0], "jobs": [12]}
    )  # fmt: skip
    (row,) = table_of(vc_table(vcs, ["Venus"]).children)["rows"]
    assert row[0] == {"text": "no VC", "dot": cluster_styles(["Venus"])["Venus"][0], "after": " Venus"}
    assert row[1:] == ["unknown", "unknown", "", "2\u00a0h\u00a014\u00a0min", "12"]


CLUSTER = {
    "format": "csv",
    "source": [{"name": "jobs.csv", "bytes": 36_400_000, "sha256": "ab" * 32}],
    "gpus_per_node": 8,
    "has_start": True,
    "has_capacity": False,
    "report": {
        "rows_read": 1000,
        "rows_kept": 998,
        "rows_flagged": {"end_before_start": 1},
        "rows_rejected": {"no_submit_time": 2},
        "rejected_examples": [{"line": 7, "reason": "no_submit_time", "text": ",vc1,<script>"}],
        "notes": ["VC vc9 has no capacity row."],
    },
}


def test_an_import_report_tells_every_count_reason_and_note() -> None:
    text = rendered(cluster_report("Venus", CLUSTER, ClusterTimes("no jobs")))
    for part in (
        "jobs.csv (36.4 MB",
        "1 row: end before start",
        "2 rows: no submit time",
        ",vc1,<script>",
        "vc9",
    ):
        assert part in text
    assert "start times" in text and "capacity (GPUs per VC)" in text


def test_a_trace_card_names_time_zone_span_and_what_is_not_known() -> None:
    manifest = {
        "trace": "mine", "timezone": "Asia/Shanghai", "generated": True, "created": "2026-01-01T00:00:00Z",
        "clusters": {"Venus": CLUSTER},
    }  # fmt: skip
    times = {"Venus": ClusterTimes("1 Sep 2020 – 2 Sep 2020")}
    text = rendered(trace_card(manifest, times, "/?trace=mine"))
    for part in ("generated", "Asia/Shanghai", "998 jobs", "1 Sep 2020 – 2 Sep 2020", "not known"):
        assert part in text


def test_an_import_report_shows_gaps_the_latest_instant_and_what_each_rule_does_to_the_headline() -> None:
    report = CLUSTER["report"] | {
        "headline": {"jobs": 998, "gpu_jobs": 900, "gpu_hours": 2000.0, "jobs_without_gpu_hours": 3},
        "effects": [
            {"outcome": "flagged", "reason": "end_before_start", "rows": 1, "gpu_hours": 500.0},
            {"outcome": "rejected", "reason": "no_submit_time", "rows": 2, "gpu_hours": None},
        ],
    }
    source = [
        {"name": f"{day}.txt", "bytes": 1000, "sha256": f"{day:064}", "rows_read": 1} for day in range(180)
    ]
    latest = {"imported": "2026-01-02T00:00:00Z", "added": 5, "updated": 4, "unchanged": 3, "older": 0}
    cluster = CLUSTER | {"report": report, "source": source, "latest": latest}
    times = ClusterTimes("1 Sep – 2 Sep", "2 Sep 2020, 08:00 Asia/Shanghai", ["1 Sep – 2 Sep (1 d)"], 4)
    text = rendered(cluster_report("Venus", cluster, times)).replace("\u00a0", " ")
    for part in (
        "2.txt (1.0 kB, SHA-256 000000000000…) and 177 more",
        "2 Sep 2020, 08:00 Asia/Shanghai",
        "nothing submitted 1 Sep – 2 Sep (1 d); and 3 shorter ones",
        "998 jobs, 900 with GPUs, 2,000 GPU-hours; of 3 jobs they are unknown",
        "25.00 %",  # 500 of 2,000 GPU-hours
        "0.10 %",  # 1 of 1,000 rows
        "2 Jan 2026: 5 new, 4 updated, 3 there already, 0 older than what is stored",
    ):
        assert part in text
    assert "3.txt" not in text


def test_texts_stand_left_and_numbers_right_wherever_their_column_is() -> None:
    kinds = [Column("a", "n", "count"), Column("b", "t"), Column("c", "w", "written"), Column("d", "t")]
    frame = pd.DataFrame({"a": [1], "b": ["x"], "c": ["3 d"], "d": ["y"]})
    [scrolled, _] = data_table(frame, kinds).children
    assert scrolled.children.className == "data-table text-2 text-4"
    css = Path("assets/heliograph.css").read_text(encoding="utf-8")
    assert all(f".text-{place} :is(td, th):nth-child({place})" in css for place in range(1, 9))
