"""GPUs over time on a replay's clock."""

import datetime as dt

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from runs.quota import Quota, constant, over_time, together
from runs.window import Window

SPAN = Window(pd.Timestamp("2020-04-01 16:00"), pd.Timestamp("2020-04-03 16:00"), "Asia/Shanghai")
DAY_S = 86_400.0


def dated(*rows):
    return pd.DataFrame(rows, columns=["vc", "date", "gpus"])


def test_a_dated_row_holds_from_its_local_midnight_and_the_last_one_before_the_window_at_its_start():
    rows = dated(
        ("a", dt.date(2020, 3, 1), 8),
        ("a", dt.date(2020, 4, 2), 16),
        ("a", dt.date(2020, 4, 3), 24),
        ("b", dt.date(2020, 4, 3), 4),
    )
    made = over_time(rows, SPAN)
    assert made["a"] == Quota((0.0, DAY_S), (16, 24))
    assert made["b"] == Quota((0.0,), (4,))  # the first row also holds before it


def test_nodes_that_leave_on_a_date_are_there_until_then():
    changed = constant(16).plus(-8, from_s=100)
    assert list(changed.at(np.array([-5.0, 0.0, 99.0, 100.0, 1e9]))) == [16, 16, 16, 8, 8]


def test_a_quota_that_never_changes_is_a_plain_number_of_gpus():
    assert Quota((0.0, 5.0), (12, 12)).capacity(8) == 12
    full, rest = Quota((0.0, 5.0), (8, 12)).capacity(8)
    assert (list(full.nodes), list(rest.nodes), rest.gpus_per_node) == ([1, 1], [0, 1], 4)


quotas = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 64)), min_size=1, max_size=5).map(
    lambda steps: Quota(
        tuple(float(t) for t in sorted(dict(steps))), tuple(g for _, g in sorted(dict(steps).items()))
    )
)
INSTANTS = np.arange(-5.0, 60.0)


@given(quotas, quotas)
def test_two_quotas_together_have_the_gpus_of_both_at_every_instant(one, other):
    assert (together(one, other).at(INSTANTS) == one.at(INSTANTS) + other.at(INSTANTS)).all()


@given(quotas, st.integers(-80, 80), st.integers(-5, 60))
def test_a_change_from_an_instant_on_leaves_what_is_before_and_never_goes_below_none(quota, gpus, from_s):
    changed = quota.plus(gpus, float(from_s)).at(INSTANTS)
    expected = np.where(from_s <= INSTANTS, np.maximum(quota.at(INSTANTS) + gpus, 0), quota.at(INSTANTS))
    assert (changed == expected).all()
