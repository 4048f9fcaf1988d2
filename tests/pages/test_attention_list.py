"""What needs attention, in words."""

from types import ModuleType, SimpleNamespace

import pandas as pd

from tests.components.text import plain, wrong_plurals

PLACE = {"cluster": "Venus", "vc": "vcA"}
FOUND = {
    "failure_bursts": {"failed_jobs": 0},
    "waiting_beside_idle": {
        "full_share": 0.5,
        "waited_gpu_s": 9e5,
        "servable_gpu_s": 9e5,
        "idle_elsewhere_gpus": 1.2,
    },
    "gangs_beside_free_gpus": {"beside_free_jobs": 1, "beside_free_gpu_s": 9e5, "waited_gpu_s": 9e5},
    "capacity_lost": {
        "time": pd.Timestamp("2020-09-01"),
        "gpus_before": 8.0,
        "gpus_after": 7.0,
    },
}


def test_what_is_one_is_written_as_one(application: ModuleType) -> None:
    from pages import attention

    scope = SimpleNamespace(
        earlier=None,
        timezone="UTC",
        knows=lambda fact: True,
        ask=lambda question, **_: pd.DataFrame([FOUND[question] | PLACE]),
        address=lambda page, **_: page,
    )
    scope.recent = lambda days: scope
    found = attention.findings(scope)
    said = [plain(f"{row.title}: {row.text}") for row in found.itertuples()]
    assert len(said) == 3 and [wrong_plurals(each) for each in said] == [[]] * 3
    assert said[0].endswith("while 1 GPU of other VCs of Venus was idle.")
