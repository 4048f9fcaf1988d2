"""The published rule against the published figures, and the causal rule by hand and by property."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import PRESETS, Boot, CesParameters, EnergyError, control, lack_nodes, outcome, published_awake
from energy.foresight import model_foresight
from energy.naive import LastValue

EAGER = CesParameters(
    history_slots=1,
    future_slots=1,
    xi_h_nodes=1,
    xi_p_nodes=0,
    min_step_nodes=1,
    buffer_nodes=2,
    hold_slots=3,
)


def run(used, total=50.0, parameters=EAGER, boot_time_s=0.0, first=1):
    """The causal rule with the last value as its forecast; the window begins at slot ``first``."""
    used = np.asarray(used, float)
    total = np.broadcast_to(total, used.shape).astype(float)
    window = len(used) - first
    foresight = model_foresight("last", LastValue(), used, window, 2 * parameters.future_slots)
    return control(parameters, used, total, window, foresight, Boot(boot_time_s))


def test_the_published_rule_reproduces_figure_14_on_earth(shared):
    figure = pd.read_csv(shared / "calibration/fig14_ces_earth_sept_10min.csv").astype(float, errors="ignore")
    used, forecast, active, total = (
        figure[name].to_numpy(float) for name in ("running", "prediction", "active", "total")
    )
    awake = published_awake(used, forecast, total, PRESETS["Earth"])
    lack = lack_nodes(used, np.r_[awake[0], awake[:-1]])
    result = outcome(used, total, awake, total - awake, lack)
    assert (awake == active).mean() >= 0.97
    assert result["mean_sleeping_nodes"] == pytest.approx(20.43, abs=0.01)
    assert result["wake_ups_per_day"] * 21 == pytest.approx(28)
    assert result["changes_per_day"] == pytest.approx(2.62, abs=0.005)
    assert result["nodes_per_wake_up"] == pytest.approx(6.7, abs=0.05)
    assert result["node_utilization_before"] == pytest.approx(0.8213, abs=5e-5)
    assert result["node_utilization_after"] == pytest.approx(0.950, abs=5e-4)


def test_the_published_rule_by_hand():
    used = np.array([5, 5, 5, 5, 5, 5, 9, 9, 9, 6, 5, 5], float)
    awake = published_awake(used, used, np.full(12, 10.0), EAGER)
    # slot 6: 9 > 7 wakes 9 + 2, cut to 10 present, and holds to slot 9, in which demand has fallen by 3
    assert awake.tolist() == [7, 7, 7, 7, 7, 7, 10, 10, 10, 8, 7, 7]


def test_a_missing_slot_keeps_the_published_rules_state():
    used = np.array([5, np.nan, 5, 5, 5, 5, np.nan, 9], float)
    assert published_awake(used, used, np.full(8, 20.0), EAGER).tolist() == [7] * 7 + [11]


def test_the_causal_rule_wakes_in_the_slot_after_the_lack():
    states = run([5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 9, 9])
    assert states.awake.tolist() == [7] * 8 + [11] * 3  # slot 8 lacks 2, slot 9 has 9 + 2


def test_the_causal_rule_sleeps_after_the_hold_when_demand_falls():
    used = [5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 6, 4, 4, 4]
    #  the lack in slot 8 holds to slot 11; at its beginning slot 10 (6) is 3 below slot 9, and so on
    assert run(used).awake.tolist() == [7] * 8 + [11, 11, 8, 6, 6]


def test_a_boot_time_delays_the_correction_and_counts_as_neither_awake_nor_asleep():
    used = [5] * 8 + [9] * 5
    slow = run(used, boot_time_s=1500)  # 3 slots: a lack in slot 8 is corrected in slot 11
    assert slow.awake.tolist() == [7] * 10 + [11, 11]
    assert slow.booting.tolist() == [0] * 8 + [4, 4, 0, 0]
    assert run(used, boot_time_s=600).awake.tolist() == run(used).awake.tolist()


def test_demand_that_rises_while_nodes_boot_orders_only_what_is_not_on_its_way():
    states = run([5] * 8 + [9, 10, 20, 20, 20, 20, 20], boot_time_s=1800)
    assert states.booting.tolist() == [0] * 8 + [4, 4, 11, 11, 0, 0]
    assert states.awake.tolist() == [7] * 10 + [11, 11, 22, 22]


def test_missing_slots_hold_the_state():
    assert run([5] * 9 + [np.nan] * 4 + [5]).awake.tolist() == [7] * 13


def test_all_nodes_are_awake_at_first_where_nothing_is_known_before():
    assert run([np.nan] * 3 + [4, 4], first=2).awake.tolist() == [50, 50, 6]


def test_nodes_that_leave_are_not_awake_and_an_unknown_total_cuts_nothing():
    total = np.array([20, 20, 20, 6, np.nan, 20, 20])
    assert run([5] * 7, total).awake.tolist() == [7, 7, 6, 6, 7, 7]


parameters = st.builds(
    CesParameters,
    history_slots=st.integers(1, 4),
    future_slots=st.integers(1, 4),
    xi_h_nodes=st.floats(-2, 2),
    xi_p_nodes=st.floats(-2, 2),
    min_step_nodes=st.integers(0, 3),
    buffer_nodes=st.integers(0, 5),
    hold_slots=st.integers(0, 6),
)
demands = st.lists(st.integers(0, 30) | st.just(np.nan), min_size=8, max_size=60)


@settings(deadline=None)
@given(demands, parameters, st.sampled_from([0, 600, 900, 3600]), st.data())
def test_awake_nodes_are_never_above_total_and_never_below_what_was_known_in_use(used, chosen, boot_s, data):
    totals = st.lists(st.integers(15, 30), min_size=len(used), max_size=len(used))
    total = np.array(data.draw(totals), float)
    used = np.minimum(np.array(used, float), total)
    awake, booting, _ = run(used, total, chosen, boot_s)
    assert (awake >= 0).all()
    assert (booting >= 0).all()
    assert (awake + booting <= total[1:]).all()
    known = np.minimum(used[:-1], total[1:])
    assert (awake + booting >= known)[~np.isnan(known)].all()


@settings(deadline=None)
@given(demands, parameters)
def test_no_node_sleeps_during_the_hold_after_a_lack(used, chosen):
    used = np.array(used, float)
    awake = run(used, 40.0, chosen).awake
    lacking = np.flatnonzero(used[1:] > awake)
    for j in lacking[lacking >= 6]:
        held = awake[j + 1 : j + chosen.hold_slots]
        assert (np.diff(held) >= 0).all()


def test_every_wake_up_of_the_causal_rule_follows_a_lack():
    rng = np.random.default_rng(3)
    used = np.maximum(0, 20 + rng.integers(-3, 4, 500).cumsum()).clip(0, 45).astype(float)
    awake = run(used).awake
    lack = lack_nodes(used[1:], awake)
    rises = np.flatnonzero(np.diff(awake) > 0)
    rises = rises[rises >= 6]
    assert rises.size > 5
    assert (lack[rises] > 0).all()


def test_a_parameter_out_of_range_is_named():
    with pytest.raises(EnergyError, match="history_slots must be between 1 and 1008, not 0"):
        CesParameters(0, 1, 0, 0, 0, 0, 0)
    with pytest.raises(EnergyError, match="xi_h_nodes"):
        CesParameters(1, 1, float("nan"), 0, 0, 0, 0)


def test_the_presets_are_those_of_the_artifact(shared):
    published = pd.read_json(shared / "calibration/ces_parameters.json")["hyperparameters_from_artifact"]
    names = ("history", "future", "his_threshold", "fut_threshold", "de_threshold", "buffer", "keep")
    for cluster, preset in PRESETS.items():
        assert preset == CesParameters(*(published[cluster][name] for name in names))
