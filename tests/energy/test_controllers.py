"""The family of controllers: by hand, their promises by property, and on the published figure's series."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import CONTROLLERS, AlwaysOn, Boot, Drs, EnergyError, Margin, Quantile, control, controller_named
from energy.controllers import start_nodes
from energy.foresight import Foresight, model_foresight, true_future
from energy.naive import LastValue
from energy.seen import Seen

CAUSAL = [name for name in CONTROLLERS if name != "ces_published"]
SMALL = {
    "ces": {"history_slots": 1, "future_slots": 2, "buffer_nodes": 2, "hold_slots": 3, "xi_p_nodes": 0},
    "ces_published": {"history_slots": 1, "future_slots": 2},
    "margin": {"margin_nodes": 5, "low_water_nodes": 2, "hold_slots": 4},
    "quantile": {"quantile": 0.9, "ahead_slots": 3, "low_water_nodes": 2, "hold_slots": 4},
}


def small(name):
    return controller_named(name, SMALL.get(name))


def run(controller, used, total=60.0, first=1, boot=None, boot_slots=1):
    used = np.asarray(used, float)
    total = np.broadcast_to(total, used.shape).astype(float)
    steps = max(controller.steps((boot or Boot()).slots), 1)
    foresight = model_foresight("last", LastValue(), used, len(used) - first, steps)
    return control(controller, used, total, len(used) - first, foresight, boot)


def wandering(slots, seed=4):
    walk = np.random.default_rng(seed).integers(-2, 3, slots).cumsum()
    return np.round(30 + 25 * np.sin(walk / 20))


def test_always_on_keeps_every_present_node_awake():
    assert run(AlwaysOn(), [5, 7, 9, 3], [20, 20, 25, 18]).awake.tolist() == [20, 25, 18]


def test_following_demand_keeps_awake_what_the_last_slot_used():
    assert run(Drs(), [5, 7, 9.2, 3, 4]).awake.tolist() == [5, 7, 10, 3]


def test_the_margin_fills_up_below_the_low_water_mark_and_comes_down_after_the_hold():
    used = [10, 10, 13, 14, 8, 8, 8, 8, 8]
    #      slot 1 has 10 + 5; after slot 3 one node is free, fewer than 2: up to 14 + 5, held for 4 slots
    assert run(small("margin"), used).awake.tolist() == [15, 15, 15, 19, 19, 19, 19, 13]


def test_the_margin_wakes_before_demand_passes_what_is_awake():
    states = run(Margin(margin_nodes=5, low_water_nodes=3, hold_slots=0), np.arange(10, 30))
    assert (states.awake >= np.arange(11, 30)).all()


def test_the_quantile_keeps_free_what_demand_rose_by_before():
    used = np.tile([10, 10, 10, 10, 10, 16], 60).astype(float)  # rises by 6 within any 6 slots
    states = run(Quantile(quantile=1.0, ahead_slots=6, low_water_nodes=0, hold_slots=0), used, first=250)
    assert states.awake.min() == 16
    assert (used[250:] <= states.awake).all()


def test_the_quantile_leaves_all_awake_until_it_knows_enough_errors():
    controller = small("quantile")
    assert run(controller, [10] * 100, first=20).awake.tolist() == [60] * 80


def test_with_the_true_future_the_quantile_never_lacks_and_always_wakes_before():
    used = wandering(700)
    controller = Quantile(quantile=0.5, ahead_slots=4, low_water_nodes=0, hold_slots=2)
    window = 300
    awake = control(controller, used, np.full(700, 60.0), window, true_future(used, window, 4)).awake
    assert (used[-window:] <= awake).all()
    assert awake.mean() < used[-window:].mean() + 3


def test_a_quantile_without_a_forecast_is_refused():
    with pytest.raises(EnergyError, match="needs a forecast"):
        control(Quantile(), np.full(400, 5.0), np.full(400, 9.0), 100)


@pytest.mark.parametrize("name", CAUSAL)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_no_awake_count_up_to_a_slot_changes_when_actuals_from_it_on_do(name, data):
    used = wandering(330)
    used[data.draw(st.integers(0, 300)) :][:9] = np.nan
    cut = data.draw(st.integers(181, 329))
    later = wandering(330 - cut, seed=9)
    boot = Boot(data.draw(st.sampled_from([0.0, 1800.0])), data.draw(st.sampled_from([0.0, 0.4])))
    before = run(small(name), used, first=180, boot=boot)
    after = run(small(name), np.r_[used[:cut], later], first=180, boot=boot)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one[: cut - 179], other[: cut - 179])


@pytest.mark.parametrize("name", CAUSAL)
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 30) | st.just(np.nan), min_size=8, max_size=60),
    st.sampled_from([0.0, 900.0, 3600.0]),
    st.sampled_from([0.0, 0.5]),
    st.data(),
)
def test_awake_nodes_are_never_above_present_nor_below_what_was_known_in_use(name, used, boot_s, fail, data):
    totals = st.lists(st.integers(15, 30), min_size=len(used), max_size=len(used))
    total = np.array(data.draw(totals), float)
    used = np.minimum(np.array(used, float), total)
    states = run(small(name), used, total, boot=Boot(boot_s, fail))
    assert (states.awake >= 0).all()
    assert (states.booting >= 0).all()
    assert (states.awake + states.booting <= total[1:]).all()
    known = np.minimum(used[:-1], total[1:])
    assert (states.awake + states.booting >= known)[~np.isnan(known)].all()


@pytest.mark.parametrize("name", ["margin", "quantile"])
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=20, max_size=80))
def test_a_proactive_controller_puts_nothing_to_sleep_for_the_hold_after_a_wake_action(name, used):
    controller = small(name)
    awake = run(controller, np.r_[wandering(200), used], first=200).awake
    for j in np.flatnonzero(np.diff(awake) > 0) + 1:
        assert (np.diff(awake[j : j + controller.hold_slots]) >= 0).all()


@given(st.integers(0, 50), st.integers(0, 60), st.floats(-5, 20), st.floats(-5, 20), st.integers(0, 9))
def test_a_decision_is_a_pure_function_of_what_is_seen(used, ordered, peak, upper, hold):
    seen = Seen(7, float(ordered), np.array([3.0, used]), np.array([peak, upper]), hold)
    for name in CAUSAL:
        assert small(name).decide(seen) == small(name).decide(seen)
        assert small(name).decide(seen).wanted_nodes >= min(used, ordered)


def test_failed_wake_ups_are_repeated_until_the_nodes_are_awake():
    used = np.r_[np.full(8, 5.0), np.full(40, 50.0)]
    sure, unsure = (run(Drs(), used, boot=Boot(1200, chance)) for chance in (0.0, 0.6))
    assert sure.failed.sum() == 0
    assert unsure.failed.sum() > 0
    assert unsure.awake[-1] == sure.awake[-1] == 50
    assert unsure.awake.sum() < sure.awake.sum()
    assert (unsure.awake + unsure.booting == sure.awake + sure.booting).all()


def test_the_share_of_failed_wake_ups_is_the_given_probability_and_repeats_with_its_seed():
    used = np.tile([5.0, 55.0], 400)
    one, same, other = (run(Drs(), used, boot=Boot(0, 0.25, seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.failed, same.failed)
    assert (one.failed != other.failed).any()
    attempts = np.diff(one.awake).clip(0).sum() + one.failed.sum()
    assert one.failed.sum() / attempts == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Boot(time_s=-1), "boot time"),
        (lambda: Boot(time_s=float("nan")), "boot time"),
        (lambda: Boot(failure_probability=0.95), "probability"),
        (lambda: Margin(margin_nodes=3, low_water_nodes=4), "low_water_nodes must be between 0 and 3"),
        (lambda: Quantile(quantile=1.5), "quantile must be between 0 and 1"),
        (lambda: Quantile(ahead_slots=0), "ahead_slots must be at least 1"),
        (lambda: controller_named("nope"), "no controller 'nope': choose one of ces, "),
        (lambda: controller_named("drs", {"buffer_nodes": 1}), "it has none"),
        (lambda: controller_named("margin", {"hold_slots": 1.5}), "whole number, not 1.5"),
    ],
)
def test_what_cannot_be_is_refused_with_one_sentence(wrong, says):
    with pytest.raises(EnergyError, match=says):
        wrong()


def test_following_demand_on_earth_wakes_nodes_some_29_times_a_day(shared):
    figure = pd.read_csv(shared / "calibration/fig14_ces_earth_sept_10min.csv").astype(float, errors="ignore")
    used, total = figure["running"].to_numpy(float), figure["total"].to_numpy(float)
    awake = run(Drs(), np.r_[used, used[-1]], np.r_[total, total[-1]]).awake
    assert (np.diff(awake)[5:] > 0).sum() / 21 == pytest.approx(29.3, abs=0.05)


def test_a_window_after_nothing_known_begins_with_all_nodes_awake():
    assert start_nodes(Drs(), np.array([np.nan, np.nan]), np.empty(0)) == np.inf


def test_the_upper_rise_by_hand():
    demand = np.r_[np.full(200, 10.0), np.tile([10.0, 14.0], 100)]
    means = np.repeat(np.r_[10.0, demand[:-1]][:, None], 2, axis=1)
    foresight = Foresight("last", demand, means, window=10)
    # within 2 slots the peak is 14; seen from a last value of 10 that is 4 above, from 14 it is 0 above
    assert set(foresight.upper_rises(2, 1.0)) == {4.0}
    assert foresight.peak_rises(2).tolist() == [0.0] * 10


def test_defaults_in_nodes_are_in_proportion_to_the_cluster_and_given_ones_are_not():
    assert controller_named("margin", nodes=420) == Margin()
    assert controller_named("quantile", nodes=420) == Quantile()
    assert controller_named("margin", nodes=8) == Margin(margin_nodes=1, low_water_nodes=1)
    assert controller_named("margin", {"margin_nodes": 30}, nodes=840) == Margin(30, 12)
    assert controller_named("margin", {"margin_nodes": 3}) == Margin(3, 3)
    assert controller_named("ces", nodes=8) == controller_named("ces")
