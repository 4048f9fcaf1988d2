"""Which demand an energy run studies, and with which parameters."""

import numpy as np
import pandas as pd
import pytest

import energy
from runs import RunError, energy_study
from runs.scenario import EnergyScenario
from traces import node_series, store


def test_the_demand_of_a_trace_of_jobs_is_the_nodes_that_a_fifo_replay_uses(small_trace):
    demand = energy_study.stored_demand(EnergyScenario(small_trace, "C", from_="2020-04-03"))
    assert demand.origin == energy_study.FROM_REPLAY
    assert (demand.series["total"] == 3).all()
    assert demand.series["time"].iloc[0] == pd.Timestamp("2020-03-31 16:00")
    assert demand.window.start_time == pd.Timestamp("2020-04-02 16:00")
    assert demand.series["used"].between(0, 3).all()
    assert demand.series["used"].max() >= 2


def test_a_recorded_node_series_goes_before_a_replay(small_trace, data_folder, tmp_path):
    times = pd.date_range("2020-04-01", periods=5 * 144, freq="10min")
    series = pd.DataFrame({"time": times, "used": 1 + np.arange(len(times)) % 2, "total": 3})
    series.to_csv(tmp_path / "nodes.csv", index=False)
    read = node_series.read(tmp_path / "nodes.csv", "C", "Asia/Shanghai")
    store.publish(data_folder, "small", "Asia/Shanghai", [read])
    demand = energy_study.stored_demand(EnergyScenario("small", "C", from_="2020-04-04"))
    assert demand.origin == energy_study.FROM_SERIES
    assert len(demand.series) == 5 * 144


def test_a_run_on_a_trace_gives_the_documented_keys(small_trace):
    made = energy_study.study(
        EnergyScenario(small_trace, "C", from_="2020-04-03", to="2020-04-04", model="last")
    )
    assert set(made.document["forecast"]) == {"model", "horizons"}
    assert [row["horizon_s"] for row in made.document["forecast"]["horizons"]] == [600, 3600, 10800, 18000]
    result = made.document["result"]
    assert result["slots"] == 144
    assert result["mean_awake_nodes"] + result["mean_sleeping_nodes"] <= result["mean_total_nodes"] + 1e-9
    assert made.document["savings"] is None
    assert len(made.slots) == 144


def test_savings_are_computed_only_when_every_power_input_is_given(small_trace):
    wanted = {"from_": "2020-04-03", "to": "2020-04-04", "model": "last"}
    power = {"idle_w": 1000.0, "cooling_factor": 0.5, "price_per_kwh": 0.2, "carbon_g_per_kwh": 400.0}
    made = energy_study.study(EnergyScenario(small_trace, "C", **wanted, **power))
    node_h = made.slots["asleep"].sum() / 6
    assert made.document["savings"]["window"]["energy_kwh"] == pytest.approx(node_h * 1.5)
    part = energy_study.study(EnergyScenario(small_trace, "C", **wanted, idle_w=1000.0))
    assert part.document["savings"] is None


def test_parameters_come_from_the_clusters_own_preset_and_single_ones_can_be_replaced():
    assert energy_study.controller(EnergyScenario("t", "Saturn")) == energy.PRESETS["Saturn"]
    assert energy_study.controller(EnergyScenario("t", "mine")) == energy.PRESETS["Earth"]
    changed = energy_study.controller(
        EnergyScenario("t", "mine", preset="Philly", parameters={"buffer_nodes": 7.0})
    )
    assert (changed.buffer_nodes, changed.future_slots) == (7, 30)
    margin = EnergyScenario("t", "mine", controller="margin", parameters={"margin_nodes": 9.0})
    assert energy_study.controller(margin) == energy.Margin(margin_nodes=9)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"preset": "Mars"}, "no preset 'Mars'"),
        ({"controller": "magic"}, "no controller 'magic'"),
        ({"controller": "drs", "parameters": {"buffer_nodes": 1.0}}, "drs has no parameter 'buffer_nodes'"),
        ({"parameters": {"speed": 1.0}}, "no parameter 'speed'"),
        ({"parameters": {"hold_slots": 1.5}}, "whole number"),
    ],
)
def test_parameters_that_cannot_be_are_refused(change, sentence):
    with pytest.raises(energy.EnergyError, match=sentence):
        energy_study.controller(EnergyScenario("t", "C", **change))


def test_a_cluster_of_unknown_capacity_has_no_node_demand(data_folder, tmp_path):
    from traces import csv_table

    (tmp_path / "jobs.csv").write_text("submit_time,gpu_num,duration\n2020-04-01 00:00:00,1,60\n")
    store.publish(data_folder, "bare", "UTC", [csv_table.read(tmp_path / "jobs.csv", "C", "UTC")])
    with pytest.raises(RunError, match="capacity of C is unknown"):
        energy_study.stored_demand(EnergyScenario("bare", "C"))
