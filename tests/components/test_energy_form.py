"""The form of an energy what-if and its address."""

from dataclasses import asdict
from datetime import date
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import energy
from components.ces import MODEL_TITLES, PARAMETERS, PRESETS, preset_values
from components.energy_form import POWER, EnergyChoice, energy_choice, energy_pairs, preset_of
from components.filters import FilterError

NUMBERS = st.integers(0, 5000).map(float)
DAYS = st.dates(date(2015, 1, 1), date(2030, 1, 1))
CHOICES = st.builds(
    EnergyChoice,
    trace=st.just("demo"),
    cluster=st.sampled_from(["Venus", "GPU cluster & co"]),
    first_day=st.none() | DAYS,
    last_day=st.none() | DAYS,
    model=st.sampled_from(list(MODEL_TITLES)),
    preset=st.none() | st.sampled_from(list(PRESETS)),
    parameters=st.dictionaries(st.sampled_from(list(PARAMETERS)), NUMBERS),
    boot_time_s=NUMBERS,
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


def test_every_forecast_model_offered_exists():
    assert set(MODEL_TITLES) <= set(energy.MODELS)


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
        ({"preset": "Mars"}, "no preset “Mars”"),
        ({"from": "soon"}, "not a day"),
        ({"buffer": "some"}, "not a number for “buffer”"),
    ],
)
def test_an_impossible_address_gets_a_sentence(query, says):
    with pytest.raises(FilterError, match=says):
        energy_choice(query)
