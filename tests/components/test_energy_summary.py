"""What the result of an energy run says."""

from typing import Any

from components import energy_summary as summary
from components.controllers import PARAMETERS
from tests.components.text import plain, text_of, wrong_plurals

RESULT = {
    "slots": 2016,
    "slots_missing": 16,
    "mean_total_nodes": 420.0,
    "mean_used_nodes": 289.1,
    "mean_awake_nodes": 313.0,
    "mean_sleeping_nodes": 107.1,
    "wake_ups_per_day": 1.357,
    "nodes_per_wake_up": 9.4,
    "changes_per_day": 2.6,
    "node_utilization_before": 0.688,
    "node_utilization_after": 0.926,
    "lack_events": 20,
    "lacking_nodes": 61.0,
}
SCENARIO: dict[str, Any] = {
    "cluster": "Nodes",
    "demand": "recorded node series",
    "timezone": "America/Los_Angeles",
    "preset": "Earth",
    "parameters": {},
    "boot_time_s": 90.0,
    "idle_w": None,
    "cooling_factor": None,
    "price_per_kwh": 0.1,
    "carbon_g_per_kwh": None,
}


CONTROLLER: dict[str, Any] = {
    "name": "ces",
    "causal": True,
    "parameters": {"min_step_nodes": 5.0, "buffer_nodes": 5, "hold_slots": 12},
    "boot_time_s": 90.0,
    "wake_failure_probability": 0.0,
    "failed_wakes": 0,
}
JOBS: dict[str, Any] = {
    "policy": "fifo",
    "jobs": 21_804,
    "jobs_delayed": 37,
    "delayed_mean_s": 250.0,
    "delayed_p95_s": 300.0,
    "delayed_max_s": 660.0,
    "result": RESULT | {"mean_sleeping_nodes": 20.4},
}


ONE: dict[str, Any] = dict.fromkeys(RESULT, 1) | {"slots": 2}


def document(**changes: Any) -> dict[str, Any]:
    made = {"scenario": SCENARIO, "forecast": {"model": "seasonal"}, "result": RESULT, "savings": None}
    made["controller"] = CONTROLLER
    return made | changes


def plain_sentence(made: dict[str, Any]) -> str:
    return plain(summary.sentence(made))


def test_the_sentence_says_what_sleeps_and_what_it_costs():
    said = plain_sentence(document())
    assert "In Nodes 107.1 of 420 nodes (26 %) could have slept on average, with 1.4 wake-ups a day" in said
    assert "In 20 of 2,000 slots fewer nodes were awake than were needed, 61 in all" in said


def test_a_controller_that_lets_nothing_sleep_says_what_it_would_take():
    still = RESULT | {
        "mean_sleeping_nodes": 0.0,
        "lack_events": 0,
        "mean_total_nodes": 8.0,
        "mean_used_nodes": 6.6,
    }
    said = plain_sentence(document(result=still))
    assert (
        "No node of Nodes would have slept: at least 5 would have to be idle at once, beside a buffer of 5"
        in said
    )


def test_a_window_without_a_known_slot_says_that_nothing_can_be_said():
    unknown = dict.fromkeys(RESULT) | {"slots": 10, "slots_missing": 10, "lack_events": 0}
    assert "No slot of this window is known" in plain_sentence(document(result=unknown))


def test_unknown_power_inputs_are_named_and_nothing_is_computed():
    card = text_of(summary.saved_card(document()))
    assert "unknown" in card
    assert "Give the power inputs: idle power, cooling factor or PUE, carbon intensity." in card
    assert "price" not in card


def test_savings_stand_beside_the_inputs_they_were_computed_from():
    inputs = {"idle_w": 800.0, "cooling_factor": 0.3, "price_per_kwh": 0.12, "carbon_g_per_kwh": 400.0}
    year = {"node_h": 938_196.0, "energy_kwh": 975_723.8, "cost": 117_086.9, "carbon_kg": 390_289.5}
    made = document(savings={"inputs": inputs, "year": year, "window": year})
    card = text_of(summary.saved_card(made))
    assert "975.7 MWh a year" in card
    assert "117,087 in your currency and 390.3 t CO₂e" in card
    told = plain(" ".join(summary.notes(made)))
    assert "800 W idle power, cooling factor 0.3, price 0.12 and 400 g CO₂e per kWh" in told
    assert "975,724 kWh, 938,196 node-hours asleep" in told


def test_optional_inputs_are_printed_and_a_pue_as_the_pue_that_was_given():
    inputs = {"idle_w": 800.0, "cooling_factor": 0.3, "price_per_kwh": 0.1, "carbon_g_per_kwh": 400.0}
    year = {"node_h": 1.0, "energy_kwh": 1.0, "cost": 0.1, "carbon_kg": 0.4}
    savings = {"inputs": inputs | {"sleep_w": 20.0, "boot_wh": None}, "year": year, "window": year}
    told = plain(" ".join(summary.notes(document(savings=savings, scenario=SCENARIO | {"pue": 1.3}))))
    assert "800 W idle power, 20 W sleep power, PUE 1.3, price 0.1 and" in told


def test_where_the_jobs_were_replayed_their_delay_stands_in_place_of_the_lack():
    made = document(jobs=JOBS)
    assert "37 of 21,804 jobs start later, by 4 min 10 s on average" in plain_sentence(made)
    card = text_of(summary.energy_cards(made)[3])
    assert "Jobs delayed 37 of 21,804" in card and "p95 5 min, longest 11 min" in card
    assert "under FIFO on the awake nodes only" in plain(" ".join(summary.notes(made)))


def test_jobs_that_were_left_out_have_a_reason():
    told = " ".join(summary.notes(document(jobs_left_out="The policy preempts.")))
    assert "Jobs delayed: not known. The policy preempts." in told


def test_a_controller_that_knows_the_future_is_not_called_causal():
    controller = CONTROLLER | {"name": "ces_published", "causal": False}
    told = " ".join(summary.notes(document(controller=controller)))
    assert "It is not causal" in told and "earlier slots alone" not in told


def test_what_the_automatic_model_decided_is_told():
    decision = {"sentence": "Local level: no model was better."}
    told = summary.notes(document(forecast={"model": "auto", "decision": decision}))
    assert "Forecast: Local level: no model was better." in told


def test_the_cards_show_the_change_of_utilization_and_the_lack_as_a_cost():
    cards = [text_of(card) for card in summary.energy_cards(document())]
    assert "107.1 of 420 nodes" in cards[0]
    assert "92.6 %" in cards[1] and "▲ from 68.8 %" in cards[1]
    assert "1.4 a day" in cards[2] and "9.4 nodes each" in cards[2]
    assert "20 slots" in cards[3] and "61 nodes lacking" in cards[3]


def test_the_notes_say_where_the_demand_comes_from_and_that_nothing_reads_the_future():
    told = plain(" ".join(summary.notes(document())))
    assert "recorded node series, slots of 10 minutes, times in America/Los_Angeles" in told
    assert "decided from earlier slots alone" in told
    assert "ready after 1 min 30 s" in told
    assert "16 of 2,016 slots are missing" in told


def test_the_verdict_compares_with_the_last_value_at_every_horizon():
    rows = [
        {"model": "seasonal", "horizon_s": 600, "mae": 2.0},
        {"model": "last", "horizon_s": 600, "mae": 2.001},
        {"model": "seasonal", "horizon_s": 3600, "mae": 8.0},
        {"model": "last", "horizon_s": 3600, "mae": 10.0},
    ]
    said = plain(summary.verdict(rows, "seasonal"))
    assert said.endswith("is the same at 10 min, 20 % smaller at 1 h.")
    assert summary.verdict(rows, "last") == ""


def test_a_single_node_job_slot_or_wake_up_is_one() -> None:
    parameters = dict.fromkeys(PARAMETERS, 1.0)
    jobs = dict.fromkeys(JOBS, 1) | {"policy": "fifo", "result": ONE}
    savings = {
        "inputs": {"idle_w": 1, "cooling_factor": 1, "price_per_kwh": 1, "carbon_g_per_kwh": 1},
        "window": {"energy_kwh": 1, "node_h": 1},
        "year": {"energy_kwh": 1, "cost": 1, "carbon_kg": 1},
    }
    controller = CONTROLLER | {"parameters": parameters}
    for changes in ({"jobs": jobs, "savings": savings}, {}, {"result": ONE | {"mean_sleeping_nodes": 0}}):
        made = document(**({"result": ONE, "controller": controller} | changes))
        said = " ".join([summary.sentence(made), text_of(summary.energy_cards(made)), *summary.notes(made)])
        assert wrong_plurals(said) == [], said
    assert "1 of 1 node (100 %) could have slept on average, with 1 wake-up a day" in plain(
        summary.sentence(document(result=ONE))
    )
    assert wrong_plurals("In 1 slots 1 nodes and 11 jobs, 2.1 nodes and 1 wake-ups") == [
        "slots",
        "nodes",
        "wake-ups",
    ]
