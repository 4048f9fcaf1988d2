"""A sweep's form, figures and sentences: the numbers are those of the frame."""

import math

import pandas as pd
import pytest

from components import sweep_summary as summary
from components.figures import sweep as figures
from components.figures.template import template
from components.filters import FilterError
from components.sweep_form import SweepChoice, parts, sweep_choice
from components.theme import SCHEMES, token
from runs.sweep import NUMBERS
from tests.components.test_theme import contrast
from tests.components.text import plain


def row(policy: str, nodes: str, load: float, seed: int, delay_s: float | None, gpus: int, rejected: int = 0):
    key = {"cluster": "Venus", "policy": policy, "nodes": nodes, "load_factor": load, "seed": seed}
    return key | {
        "avg_queueing_delay_s": delay_s,
        "gpus": gpus,
        "rejected_jobs": rejected,
        "gpu_utilization": 0.5,
    }


#: Two draws of load 1.2; at x0.5 a job is rejected; of QSSF at x1 and 1.2 one draw is unknown.
RESULTS = pd.DataFrame(
    [
        row("qssf", "x1", 1.0, 1, 60.0, 80),
        row("qssf", "x1", 1.2, 1, 600.0, 80),
        row("qssf", "x1", 1.2, 2, None, 80),
        row("fifo", "x1", 1.0, 1, 3600.0, 80),
        row("fifo", "x0.5", 1.0, 1, 30.0, 40, rejected=2),
        row("fifo", "x1", 1.2, 1, 7200.0, 80),
        row("fifo", "x1", 1.2, 2, 10800.0, 80),
        {**row("fifo", "x1", 1.0, 1, 1.0, 8), "cluster": "Earth"},
    ]
)
CELLS = summary.cells(RESULTS, "Venus", "avg_queueing_delay_s")


def test_a_cell_is_the_mean_of_its_draws_with_their_range_and_no_other_clusters():
    at = {(each.policy, each.nodes, each.load_factor): each for each in CELLS.itertuples()}
    assert len(at) == 5 and (CELLS["gpus"] > 8).all()
    twice = at["fifo", "x1", 1.2]
    assert (twice.value, twice.low, twice.high, twice.draws) == (9000.0, 7200.0, 10800.0, 2)
    assert at["qssf", "x1", 1.2].value == 600.0  # the draw that is unknown says nothing
    assert list(CELLS["policy"]) == ["fifo", "fifo", "fifo", "qssf", "qssf"]
    assert [plain(text) for text in CELLS["load_text"][:3]] == ["× 1", "× 1", "× 1.2"]


def test_cells_that_share_the_best_value_are_not_told_from_each_other():
    same = CELLS.assign(value=90.0, partial=False)
    said = plain(summary.sentence(same, "avg_queueing_delay_s", "Venus", 7))
    assert said == "7 scenarios of Venus. Average queueing is the same in every cell, 1 min 30 s."
    two = same.assign(value=[60.0, 90.0, 60.2, 60.0, 90.0])
    said = plain(summary.sentence(two, "avg_queueing_delay_s", "Venus", 7))
    assert "is best under FIFO at nodes × 0.5 and load × 1 and 2 other cells (1 min) and worst" in said


def test_a_cell_in_which_more_jobs_are_rejected_is_marked_and_is_no_best_one():
    assert list(CELLS["partial"]) == [True, False, False, False, False]
    assert plain(CELLS["value_text"][0]) == "30 s *"
    assert "1 cell with more rejected jobs" in summary.partial_note(CELLS)
    assert summary.partial_note(CELLS[1:]) == ""
    said = plain(summary.sentence(CELLS, "avg_queueing_delay_s", "Venus", 7))
    assert said == (
        "7 scenarios of Venus. Average queueing is best under QSSF at nodes × 1 and load × 1 (1 min) and "
        "worst under FIFO at nodes × 1 and load × 1.2 (2 h 30 min). With today's nodes and load: FIFO 1 h, "
        "QSSF 1 min."
    )


def test_more_utilization_is_better_than_less():
    cells = summary.cells(
        RESULTS.assign(gpu_utilization=[0.1, 0.9, 0.9, *[0.5] * 5]), "Venus", "gpu_utilization"
    )
    said = plain(summary.sentence(cells, "gpu_utilization", "Venus", 7))
    assert "best under QSSF at nodes × 1 and load × 1.2 (90.0 %)" in said


def test_a_sweep_in_which_no_job_ran_says_so():
    nothing = summary.cells(RESULTS.assign(avg_queueing_delay_s=None), "Venus", "avg_queueing_delay_s")
    assert summary.is_flat(nothing) and not summary.is_flat(CELLS)
    assert "no job could be replayed" in summary.sentence(nothing, "avg_queueing_delay_s", "Venus", 7)


def test_the_map_has_a_cell_per_policy_load_and_step_with_its_number_written():
    [cells] = figures.heat_map(CELLS, summary.MEASURES["avg_queueing_delay_s"]).data
    assert plain(" ".join(cells.x)) == "× 0.5 × 1"
    assert [[plain(text) for text in axis] for axis in cells.y] == [
        ["FIFO", "FIFO", "QSSF", "QSSF"],
        ["× 1", "× 1.2"] * 2,
    ]
    assert [[plain(text) for text in line] for line in cells.text] == [
        ["30 s *", "1 h"],
        ["", "2 h 30 min"],
        ["", "1 min"],
        ["", "10 min"],
    ]
    assert cells.z[0][1] == pytest.approx(-math.log10(3600)) and math.isnan(cells.z[1][0])


def test_the_map_of_a_single_policy_and_load_is_a_column_in_which_every_number_has_room():
    own = CELLS[(CELLS["policy"] == "fifo") & (CELLS["load_factor"] == 1)]
    figure = figures.heat_map(own, summary.MEASURES["avg_queueing_delay_s"])
    [cells] = figure.data
    assert [plain(text) for text in (*cells.x, *cells.y)] == ["FIFO, load × 1", "× 0.5", "× 1"]
    assert [plain(text) for [text] in cells.text] == ["30 s *", "1 h"]
    assert figure.layout.yaxis.title.text == "nodes"


def test_a_map_of_very_many_cells_has_no_numbers_in_them():
    steps = [row("fifo", f"+{at}", 1.0, 1, 60.0, 8 * at) for at in range(1, 20)]
    cells = summary.cells(pd.DataFrame(steps), "Venus", "avg_queueing_delay_s")
    [drawn] = figures.heat_map(cells, summary.MEASURES["avg_queueing_delay_s"]).data
    assert drawn.texttemplate == "" and len(drawn.text) == 19
    [small] = figures.heat_map(CELLS, summary.MEASURES["avg_queueing_delay_s"]).data
    assert small.texttemplate == "%{text}"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_text_of_a_cell_is_legible_on_every_shade_and_the_best_stands_out_from_the_card(scheme: str):
    made = template(scheme)
    shades = [color for _, color in made["layout"]["coloraxis"]["colorscale"]]
    ink = made["data"]["heatmap"][0]["textfont"]["color"]
    assert all(contrast(shade, ink) >= 4.5 for shade in shades)
    out = [contrast(shade, token("surface", scheme)) for shade in shades]
    assert out == sorted(out) and out[0] < 1.3 and out[-1] >= 3  # the better, the stronger, without color too


@pytest.mark.parametrize("measure", summary.MEASURES)
def test_the_best_cell_has_the_strongest_color_and_the_bar_above_the_map_says_so(measure: str):
    about = summary.MEASURES[measure]
    cells = CELLS.assign(value=[0.5, 10.0, 20.0, 40.0, 80.0])
    figure = figures.heat_map(cells, about)
    first, last = figure.data[0].z[0][0], figure.data[0].z[3][1]  # the smallest and the largest value
    assert (first > last) == about.less_is_better
    bar = figure.layout.coloraxis
    assert bar.showscale and bar.colorbar.ticktext == ("worst", "best")
    assert bar.colorbar.tickvals == tuple(sorted((first, last)))


def test_a_map_of_equal_cells_has_no_bar():
    same = figures.heat_map(CELLS.assign(value=90.0), summary.MEASURES["avg_queueing_delay_s"])
    assert not same.layout.coloraxis.showscale


def test_lines_are_at_todays_load_or_nodes_and_show_the_range_of_draws():
    about = summary.MEASURES["avg_queueing_delay_s"]
    nodes = {line.name: line for line in figures.over_nodes(CELLS, about).data}
    assert list(nodes["FIFO"].x) == [40, 80] and list(nodes["FIFO"].y) == [30.0, 3600.0]
    load = {line.name: line for line in figures.over_load(CELLS, about).data}
    assert list(load["FIFO"].x) == [1.0, 1.2] and list(load["FIFO"].y) == [3600.0, 9000.0]
    assert list(load["FIFO"].error_y.array) == [0, 1800.0] == list(load["FIFO"].error_y.arrayminus)
    assert (
        load["FIFO"].line.dash != load["QSSF"].line.dash or load["FIFO"].line.color != load["QSSF"].line.color
    )


def test_a_name_within_a_title_keeps_its_capitals():
    cells = summary.cells(RESULTS.assign(avg_jct_s=60.0), "Venus", "avg_jct_s")
    figure = figures.over_nodes(cells, summary.MEASURES["avg_jct_s"])
    assert figure.layout.yaxis.title.text == "average JCT (log scale)"


def test_steps_of_nodes_are_written_with_signs():
    assert [plain(summary.step_text(step)) for step in ("x0.9", "+2", "-1")] == ["× 0.9", "+2", "−1"]


def test_a_ratio_is_drawn_in_per_cent():
    cells = summary.cells(RESULTS, "Venus", "gpu_utilization")
    line = figures.over_load(cells, summary.MEASURES["gpu_utilization"]).data[0]
    assert set(line.y) == {50.0}


def test_every_number_of_a_scenario_can_be_drawn():
    assert set(summary.MEASURES) == set(NUMBERS) - {"jobs"}


def test_the_usual_step_is_the_cluster_as_it_is():
    assert summary.usual_step(pd.Series(["x0.9", "x1"])) == "x1"
    assert summary.usual_step(pd.Series(["-1", "+0"])) == "+0"
    assert summary.usual_step(pd.Series(["x2"])) == "x2"
    assert summary.nearest(pd.Series([0.8, 1.2]), 1.0) == 0.8


@pytest.mark.parametrize(
    "choice",
    [
        SweepChoice(),
        SweepChoice(("sjf",), "+1, -2", "0.5:1.5:0.5", 4, "spread", ("backfill", "capacity_over_time")),
    ],
)
def test_an_address_holds_the_whole_choice_and_no_default(choice):
    query: dict = {}
    for key, value in choice.pairs():
        query[key] = [*query[key], value] if isinstance(query.get(key), list) else value
    assert sweep_choice(query) == choice
    assert (choice == SweepChoice()) == (choice.pairs() == [])


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"draws": "0"}, "from 1 to 100"),
        ({"policy": "magic"}, "no policy"),
        ({"placement": "x"}, "no placement"),
    ],
)
def test_an_address_that_chooses_the_impossible_gets_a_sentence(query, says):
    with pytest.raises(FilterError, match=says):
        sweep_choice(query)


def test_the_values_of_an_axis_are_separated_by_commas_or_spaces():
    assert parts(" x1,  +2;x1 -1 ") == ("x1", "+2", "-1")
