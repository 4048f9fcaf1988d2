"""A grid of scenarios: each is the replay that simulate makes, once, and none twice."""

from dataclasses import asdict, replace

import pandas as pd
import pytest

from runs import RunError, simulation, sweep
from runs.axes import values_of
from runs.capacity_step import checked_step
from runs.grid import Point, points
from runs.quota import Quota, constant
from runs.resizing import resized
from runs.scenario import PlanScenario, SchedulingScenario, SweepScenario
from runs.store import RunStore
from runs.work import work

GRID = SweepScenario(
    "small",
    policies=("fifo", "qssf"),
    nodes=("x1", "+1"),
    load_factors=(1.0, 2.0),
    seeds=(1, 2),
)


def test_a_grid_is_every_combination_and_at_load_one_the_seed_does_not_matter():
    made = points(GRID, ["C"])
    assert len(made) == len(set(made)) == 2 * 2 * (1 + 2)
    assert Point("C", "qssf", "+1", 2.0, 2) in made
    assert Point("C", "qssf", "+1", 1.0, 2) not in made


def test_a_scenario_of_a_sweep_has_the_numbers_that_simulate_gives(small_trace, tmp_path):
    made = sweep.sweep(GRID, out=tmp_path / "out.csv")
    assert made["scenarios"] == made["replayed"] == len(made["results"]) == 12
    for row in made["results"]:
        wanted = SchedulingScenario(
            small_trace,
            policies=(row["policy"],),
            load_factor=row["load_factor"],
            seed=row["seed"],
            extra_nodes={"C/busy": 1, "C/idle": 1} if row["nodes"] == "+1" else {},
        )
        total = simulation.simulate(wanted).document["results"][-1]
        assert {name: row[name] for name in sweep.NUMBERS} == {name: total[name] for name in sweep.NUMBERS}
        assert row["gpus"] == (40 if row["nodes"] == "+1" else 24)


def test_a_sweep_goes_on_where_it_was_and_gives_the_same_numbers(small_trace, tmp_path):
    file = tmp_path / "out.csv"
    first = sweep.sweep(GRID, out=file)
    kept = pd.read_csv(file, dtype=str).iloc[:5]
    kept.to_csv(file, index=False)
    second = sweep.sweep(GRID, out=file)
    assert second["replayed"] == 7
    assert second["results"] == first["results"]
    assert sweep.sweep(GRID, out=file)["replayed"] == 0


def test_what_was_replayed_is_kept_when_a_sweep_is_stopped(small_trace, tmp_path):
    class Stopped(Exception):
        pass

    def stop(done, step):
        if done > 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        sweep.sweep(GRID, stop, tmp_path / "out.csv")
    assert 6 <= len(pd.read_csv(tmp_path / "out.csv")) < 12
    assert [path.name for path in tmp_path.glob("*out*")] == ["out.csv"]


def test_a_wider_grid_replays_only_what_is_new_and_the_file_keeps_the_rest(small_trace):
    narrow = SweepScenario("small", policies=("fifo", "qssf"))
    assert sweep.sweep(narrow)["replayed"] == 2
    wide = sweep.sweep(replace(narrow, nodes=("x1", "x2")))
    assert wide["replayed"] == 2
    assert [row["nodes"] for row in wide["results"]] == ["x1", "x2"] * 2
    assert sweep.sweep(narrow)["file"] == wide["file"]


def test_a_file_of_another_window_is_not_taken_for_this_sweeps(small_trace, tmp_path):
    sweep.sweep(GRID, out=tmp_path / "out.csv")
    other = SweepScenario(small_trace, from_="2020-04-02")
    with pytest.raises(RunError, match="holds another sweep"):
        sweep.sweep(other, out=tmp_path / "out.csv")


def test_a_file_that_is_no_sweep_is_left_alone(small_trace, tmp_path):
    (tmp_path / "out.csv").write_text("a,b\n1,2\n")
    with pytest.raises(RunError, match="another"):
        sweep.sweep(GRID, out=tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"seeds": tuple(range(1, 6000))}, "more than the limit of 10,000"),
        ({"nodes": ()}, "no scenario"),
        ({"nodes": ("1.5",)}, "step of capacity"),
        ({"load_factors": (0.0,)}, "load factor"),
    ],
)
def test_a_grid_that_is_too_large_or_cannot_be_is_refused_before_anything_starts(
    small_trace, tmp_path, axes, sentence
):
    steps = []
    with pytest.raises(RunError, match=sentence):
        sweep.sweep(replace(GRID, **axes), lambda done, step: steps.append(step), tmp_path / "out.csv")
    assert steps == []
    assert not (tmp_path / "out.csv").exists()


def test_unknown_numbers_stay_unknown_in_the_file(small_trace, tmp_path):
    grid = SweepScenario(small_trace, nodes=("-5",))
    fresh = sweep.sweep(grid, out=tmp_path / "out.csv")["results"]
    again = sweep.sweep(grid, out=tmp_path / "out.csv")["results"]
    assert fresh[0]["avg_jct_s"] is again[0]["avg_jct_s"] is None
    assert fresh == again


def test_a_factor_rounds_to_whole_nodes_and_leaves_a_vc_that_had_any_at_least_one():
    quotas = {"a": Quota((0.0, 9.0), (8, 40)), "b": constant(12), "c": constant(0)}
    half = resized(quotas, "x0.5", 8)
    assert half == {"a": Quota((0.0, 9.0), (8, 24)), "b": constant(8), "c": constant(0)}
    assert resized(quotas, "x0.01", 8)["a"].gpus == (8, 8)
    assert resized(quotas, "x1", 8) == quotas
    assert resized(quotas, "-2", 8)["a"].gpus == (0, 24)


@pytest.mark.parametrize("step", ["", "x", "x0", "x-1", "x1000", "1", "+1.5", "xnan", "-", "+inf"])
def test_a_step_of_another_form_is_refused(step):
    with pytest.raises(RunError, match="step of capacity"):
        checked_step(step)


def test_an_axis_is_numbers_and_ranges_with_both_ends():
    assert values_of(["1", "0.5:1.5:0.25", "1.5"]) == (1.0, 0.5, 0.75, 1.25, 1.5)
    assert values_of(["0.8:1.2:0.1"]) == (0.8, 0.9, 1.0, 1.1, 1.2)


@pytest.mark.parametrize("text", ["", "many", "1:2", "1:2:0", "2:1:0.5", "1:2:-1", "nan", "0:1:1e-9"])
def test_an_axis_of_another_form_is_refused(text):
    with pytest.raises(RunError, match="neither a number nor a range"):
        values_of([text])


def test_a_points_columns_come_first_in_the_file(small_trace, tmp_path):
    sweep.sweep(GRID, out=tmp_path / "out.csv")
    columns = list(pd.read_csv(tmp_path / "out.csv").columns)
    assert columns == [*asdict(points(GRID, ["C"])[0]), "gpus", *sweep.NUMBERS, "study"]


def test_the_sentence_names_the_scenario_of_the_shortest_average_jct(small_trace, tmp_path):
    made = sweep.sweep(GRID, out=tmp_path / "out.csv")
    assert made["sentence"] == "12 scenarios; 4 of them share the shortest average JCT, 1,500 s."
    cells = [
        {"policy": policy, "nodes": "x1", "load_factor": 1.2, "avg_jct_s": jct_s}
        for policy, jct_s in (("fifo", 12_000.0), ("sjf", 1_499.6), ("srtf", None))
    ]
    said = sweep.sentence({"scenarios": 3, "results": cells})
    assert said == "3 scenarios; SJF at nodes x1 and load 1.2 has the shortest average JCT, 1,500 s."


@pytest.mark.parametrize("settings", [GRID, PlanScenario("small", target="queued_jobs<=5", resamples=0)])
def test_sweeps_and_plans_are_worked_on_like_other_runs(small_trace, data_folder, settings):
    runs = RunStore(data_folder)
    run = runs.create(settings)
    runs.update(run.id, state="running")
    work(run.id)
    ended = runs.get(run.id)
    assert (ended.state, ended.settings()) == ("done", settings) and ended.sentence
    assert len(runs.table(run.id, "results" if settings is GRID else "curve")) == (
        12 if settings is GRID else 4
    )
    assert runs.result(run.id)["scenario"]["timezone"]
