"""What QSSF's estimates are worth, in words: the gap, the ranking, the controls that win."""

from components.replay_worth import ORDERS, rows, sentences, table
from runs import orders, worth
from scheduling.estimates import ALL_RUNGS
from tests.components.text import plain, text_of


def order(name: str, delay_s: float, gap: float | None) -> dict:
    return {"order": name, "avg_queueing_delay_s": delay_s, "avg_jct_s": delay_s + 60, "closed_gap": gap}


ENTRY = {
    "cluster": "Earth",
    "orders": [order("qssf", 100.0, 0.9), order("fifo", 900.0, 0.0), order("true_gpu_time", 12.0, 1.0)],
    "rank_correlation": 0.771,
    "rank_correlation_within_gpus": 0.5,
    "rungs": [{"rung": "user", "share": 0.2}, {"rung": "user_name_gpus", "share": 0.8}],
    "notes": ["FIFO has a shorter average JCT than QSSF on 1 of 2 VCs that queue: vcA."],
}


def test_sentences_say_the_gap_the_ranking_and_where_a_control_wins():
    gap, ranking, wins = (plain(each) for each in sentences(ENTRY))
    assert gap == "QSSF closes 90 % of the gap in average queueing between FIFO and true GPU time."
    assert ranking == (
        "Estimates: rank correlation with true GPU time 0.77 and 0.50 with true durations at equal GPU "
        "counts; made of the mean of jobs of the same user, name and GPUs 80 % and user 20 %."
    )
    assert wins == ENTRY["notes"][0]


def test_where_qssf_waits_longer_than_fifo_it_widens_the_gap():
    worse = ENTRY | {"orders": [order("qssf", 200.0, -0.64)]}
    assert "QSSF widens the gap" in sentences(worse)[0] and plain(sentences(worse)[0]).endswith("by 64 %.")


def test_where_there_is_no_gap_or_too_few_jobs_that_is_said():
    nothing = ENTRY | {"orders": [order("qssf", 0.0, None)], "rank_correlation": None}
    gap, ranking, _ = sentences(nothing | {"rank_correlation_within_gpus": None})
    assert "no gap to close" in gap and "too few jobs to rank" in ranking


def test_the_table_has_a_row_per_order_in_a_fixed_order():
    found = rows([ENTRY])
    assert list(found["order"]) == ["fifo", "qssf", "true_gpu_time"]
    assert list(found["closed_gap"]) == [0, 0.9, 1]
    cells = table([ENTRY], found).children[1].children[0].children.data["body"]
    assert [plain(cell) for cell in cells[1]] == ["QSSF", "1 min 40 s", "2 min 40 s", "90 %"]
    assert "Earth" not in text_of(table([ENTRY], found))
    assert "Earth" in text_of(table([ENTRY, ENTRY | {"cluster": "Venus"}], found))


def test_every_order_and_rung_has_a_name():
    from components.replay_worth import RUNGS

    assert set(ORDERS) == {*worth.ORDERS, "user_mean"} and set(orders.CONTROLS) <= set(ORDERS)
    assert set(ALL_RUNGS) <= set(RUNGS)
