"""Fewer points that look the same."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from components.figures.thinning import changes, thinned

VALUES = st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), max_size=300)


@settings(deadline=None)
@given(VALUES, st.integers(40, 80))
def test_a_thinned_line_is_short_enough_in_order_and_keeps_both_extremes(values, most):
    line = pd.DataFrame({"value": np.array(values, dtype=float)})
    kept = thinned(line, "value", most)
    assert len(kept) <= max(most, 0) or len(line) <= most
    assert kept.index.is_monotonic_increasing and kept.index.is_unique
    if line["value"].notna().any():
        assert kept["value"].max() == line["value"].max()
        assert kept["value"].min() == line["value"].min()


def test_a_gap_still_breaks_a_thinned_line():
    values = np.sin(np.arange(5000) / 50)
    values[2000:2400] = np.nan
    kept = thinned(pd.DataFrame({"value": values}), "value", 200)
    assert kept["value"].isna().sum() == 1 and 2000 in kept.index


@settings(deadline=None)
@given(st.lists(st.integers(0, 3) | st.none(), min_size=1, max_size=60))
def test_a_step_function_is_the_same_after_only_its_changes_are_kept(values):
    line = pd.DataFrame(
        {"value": np.array([np.nan if value is None else value for value in values], dtype=float)}
    )
    kept = changes(line, "value")
    place = np.searchsorted(kept.index.to_numpy(), line.index.to_numpy(), side="right") - 1
    np.testing.assert_array_equal(kept["value"].to_numpy()[place], line["value"].to_numpy())


def test_a_step_reaches_the_gap_that_ends_it():
    line = pd.DataFrame({"value": [5.0] * 4 + [np.nan] * 2 + [5.0] * 3})
    assert list(changes(line, "value").index) == [0, 3, 4, 6, 8]
