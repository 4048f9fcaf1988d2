"""How far a result says that its replay can be trusted."""

from typing import Any

from components import replay_trust
from components.replay_summary import control_sentence
from tests.components.text import plain, wrong_plurals


def told(document: dict[str, Any], own: dict[str, Any]) -> str:
    return plain(" ".join(replay_trust.notes(document, own)))


def recorded(vc: str, jobs: int, recorded_s: float, fifo_s: float, within: float) -> dict[str, Any]:
    """A row of the recorded schedule beside simulated FIFO, of the cluster Venus."""
    distance = {"mean_absolute_difference_s": fifo_s - recorded_s, "within_60_s": within}
    delays = {"recorded": {"avg_queueing_delay_s": recorded_s}, "fifo": {"avg_queueing_delay_s": fifo_s}}
    return {"cluster": "Venus", "vc": vc, "jobs": jobs, "distance": distance, **delays}


def test_the_recorded_schedule_is_told_where_there_is_one():
    row = {"policy": "fifo"}
    rows = [recorded("vcA", 9, 9e9, 9e9, 0), recorded("*", 3000, 5036, 8636, 0.8)]
    rows.append(recorded("*", 1000, 1436, 5036, 0.4) | {"cluster": "Earth"})
    assert told({"scenario": {}, "baseline": {"rows": rows}}, row) == (
        "Recorded: the same 4,000 jobs waited 1 h 9 min on average. Simulated FIFO says 2 h 9 min, and is "
        "off by 1 h for a single job on average; 70 % are within a minute."
    )
    [one] = replay_trust.notes({"scenario": {}, "baseline": {"rows": [recorded("*", 1, 1, 1, 1)]}}, row)
    assert wrong_plurals(one) == []
    assert told({"scenario": {}, "baseline": {"rows": []}}, row) == ""
    assert told({"scenario": {}, "baseline": None}, row) == ""


def test_the_order_of_ties_is_an_interval_on_the_averages():
    own = {
        "policy": "fifo",
        "tie_interval": {"avg_jct_s": [600.0, 660.0], "avg_queueing_delay_s": [5.0, 5.0]},
    }
    assert plain(replay_trust.tie_sentence(own)).endswith("moves average JCT 10 min to 11 min.")
    same = {"avg_jct_s": [600.0, 600.0], "avg_queueing_delay_s": None}
    assert "changes no average" in replay_trust.tie_sentence({"tie_interval": same})
    assert replay_trust.tie_sentence({"policy": "fifo"}) == ""


def test_qssf_names_the_version_of_its_estimates_and_until_when_it_was_trained():
    described = {
        "estimator": "merged",
        "trained_until": "2020-08-31T16:00:00",
        "ends": "recorded",
        "jobs": 1200,
        "version": "v3",
    }
    document = {"scenario": {"estimates": {"Earth": described}}}
    said = told(document, {"policy": "qssf"})
    assert "merged, version v3, trained until 2020-08-31 16:00 UTC on 1,200 jobs" in said
    assert "by their recorded ends" in said
    assert told(document, {"policy": "sjf"}) == ""


def test_estimates_without_a_fitted_model_say_so():
    described = {
        "estimator": "rolling",
        "trained_until": None,
        "ends": "simulated",
        "jobs": 0,
        "version": None,
    }
    [said] = replay_trust.estimate_sentences({"Earth": described})
    assert "no model had been fitted before this window" in said


def test_clusters_whose_estimates_are_alike_share_a_sentence():
    described = {"estimator": "rolling", "trained_until": "2020-09-01T00:00:00", "ends": "recorded"}
    one = described | {"version": "v1", "jobs": 1200}
    said = replay_trust.estimate_sentences(
        {"Earth": one, "Venus": one | {"jobs": 30}, "Uranus": one | {"version": "v2"}}
    )
    assert len(said) == 2
    assert "in Earth and Venus: " in said[0] and "on 1,200 and 30 jobs" in said[0]


def test_a_control_that_beats_the_predictions_is_named():
    rows = {"qssf": {"avg_jct_s": 600.0}, "smallest": {"avg_jct_s": 300.0}}
    assert plain(control_sentence(rows)) == "Fewest GPUs first, which predicts nothing, does better: 5 min."
    rows["smallest"] = {"avg_jct_s": 1200.0}
    assert "predictions are worth it" in control_sentence(rows)
    rows["smallest"] = {"avg_jct_s": 601.0}
    assert "does as well" in control_sentence(rows)
    assert control_sentence({"qssf": {"avg_jct_s": 600.0}}) == ""


def test_the_recorded_rows_hold_both_schedules_and_their_distance():
    row = {
        "cluster": "Earth",
        "vc": "*",
        "jobs": 3,
        "recorded": {"avg_jct_s": 10.0},
        "fifo": {"avg_jct_s": 9.0},
        "distance": {"within_60_s": 1.0},
    }
    [flat] = replay_trust.recorded_rows({"baseline": {"rows": [row]}})
    assert flat["label"] == "all of Earth"
    assert (flat["recorded_avg_jct_s"], flat["fifo_avg_jct_s"], flat["within_60_s"]) == (10.0, 9.0, 1.0)
