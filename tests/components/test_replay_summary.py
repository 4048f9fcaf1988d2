"""What the result of a replay says."""

from typing import Any

import pandas as pd
import pytest

from components import replay_summary as summary
from components.replay_summary import change, notes, worse_off
from tests.components.text import plain, text_of, wrong_plurals


def sentence(made: dict[str, Any], table: pd.DataFrame) -> str:
    return plain(summary.sentence(made, table))


def row(policy: str, vc: str, jct_s: float | None, delay_s: float | None, **numbers: Any) -> dict[str, Any]:
    counts = {"jobs": 10, "rejected_jobs": 0, "queued_jobs": 4, "preemptions": 0}
    excluded = {"cpu": 7, "no_duration": 0, "no_gpu_num": 1}
    rest = {"p95_queueing_delay_s": delay_s, "makespan_s": 1e5, "gpu_utilization": 0.5}
    means = {"avg_jct_s": jct_s, "avg_queueing_delay_s": delay_s}
    return {
        "policy": policy,
        "cluster": "Venus",
        "vc": vc,
        **counts,
        "excluded": excluded,
        **means,
        **rest,
        **numbers,
    }


def document(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"results": list(rows), "notes": ["Venus: the estimates know 3 users."], "scenario": {}}


def jobs(fifo: list[float | None], qssf: list[float | None]) -> pd.DataFrame:
    waits = {"fifo": fifo, "qssf": qssf}
    frames = [
        pd.DataFrame(
            {
                "policy": policy,
                "job_id": [str(i) for i in range(len(delays))],
                "queueing_delay_s": pd.Series(delays, dtype=float),
                "rejected": [None if delay is not None else "larger than its VC" for delay in delays],
            }
        )
        for policy, delays in waits.items()
    ]
    return pd.concat(frames, ignore_index=True)


TWO_VCS = document(
    row("fifo", "a", 7200, 3600),
    row("fifo", "b", 3600, 600),
    row("fifo", "*", 5400, 2100, jobs=20),
    row("qssf", "a", 3600, 0),
    row("qssf", "b", 3000, 0),
    row("qssf", "*", 3300, 0, jobs=20, queued_jobs=2),
)


def test_a_lone_job_is_written_as_one():
    lone = {"jobs": 1, "queued_jobs": 1}
    fifo, qssf = row("fifo", "*", 60, 30, **lone), row("qssf", "*", 90, 60, **lone)
    for made in (document(fifo), document(fifo, qssf)):
        cards = [text_of(card) for card in summary.replay_cards(made, jobs([0], [60]))]
        assert [wrong_plurals(each) for each in (sentence(made, jobs([0], [60])), *cards)] == [[]] * (
            len(cards) + 1
        )
    assert "1 of 1 job waits" in sentence(document(fifo), jobs([0], [60]))


def test_the_sentence_compares_with_fifo_and_names_the_vc_that_gains_most():
    said = sentence(TWO_VCS, jobs([0, 100], [50, 0]))
    assert "cut the average job completion time from 1 h 30 min under FIFO to 55 min" in said
    assert "86 % of that comes from virtual cluster a" in said  # 3600 of 3600 + 600
    assert "1 job waits longer than under FIFO, one of them by 50 s" in said


def test_a_policy_that_does_harm_is_said_to_do_harm():
    worse = document(row("fifo", "*", 100, 10), row("sjf", "*", 150, 60))
    assert "raised the average job completion time from 1 min 40 s" in sentence(worse, jobs([], []))


def test_equal_averages_are_no_gain():
    same = document(row("fifo", "*", 1000, 10), row("qssf", "*", 1001, 11))
    assert "left the average job completion time at 16 min 40 s" in sentence(same, jobs([1], [1]))


def test_a_replay_without_fifo_is_described_and_not_compared():
    alone = document(row("sjf", "*", 3600, 60))
    said = sentence(alone, jobs([], []))
    assert said.startswith("Under SJF a job completes after 1 h on average, 1 min of which it waits")


def test_a_replay_in_which_no_job_ran_says_so():
    nothing = document(row("fifo", "*", None, None), row("qssf", "*", None, None))
    assert "No job could be replayed" in sentence(nothing, jobs([None], [None]))


def test_qssf_is_the_policy_in_question_and_several_clusters_are_told_apart():
    rows = [row("qssf", "*", 1, 1) | {"cluster": name} for name in ("Venus", "Earth", "*")]
    assert summary.totals(document(*rows))["qssf"]["cluster"] == "*"
    assert summary.policy_in_question(["fifo", "sjf", "qssf"]) == "qssf"
    assert summary.policy_in_question(["fifo"]) == "fifo"
    labels = summary.by_vc(document(row("fifo", "a", 1, 1), row("fifo", "a", 1, 1) | {"cluster": "Earth"}))
    assert list(labels["label"]) == ["a · Venus", "a · Earth"]


def test_worse_off_counts_jobs_that_wait_a_second_longer_and_no_rejected_ones():
    assert worse_off(jobs([0, 5, None, 9], [0.5, 60, None, 0]), "qssf") == (1, 55.0)
    assert worse_off(jobs([1], [1]), "qssf") == (0, 0.0)


def test_policies_that_replayed_other_jobs_are_not_compared_job_by_job():
    uneven = pd.concat([jobs([1, 2], [1, 2]), jobs([], [7]).tail(1)])
    assert worse_off(uneven, "qssf") is None


@pytest.mark.parametrize(
    ("before", "after", "detail", "tone"),
    [
        (3600, 600, "6.0 × shorter · FIFO 1 h", "good"),
        (3600, 2700, "− 25 % · FIFO 1 h", "good"),
        (3600, 4500, "+ 25 % · FIFO 1 h", "bad"),
        (3600, 0, "− 100 % · FIFO 1 h", "good"),
        (0, 60, "FIFO 0 s", "bad"),
        (100, 100, "as under FIFO, 1 min 40 s", None),
    ],
)
def test_a_change_has_its_sign_its_tone_and_what_it_is_compared_with(before, after, detail, tone):
    told = change(before, after)
    assert plain(told["detail"]) == detail
    assert told.get("tone") == tone
    assert ("arrow" in told) == (tone is not None)


def test_the_vcs_of_a_chart_are_those_that_wait_longest_under_fifo():
    rows = summary.by_vc(
        document(
            *(
                row(policy, vc, delay, delay)
                for policy in ("fifo", "qssf")
                for vc, delay in (("a", 5.0), ("b", 9.0), ("c", None), ("d", 7.0))
            )
        )
    )
    largest = summary.largest_vcs(rows, "avg_queueing_delay_s", 2)
    assert list(largest["label"]) == ["b", "b", "d", "d"]


def test_notes_say_who_took_no_part_and_that_true_durations_are_a_bound():
    told = notes(document(row("fifo", "*", 1, 1), row("sjf", "*", 1, 1)))
    assert told[0] == "Jobs that took no part: 7 without GPUs, 1 of unknown GPU count."
    assert "SJF knows true durations" in told[1]
    assert told[-1] == "Venus: the estimates know 3 users."


def test_rejected_jobs_are_counted_once_with_their_reasons():
    assert summary.rejections(jobs([1, None, None], [1, None, None])).to_dict() == {"larger than its VC": 2}
