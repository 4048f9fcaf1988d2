"""Which demand an energy run studies, and with which parameters."""

import math

import numpy as np
import pandas as pd
import pytest

import energy
from components.controllers import PRESET_NODES, usual_values
from runs import RunError, energy_study, node_demand
from runs.scenario import EnergyScenario
from runs.site import RateFiles, power_inputs, read_rate
from traces import node_series, store


def test_the_demand_of_a_trace_of_jobs_is_the_nodes_that_a_fifo_replay_uses(small_trace):
    demand = node_demand.stored(EnergyScenario(small_trace, "C", from_="2020-04-03"))
    assert demand.origin == "FIFO replay of the jobs on the trace's quota"
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
    demand = node_demand.stored(EnergyScenario("small", "C", from_="2020-04-04"))
    assert demand.origin == node_demand.FROM_SERIES
    assert len(demand.series) == 5 * 144


def test_a_run_on_a_trace_gives_the_documented_keys(small_trace):
    made = energy_study.study(
        EnergyScenario(small_trace, "C", from_="2020-04-03", to="2020-04-04", model="last")
    )
    assert {"model", "horizons"} <= set(made.document["forecast"])
    assert [row["horizon_s"] for row in made.document["forecast"]["horizons"]] == [
        600,
        3600,
        10800,
        18000,
        86400,
    ]
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
        node_demand.stored(EnergyScenario("bare", "C"))


def test_a_pue_stands_for_the_cooling_factor_and_hourly_files_for_the_constants(small_trace, tmp_path):
    file = tmp_path / "price.csv"
    hours = pd.date_range("2020-04-02 16:00", periods=24, freq="h")
    pd.DataFrame({"time": hours.strftime("%Y-%m-%d %H:%M"), "value": 0.1 + hours.hour / 100}).to_csv(
        file, index=False
    )
    wanted = EnergyScenario(
        small_trace, "C", from_="2020-04-03", to="2020-04-04", model="last", idle_w=1000.0, pue=1.5,
        carbon_g_per_kwh=400.0,
    )  # fmt: skip
    made = energy_study.study(wanted, rate_files=RateFiles(file))
    savings = made.document["savings"]
    assert savings["hourly"] == ["price_per_kwh"]
    assert savings["inputs"]["cooling_factor"] == pytest.approx(0.5)
    assert savings["inputs"]["sleep_w"] is None
    kwh = made.slots["asleep"] / 6 * 1.5
    expected = (kwh * (0.1 + made.slots["time"].dt.hour / 100)).sum()
    assert savings["window"]["cost"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("when,value\n1,2\n", "no column 'time'"),
        ("time,value\n2020-04-01 00:00,-1\n", "line 2: the value"),
        ("time,value\nsoon,1\n", "cannot be read"),
    ],
)
def test_a_rate_file_that_cannot_be_is_refused(tmp_path, text, sentence):
    (tmp_path / "rate.csv").write_text(text)
    with pytest.raises(RunError, match=sentence):
        read_rate(tmp_path / "rate.csv", "UTC", pd.Series(pd.date_range("2020-04-01", periods=2, freq="h")))


def test_power_inputs_that_contradict_each_other_are_refused(small_trace):
    with pytest.raises(RunError, match="either the PUE or the cooling factor"):
        power_inputs(EnergyScenario("t", "C", pue=1.2, cooling_factor=0.2), energy.HourlyRates())
    with pytest.raises(RunError, match="PUE must be at least 1"):
        power_inputs(EnergyScenario("t", "C", pue=0.9), energy.HourlyRates())


def test_a_frontier_is_swept_when_it_is_asked_for(small_trace):
    wanted = {"from_": "2020-04-03", "to": "2020-04-04", "model": "last", "jobs": False}
    assert "frontier" not in energy_study.study(EnergyScenario(small_trace, "C", **wanted)).document
    made = energy_study.study(EnergyScenario(small_trace, "C", frontier=True, **wanted)).document
    assert {"ces", "margin", "quantile", "drs", "always_on"} == {
        row["controller"] for row in made["frontier"]
    }
    assert made["comparison"]["at_lack_events"] == pytest.approx(10 / 14)


@pytest.mark.parametrize("nodes", [12.0, 143.0, 600.0, float("nan")])
def test_ces_in_a_frontier_is_what_the_form_of_the_page_has_for_a_cluster_of_that_size(nodes):
    known = None if math.isnan(nodes) else nodes
    for preset in energy.PRESETS:
        other = EnergyScenario("t", "C", controller="margin", preset=preset)
        found = energy_study._swept(other, nodes)["ces"]
        wanted = usual_values("ces", preset, known)
        assert {name: getattr(found, name) for name in wanted} == wanted
    assert energy_study.PRESET_NODES == PRESET_NODES


def test_the_chosen_controller_is_in_the_frontier_as_the_scenario_has_it():
    chosen = EnergyScenario("t", "C", preset="Earth", parameters={"min_step_nodes": 7})
    assert energy_study._swept(chosen, 12.0)["ces"].min_step_nodes == 7


def test_a_replayed_demand_is_studied_with_its_jobs_and_under_the_policy_that_is_named(small_trace):
    wanted = {"from_": "2020-04-03", "to": "2020-04-04", "model": "last", "controller": "drs"}
    made = energy_study.study(EnergyScenario(small_trace, "C", policy="sjf", **wanted))
    assert made.document["scenario"]["demand"] == "SJF replay of the jobs on the trace's quota"
    jobs = made.document["jobs"]
    assert jobs["policy"] == "sjf"
    assert jobs["jobs"] == sum(row["jobs"] for row in jobs["by_vc"]) > 0
    assert jobs["jobs_delayed"] == len(made.tables()["delayed_jobs"])
    assert list(jobs["result"]) == list(made.document["result"])
    assert len(made.tables()["slots_with_jobs"]) == 144


@pytest.mark.parametrize("change", [{"policy": "srtf"}, {"controller": "ces_published"}, {"jobs": False}])
def test_jobs_that_cannot_be_replayed_on_awake_nodes_are_left_out(small_trace, change):
    wanted = {"from_": "2020-04-03", "to": "2020-04-04", "model": "last"}
    made = energy_study.study(EnergyScenario(small_trace, "C", **wanted, **change))
    assert "jobs" not in made.document
    assert ("jobs_left_out" in made.document) == change.get("jobs", True)
    assert "result" in made.document
