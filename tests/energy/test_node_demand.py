"""Slots of 10 minutes from series and from step functions."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from energy import EnergyError, slots_from_series, slots_from_steps

START = pd.Timestamp("2020-09-01")


def series(*rows):
    frame = pd.DataFrame(rows, columns=["time", "used", "total"])
    return frame.assign(time=pd.to_datetime(frame["time"], format="ISO8601")).astype(
        {"used": float, "total": float}
    )


def test_a_slot_holds_the_maxima_of_its_rows_in_any_order_with_duplicates():
    slots = slots_from_series(
        series(
            ("2020-09-01 00:15", 3, 9),
            ("2020-09-01 00:00", 5, 10),
            ("2020-09-01 00:09:59", 7, 9),
            ("2020-09-01 00:00", 6, 10),
        )
    )
    assert slots["time"].tolist() == [START, START + pd.Timedelta("10min")]
    assert slots["used"].tolist() == [7, 3]
    assert slots["total"].tolist() == [10, 9]


def test_gaps_and_values_that_are_no_number_of_nodes_stay_missing_with_their_reason():
    slots = slots_from_series(
        series(
            ("2020-09-01 00:00", 5, 10),
            ("2020-09-01 00:20", np.nan, 10),
            ("2020-09-01 00:30", -1, 10),
            ("2020-09-01 00:40", np.inf, 10),
        )
    )
    assert slots["missing"].fillna("known").tolist() == ["known", "gap"] + ["no usable value"] * 3
    assert slots["used"].notna().tolist() == [True] + [False] * 4


def test_slots_reach_to_the_end_of_the_window_and_no_row_beyond_it_is_read():
    rows = series(("2020-09-01 00:00", 5, 10), ("2020-09-01 00:30", 9, 10))
    assert slots_from_series(rows, START + pd.Timedelta("20min"))["used"].tolist() == pytest.approx(
        [5, np.nan], nan_ok=True
    )


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (series().drop(columns="total"), "no column 'total'"),
        (series(), "no row"),
        (series(("2020-09-01", 1, 1)).astype({"time": str}), "naive UTC"),
        (series(("2020-09-01", 1, 1)).astype({"used": str}), "'used' must hold numbers"),
        (series(("2020-09-01", 1, 1), (None, 1, 1)), "Row 1 of the series has no time"),
        (series(("1970-01-01", 1, 1), ("2020-09-01", 1, 1)), "check its dates"),
    ],
)
def test_an_unusable_series_is_named_in_one_sentence(frame, says):
    with pytest.raises(EnergyError, match=says):
        slots_from_series(frame)


def test_a_step_counts_in_every_slot_that_it_touches_and_a_drop_at_a_slots_start_only_before_it():
    slots = slots_from_steps(START, [30, 600, 1300, 1300, 1500], [4, 1, 8, 6, 0], 10, 2400)
    #          0–600: 0 then 4; 600–1200: 1; 1200–1800: 1, 6 (the last at 1300 s), 0; then 0
    assert slots["used"].tolist() == [4, 1, 6, 0]
    assert slots["total"].tolist() == [10] * 4


def test_a_start_off_the_slot_grid_shifts_the_steps_and_not_the_slots():
    slots = slots_from_steps(START + pd.Timedelta("5min"), [0, 400], [2, 3], 10, 600)
    assert slots["time"].tolist() == [START, START + pd.Timedelta("10min")]
    assert slots["used"].tolist() == [2, 3]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 7199), st.integers(0, 9)), max_size=30, unique_by=lambda step: step[0]
    ).map(sorted)
)
def test_slots_of_a_step_function_equal_its_maximum_second_by_second(steps):
    used, now, by_second = dict(steps), 0, []
    for second in range(7200):
        now = used.get(second, now)
        by_second.append(now)
    slots = slots_from_steps(START, [t for t, _ in steps], [u for _, u in steps], 10, 7200)
    assert slots["used"].tolist() == np.array(by_second).reshape(-1, 600).max(axis=1).tolist()
