"""The form of a scheduling what-if and its address."""

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scheduling
from components.figures.scheduling import PATTERNS
from components.filters import FilterError
from components.policies import PLACEMENT_TITLES, POLICY_TITLES
from components.replay_form import DEFAULT_POLICIES, ReplayChoice, replay_choice, replay_pairs
from components.replay_rules import OPTIONS
from components.theme import POLICIES

VCS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
CHOICES = st.builds(
    ReplayChoice,
    policies=st.sets(st.sampled_from(list(POLICIES)), min_size=1).map(
        lambda chosen: tuple(policy for policy in POLICIES if policy in chosen)
    ),
    placement=st.sampled_from(list(PLACEMENT_TITLES)),
    load_factor=st.integers(1, 200).map(lambda twentieth: twentieth / 20),
    extra_nodes=st.dictionaries(VCS, st.integers(-99, 99).filter(bool), max_size=3).map(
        lambda changes: tuple(changes.items())
    ),
    duration_factor=st.integers(1, 400).map(lambda twentieth: twentieth / 20),
    options=st.sets(st.sampled_from(list(OPTIONS))).map(
        lambda chosen: tuple(name for name in OPTIONS if name in chosen)
    ),
    carried=st.dictionaries(st.sampled_from(["seed", "moves"]), st.just(7) | st.just({"user:u": "vc"})),
)


def query_of(pairs: list[tuple[str, str]]) -> dict[str, object]:
    parsed = parse_qs(urlencode(pairs), keep_blank_values=True)
    return {key: values[0] if len(values) == 1 else values for key, values in parsed.items()}


@settings(deadline=None)
@given(CHOICES)
def test_an_address_gives_back_the_choice_that_wrote_it(choice):
    assert replay_choice(query_of(replay_pairs(choice))) == choice


def test_the_default_choice_needs_no_address():
    ordered = tuple(policy for policy in POLICIES if policy in DEFAULT_POLICIES)
    assert replay_pairs(ReplayChoice()) == []
    assert replay_choice({}) == ReplayChoice(policies=ordered)


def test_the_policies_and_placements_offered_are_those_of_the_simulator():
    assert list(POLICY_TITLES) == list(POLICIES)
    assert set(POLICY_TITLES) == set(scheduling.POLICIES)
    assert set(PLACEMENT_TITLES) == set(scheduling.PLACEMENTS)
    assert {name for name, each in POLICY_TITLES.items() if each.oracle} == {
        name for name, each in scheduling.POLICIES.items() if each.oracle
    }


def test_no_two_policies_look_the_same():
    styles = list(POLICIES.values())
    assert len({color for color, _, _ in styles}) == len(styles)
    assert len({(dash, width) for _, dash, width in styles}) == len(styles)
    assert {dash for _, dash, _ in styles} <= set(PATTERNS)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"policy": "lifo"}, "no policy “lifo”"),
        ({"placement": "pile"}, "no placement “pile”"),
        ({"load": "much"}, "from 0.05 to 10"),
        ({"load": "0"}, "from 0.05 to 10"),
        ({"load": "nan"}, "from 0.05 to 10"),
        ({"nodes": "Venus/vcA"}, "Venus/vcA:3"),
    ],
)
def test_an_impossible_address_gets_a_sentence(query, says):
    with pytest.raises(FilterError, match=says):
        replay_choice(query)
