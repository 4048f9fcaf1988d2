"""``heliograph energy``: controllers, the frontier, jobs and savings as a script sees them."""

import pytest


@pytest.fixture
def nodes(tmp_path):
    """Five days of an hourly step between 3 and 7 of 10 nodes."""
    lines = ["time,used,total"]
    lines += [
        f"2020-04-{1 + h // 24:02} {h % 24:02}:{m:02}:00,{3 + h % 5},10"
        for h in range(120)
        for m in range(0, 60, 10)
    ]
    file = tmp_path / "nodes.csv"
    file.write_text("\n".join(lines))
    return ("energy", "--series", file, "--from", "2020-04-04", "--to", "2020-04-06", "--model", "last")


def test_a_controller_is_chosen_by_name_with_its_own_options(heliograph, nodes):
    margin = ("--controller", "margin", "--margin", 2, "--low-water", 1, "--hold", 3, "--boot-time", "5min")
    document = heliograph(*nodes, *margin, "--wake-failures", 0.2, "--json").document
    acted = document["controller"]
    assert acted["name"] == "margin"
    assert acted["parameters"] == {"margin_nodes": 2, "low_water_nodes": 1, "hold_slots": 3}
    assert acted["forecast"] is None
    assert acted["causal"]
    assert acted["failed_wakes"] > 0
    assert document["result"]["mean_sleeping_nodes"] > 0
    assert "jobs" not in document  # a series has none


def test_the_ends_keep_all_awake_or_what_was_in_use(heliograph, nodes):
    on, follow = (
        heliograph(*nodes, "--controller", each, "--json").document["result"] for each in ("always_on", "drs")
    )
    assert (on["mean_sleeping_nodes"], on["lack_events"]) == (0, 0)
    assert follow["lack_events"] == 39  # 48 hours, of which 9 begin with a fall
    assert follow["wake_ups_per_day"] * 2 == 38  # the first one only finds the level


def test_the_published_rule_is_labelled_as_one_that_knows_the_slot(heliograph, nodes):
    acted = heliograph(*nodes, "--controller", "ces_published", "--json").document["controller"]
    assert not acted["causal"]
    assert "knows the slot" in acted["label"]


def test_the_frontier_and_its_verdicts_are_printed(heliograph, nodes):
    document = heliograph(*nodes, "--frontier", "--json").document
    assert list(document["frontier"][0]) == [
        "controller",
        "forecast",
        "parameter",
        "mean_sleeping_nodes",
        "lack_events",
        "lacking_nodes",
        "wake_ups_per_day",
        "nodes_woken_per_day",
    ]
    assert document["comparison"]["at_lack_events"] == pytest.approx(10 / 7)
    text = heliograph(*nodes, "--frontier", "--model", "day").out
    assert "true future" in text
    assert "The forecast day" in text


def test_savings_are_printed_with_every_input(heliograph, nodes):
    power = ("--idle-w", 500, "--sleep-w", 10, "--boot-wh", 40, "--pue", 1.2, "--price", 0.1, "--carbon", 300)
    text = heliograph(*nodes, *power).out
    assert "idle_w 500.000, cooling_factor 0.200, price_per_kwh 0.100" in text
    assert "sleep_w 10.000, boot_wh 40.000" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--controller", "magic"), "no controller 'magic'"),
        (("--controller", "margin", "--buffer", 3), "margin has no parameter 'buffer_nodes'"),
        (("--controller", "quantile", "--quantile", 2), "quantile must be between 0 and 1"),
        (("--wake-failures", 1), "probability"),
        (("--price", "cheap"), "--price is 'cheap'"),
        (("--pue", 1.2, "--cooling-factor", 0.2), "either the PUE or the cooling factor"),
    ],
)
def test_a_mistake_gets_one_sentence(heliograph, nodes, words, sentence):
    answer = heliograph(*nodes, *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("heliograph: ") == 1
