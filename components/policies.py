"""The scheduling policies and placements as forms and results name them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PolicyTitle:
    """What charts call a policy, which job it lets go first, and whether it knows true durations."""

    label: str
    first: str
    oracle: bool = False


#: Every policy in the order in which charts and forms show them (scheduling.POLICIES; a test compares them).
POLICY_TITLES = {
    "fifo": PolicyTitle("FIFO", "the job submitted first"),
    "qssf": PolicyTitle("QSSF", "the smallest predicted GPU time, from what is known at submission"),
    "sjf": PolicyTitle("SJF", "the shortest true duration", oracle=True),
    "srtf": PolicyTitle("SRTF", "the shortest true remaining time, stopping others for it", oracle=True),
    "smallest": PolicyTitle("Fewest GPUs", "the job of the fewest GPUs"),
    "gputime": PolicyTitle("True GPU time", "the least true GPU time", oracle=True),
    "fairshare": PolicyTitle("Fair share", "the user who has had the least GPU time"),
    "srsf": PolicyTitle("SRSF", "the least true remaining GPU time, stopping others for it", oracle=True),
    "las": PolicyTitle("LAS", "the job that has had the least GPU time, stopping others for it"),
    "priority": PolicyTitle("Own priority", "the smallest value of a column “priority” of the jobs"),
}
PLACEMENT_TITLES = {
    "consolidate": "Consolidate",
    "consolidateFirst": "Consolidate, else spread",
    "bestFit": "Best fit",
    "firstFit": "First fit",
    "spread": "Spread",
}


def policy_label(name: str) -> str:
    """What charts call a policy."""
    return POLICY_TITLES[name].label if name in POLICY_TITLES else name.upper()
