"""The figures of a window, and what they are worth."""

import numpy as np
import pytest

from energy import EnergyError, HourlyRates, PowerInputs, outcome, savings

SITE = PowerInputs(idle_w=800, cooling_factor=0.25, price_per_kwh=0.1, carbon_g_per_kwh=400)


def test_the_outcome_by_hand():
    used = np.array([4, 4, 4, 4, 4, 4, 4, 8, np.nan, 2], float)
    total = np.full(10, 10.0)
    awake = np.array([5, 9, 5, 5, 5, 5, 5, 5, 9, 4], float)
    lack = np.maximum(used - awake, 0)
    assert outcome(used, total, awake, total - awake, lack) == {
        "slots": 10,
        "slots_missing": 1,
        "mean_total_nodes": 10,
        "mean_used_nodes": pytest.approx(38 / 9),
        "mean_awake_nodes": pytest.approx(48 / 9),
        "mean_sleeping_nodes": pytest.approx(42 / 9),
        "wake_ups_per_day": pytest.approx(14.4),  # one, in slot 8; the rise in slot 1 only finds the level
        "nodes_per_wake_up": 4,
        "changes_per_day": pytest.approx(28.8),
        "node_utilization_before": pytest.approx(38 / 90),
        "node_utilization_after": pytest.approx((0.8 * 6 + 4 / 9 + 8 / 5 + 2 / 4) / 9),
        "lack_events": 1,
        "lacking_nodes": 3,
    }


def test_what_nothing_is_known_of_is_none_and_not_nan():
    nothing = np.full(3, np.nan)
    result = outcome(nothing, nothing, np.zeros(3), nothing, nothing)
    assert result["mean_used_nodes"] is None
    assert result["nodes_per_wake_up"] is None
    assert result["node_utilization_after"] is None
    assert not any(value != value for value in result.values())


def test_savings_are_sleeping_nodes_times_idle_power_and_cooling_times_time():
    result = savings(np.array([6, 12, np.nan, 0]), SITE)
    assert result.inputs is SITE
    assert result.window.node_h == pytest.approx(3)
    assert result.window.energy_kwh == pytest.approx(3 * 0.8 * 1.25)
    assert result.window.cost == pytest.approx(0.3)
    assert result.window.carbon_kg == pytest.approx(1.2)
    assert result.year.energy_kwh == pytest.approx(6 * 8760 * 0.8 * 1.25)


def test_savings_without_a_known_slot_and_inputs_out_of_range_are_refused():
    with pytest.raises(EnergyError, match="at least one slot"):
        savings(np.array([np.nan]), SITE)
    with pytest.raises(EnergyError, match="idle_w must be a number of at least 0, not nan"):
        PowerInputs(float("nan"), 0, 0, 0)


def test_sleep_power_and_boot_energy_are_taken_off_the_savings():
    inputs = PowerInputs(1000, 0.5, 0.2, 400, sleep_w=100, boot_wh=50)
    result = savings(np.array([6.0, 6.0, 6.0]), inputs, wakes=np.array([0.0, 4.0, 0.0]))
    assert result.window.energy_kwh == pytest.approx((3 * 0.9 - 4 * 0.05) * 1.5)
    assert result.year.energy_kwh == pytest.approx(result.window.energy_kwh * 8760 * 2)


def test_hourly_rates_are_applied_slot_by_slot():
    rates = HourlyRates(np.array([0.1, 0.3]), np.array([100.0, np.nan]))
    with pytest.raises(EnergyError, match="carbon intensity series does not cover the window"):
        savings(np.array([6.0, 12.0]), SITE, rates=rates)
    result = savings(np.array([6.0, 12.0]), SITE, rates=HourlyRates(rates.price_per_kwh))
    assert result.window.cost == pytest.approx(1.0 * 0.1 + 2.0 * 0.3)
    assert result.window.carbon_kg == pytest.approx(3.0 * 0.4)


def test_a_node_that_takes_more_asleep_than_idle_is_refused():
    with pytest.raises(EnergyError, match="more power"):
        PowerInputs(100, 0, 0, 0, sleep_w=101)
