"""What a policy is called."""

from components.policies import POLICY_TITLES
from scheduling import POLICIES


def test_sentences_call_a_policy_as_charts_do():
    labels = {name: policy.label for name, policy in POLICIES.items()}
    assert labels == {name: title.label for name, title in POLICY_TITLES.items()}
