"""What is marked as a telemetry outage, and what is not."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import mark_outages, slots_from_series

START = pd.Timestamp("2020-09-01")


def marked(used, total=20.0):
    time = pd.date_range(START, periods=len(used), freq="10min")
    frame = pd.DataFrame({"time": time, "used": np.asarray(used, float), "total": total})
    return mark_outages(slots_from_series(frame))


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
    assert slots["missing"].dropna().to_dict() == {50: "total below 60 % of usual"}
    assert np.isnan(slots["total"][50])


def test_a_lasting_smaller_total_becomes_the_usual_one():
    slots = marked(np.full(2000, 3), np.r_[np.full(900, 20.0), np.full(1100, 8.0)])
    assert slots["missing"][900] == "total below 60 % of usual"
    assert slots["missing"][1500:].isna().all()


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
        "total below 60 % of usual": 6,
    }
