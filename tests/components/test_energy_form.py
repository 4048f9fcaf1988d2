"""The form of an energy what-if and its address."""

from dataclasses import asdict
from datetime import date
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import energy
from components.controllers import (
    CONTROLLERS,
    PARAMETERS,
    PRESETS,
    PUBLISHED,
    preset_values,
    scaling_sentence,
    usual_values,
)
from components.energy_choice import POWER, EnergyChoice, energy_choice, energy_pairs, preset_of
from components.filters import FilterError
from components.forecast_models import MODEL_TITLES
from components.policies import POLICY_TITLES

NUMBERS = st.integers(0, 5000).map(float)
DAYS = st.dates(date(2015, 1, 1), date(2030, 1, 1))
CHOICES = st.builds(
    EnergyChoice,
    trace=st.just("demo"),
    cluster=st.sampled_from(["Venus", "GPU cluster & co"]),
    first_day=st.none() | DAYS,
    last_day=st.none() | DAYS,
    model=st.sampled_from(list(MODEL_TITLES)),
    controller=st.sampled_from([*CONTROLLERS, PUBLISHED]),
    policy=st.sampled_from(["", "recorded", *POLICY_TITLES]),
    preset=st.none() | st.sampled_from(list(PRESETS)),
    parameters=st.dictionaries(st.sampled_from(list(PARAMETERS)), NUMBERS),
    boot_time_s=NUMBERS,
    wake_failure_probability=st.sampled_from([0.0, 0.05, 0.9]),
    frontier=st.booleans(),
    carried=st.dictionaries(st.sampled_from(["seed", "keep"]), st.just(7) | st.just(["a/b"])),
    power=st.dictionaries(st.sampled_from(list(POWER)), NUMBERS),
)


def query_of(pairs: list[tuple[str, str]]) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlencode(pairs)).items()}


@settings(deadline=None)
@given(CHOICES)
def test_an_address_gives_back_the_choice_that_wrote_it(choice):
    assert energy_choice(query_of(energy_pairs(choice))) == choice


def test_the_presets_offered_are_those_of_the_controller():
    assert {name: preset_values(name) for name in PRESETS} == {
        name: asdict(parameters) for name, parameters in energy.PRESETS.items()
    }


def test_every_forecast_model_and_every_controller_is_offered():
    assert set(MODEL_TITLES) == set(energy.MODELS)
    assert {*CONTROLLERS, PUBLISHED} == set(energy.CONTROLLERS)


@pytest.mark.parametrize("nodes", [None, 8, 143, 420, 1000])
@pytest.mark.parametrize("controller", ["quantile", "margin", "drs", "always_on"])
def test_the_usual_values_are_those_that_the_controller_takes_by_itself(controller, nodes):
    assert usual_values(controller, "Earth", nodes) == asdict(
        energy.controller_named(controller, nodes=nodes)
    )


def test_a_small_clusters_buffer_and_step_go_with_its_size_and_the_form_says_so():
    usual = usual_values("ces", "Earth", 8)
    assert usual == preset_values("Earth") | {"buffer_nodes": 1, "min_step_nodes": 1}
    said = scaling_sentence("ces", "Earth", 8)
    assert said == (
        "Earth's preset is for 143 nodes; this cluster has 8, so: minimum step 5 → 1, buffer σ 5 → 1."
    )


@pytest.mark.parametrize("nodes", [None, 143, 500])
def test_a_cluster_of_the_published_size_or_larger_has_the_published_parameters(nodes):
    assert usual_values("ces", "Earth", nodes) == preset_values("Earth")
    assert scaling_sentence("ces", "Earth", nodes) == ""


@pytest.mark.parametrize(
    ("choice", "preset"),
    [
        (EnergyChoice(cluster="Saturn"), "Saturn"),
        (EnergyChoice(cluster="gpu"), "Earth"),
        (EnergyChoice(cluster="Saturn", preset="Philly"), "Philly"),
    ],
)
def test_the_preset_is_the_chosen_one_or_the_clusters_own_or_earths(choice, preset):
    assert preset_of(choice) == preset


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"model": "oracle"}, "no forecast model “oracle”"),
        ({"controller": "magic"}, "no controller “magic”"),
        ({"policy": "lottery"}, "no policy “lottery”"),
        ({"also": "[1]"}, "cannot be read"),
        ({"preset": "Mars"}, "no preset “Mars”"),
        ({"from": "soon"}, "not a day"),
        ({"buffer": "some"}, "not a number for “buffer”"),
    ],
)
def test_an_impossible_address_gets_a_sentence(query, says):
    with pytest.raises(FilterError, match=says):
        energy_choice(query)
