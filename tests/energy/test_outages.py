"""What is marked as a telemetry outage, and what is not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import EnergyError, Overrule, Span, mark_outages, mark_spans, slots_from_series

START = pd.Timestamp("2020-09-01")


def marked(used, total=20.0, overrule=None):
    time = pd.date_range(START, periods=len(used), freq="10min")
    frame = pd.DataFrame({"time": time, "used": np.asarray(used, float), "total": total})
    return mark_outages(slots_from_series(frame), overrule)


def test_a_zero_run_after_an_implausible_drop_is_missing_however_long():
    slots = marked([12, 13, 12, 12] * 10 + [0] * 30 + [12] * 5)
    assert (slots["missing"] == "zero run").to_numpy().nonzero()[0].tolist() == list(range(40, 70))
    assert slots["used"][40:70].isna().all()
    assert slots["recorded"][40:70].eq(0).all()


def test_a_zero_run_after_a_gap_is_judged_by_the_last_value_before_the_gap():
    slots = marked([12, 13, 12, 12] * 10 + [np.nan] * 5 + [0] * 5 + [12])
    assert slots["missing"].tolist()[40:50] == ["no usable value"] * 5 + ["zero run"] * 5


def test_a_second_outage_is_found_although_the_first_one_filled_most_of_the_week():
    slots = marked([12, 13] * 20 + [0] * 800 + [12, 13] * 20 + [0] * 3 + [12])
    assert slots["missing"].notna().sum() == 803


def test_a_datacenter_that_drains_step_by_step_is_idle_and_not_out():
    assert marked([12, 12, 13] * 20 + [10, 8, 6, 4, 2, 0, 0, 0, 2, 4]).missing.isna().all()


def test_an_often_idle_datacenter_is_not_out_when_its_only_job_ends():
    assert marked(([0] * 20 + [8] * 3) * 10).missing.isna().all()


def test_a_small_cluster_whose_gangs_free_it_wholly_now_and_then_is_not_out():
    assert marked([8, 8, 4, 4, 8, 0, 4, 8, 8, 4, 0, 0, 8, 8, 4] * 20, 8.0).missing.isna().all()


def test_a_noisy_datacenter_that_is_never_below_half_its_usual_is_out_at_zero():
    noisy = np.random.default_rng(2).integers(40, 61, 300)
    assert marked(np.r_[noisy, np.zeros(10), noisy], 100.0)["missing"].eq("zero run").sum() == 10


def test_a_cluster_that_is_empty_every_night_is_taken_for_idle_after_five_nights():
    slots = marked(([8] * 100 + [0] * 44) * 9, 8.0)
    nights = slots["missing"].notna().to_numpy().reshape(9, 144).sum(axis=1)
    assert nights.tolist() == [44] * 5 + [0] * 4


def test_an_outage_that_flaps_within_a_day_stays_one():
    slots = marked([12, 13] * 100 + ([0] * 3 + [12]) * 12 + [12] * 20)
    assert (slots["missing"] == "zero run").sum() == 36


def test_too_few_known_slots_say_nothing_about_what_is_plausible():
    assert marked([12, 12, 0, 12]).missing.isna().all()


def test_zeros_from_end_to_end_are_demand():
    assert marked([0] * 300)["used"].eq(0).all()


def test_a_total_below_sixty_per_cent_of_the_trailing_week_makes_used_and_total_unknown():
    total = np.r_[np.full(50, 20.0), 11.0, 12.0, np.full(10, 20.0)]
    slots = marked(np.full(62, 9), total)
    # 12 of 20 are not below 60 %, but a step down
    assert slots["missing"].dropna().to_dict() == {50: "total below 60 % of usual", 51: "capacity step"}
    assert np.isnan(slots["total"][50])
    assert slots["total"][51] == 12


def test_a_lasting_smaller_total_becomes_the_usual_one():
    slots = marked(np.full(2000, 3), np.r_[np.full(900, 20.0), np.full(1100, 8.0)])
    assert (slots["missing"][900:1043] == "total below 60 % of usual").all()
    assert slots["missing"][1043:].isna().all()  # steady for a day: the new capacity
    assert slots["total"][1043:].eq(8).all()


def test_the_slot_of_a_capacity_step_is_unknown_and_the_next_ones_are_not():
    slots = marked(np.full(300, 3), np.r_[np.full(100, 100.0), np.full(100, 110.0), np.full(100, 108.0)])
    assert slots["missing"].dropna().to_dict() == {100: "capacity step"}  # 110 to 108 are nodes in repair
    assert np.isnan(slots["used"][100])
    assert slots["total"][100] == 110


def test_a_total_that_wanders_makes_no_capacity_steps():
    total = np.random.default_rng(4).integers(60, 100, 500)
    assert marked(np.full(500, 3), total)["missing"].isna().all()


def told_twice(first_hour=3, hours=1, copies_differ=True):
    """A day of minutes, of which some hours are written once more, as a local clock does in autumn."""
    rows = pd.DataFrame(
        {"time": pd.date_range(START, periods=1440, freq="1min"), "used": 12.0, "total": 20.0}
    )
    again = rows[(rows["time"].dt.hour >= first_hour) & (rows["time"].dt.hour < first_hour + hours)]
    return mark_outages(
        slots_from_series(pd.concat([rows, again.assign(used=9.0 if copies_differ else 12.0)]))
    )


def test_an_hour_that_is_told_twice_is_missing_and_keeps_what_was_recorded():
    slots = told_twice()
    assert slots["missing"].dropna().to_dict() == dict.fromkeys(range(18, 24), "repeated hour")
    assert slots["used"][18:24].isna().all()
    assert slots["recorded"].eq(12).all()


def test_rows_that_are_written_twice_alike_are_no_repeated_hour():
    assert told_twice(copies_differ=False)["missing"].isna().all()


def test_a_series_that_contradicts_itself_all_day_is_not_a_repeated_hour():
    slots = told_twice(first_hour=0, hours=24)
    assert slots["missing"].dropna().index.tolist() == list(range(6))  # nothing says so in its first hour


def test_the_operator_can_keep_a_mark_and_drop_a_span():
    used = [12, 13, 12, 12] * 10 + [0] * 30 + [12] * 50
    spans = [
        Span(START + pd.Timedelta(minutes=10 * a), START + pd.Timedelta(minutes=10 * b))
        for a, b in ((38, 60), (80, 90))
    ]
    slots = marked(used, overrule=Overrule(keep=(spans[0],), drop=(spans[1],)))
    assert slots["used"][40:60].eq(0).all()
    assert slots["kept"].dropna().index.tolist() == list(range(40, 60))
    assert (slots["missing"][60:70] == "zero run").all()
    assert (slots["missing"][80:90] == "dropped by the operator").all()
    assert slots["used"][80:90].isna().all()


def test_a_kept_low_total_has_its_total_again_and_a_gap_cannot_be_kept():
    total = np.r_[np.full(50, 20.0), 11.0, np.full(10, 20.0)]
    used = np.r_[np.full(58, 9.0), np.nan, 9.0, 9.0]
    always = Span(START, START + pd.Timedelta(days=1))
    slots = marked(used, total, Overrule(keep=(always,)))
    assert slots["total"][50] == 11
    assert slots["used"][50] == 9
    assert slots["missing"].dropna().to_dict() == {58: "no usable value"}


def test_a_span_that_ends_before_it_begins_is_refused():
    with pytest.raises(EnergyError, match="must end after it begins"):
        marked([1, 2], overrule=Overrule(drop=(Span(START, START),)))


def test_marks_are_listed_as_spans_with_their_reason_and_what_was_recorded():
    used = [12, 13, 12, 12] * 10 + [0] * 30 + [12] * 5
    keep = Span(START + pd.Timedelta(minutes=600), START + pd.Timedelta(days=9))
    slots = marked(used, overrule=Overrule(keep=(keep,)))
    common = {"reason": "zero run", "recorded_mean_nodes": 0.0}
    assert mark_spans(slots) == [
        {**common, "from": "2020-09-01T06:40:00Z", "to": "2020-09-01T10:00:00Z", "slots": 20, "kept": False},
        {**common, "from": "2020-09-01T10:00:00Z", "to": "2020-09-01T11:40:00Z", "slots": 10, "kept": True},
    ]


def test_the_rhythm_of_an_hourly_series_is_no_mark_and_a_longer_gap_is():
    time = pd.date_range(START, periods=100, freq="1h").delete(range(50, 53))
    slots = mark_outages(slots_from_series(pd.DataFrame({"time": time, "used": 5.0, "total": 9.0})))
    [gap] = mark_spans(slots)
    assert (gap["from"], gap["slots"]) == ("2020-09-03T01:10:00Z", 23)


def test_more_nodes_used_than_present_is_a_contradiction():
    assert marked([5, 21, 5])["missing"].dropna().to_dict() == {1: "used above total"}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from([0, 0, 3, 10, 12, 12, 12, 30, np.nan]), min_size=2, max_size=120), st.data())
def test_what_is_marked_never_depends_on_a_later_slot(used, data):
    cut = data.draw(st.integers(1, len(used)))
    pd.testing.assert_frame_equal(marked(used).iloc[:cut], marked(used[:cut]))


def test_the_outages_of_the_philly_series_are_found(shared):
    rows = pd.read_csv(shared / "data/philly/nodes_until_2017-11-30.csv", parse_dates=["time"])
    slots = mark_outages(slots_from_series(rows.rename(columns={"active": "used"})))
    assert slots["missing"].value_counts().to_dict() == {
        "zero run": 108,
        "gap": 59,
        "capacity step": 2,  # two days of 552 nodes
        "total below 60 % of usual": 6,
    }
