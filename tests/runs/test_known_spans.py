"""What the operator knows: spans to keep and to drop, and holidays, in the trace's time zone."""

import pandas as pd
import pytest

from energy import Span
from runs import RunError, known_spans
from runs.scenario import EnergyScenario, document, scenario


def wanted(**known):
    return EnergyScenario("t", "C", **known)


def test_spans_are_read_in_the_traces_time_zone():
    settings = wanted(keep=("2020-09-01/2020-09-01T06:00",), drop=("2020-09-02T00:00Z/2020-09-03",))
    overrule = known_spans.overrule(settings, "Asia/Shanghai")
    assert overrule.keep == (Span(pd.Timestamp("2020-08-31 16:00"), pd.Timestamp("2020-08-31 22:00")),)
    assert overrule.drop == (Span(pd.Timestamp("2020-09-02"), pd.Timestamp("2020-09-02 16:00")),)


def test_a_holiday_is_a_local_day_however_long():
    [day] = known_spans.holidays(wanted(holidays=("2017-11-05",)), "America/Los_Angeles")
    assert day.end_time - day.start_time == pd.Timedelta(hours=25)


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ({"keep": ("2020-09-01",)}, "--keep is '2020-09-01'; give a span as FROM/TO"),
        ({"drop": ("2020-09-02/2020-09-01",)}, "--drop .* does not end after it begins"),
        ({"holidays": ("1 Oct",)}, "The holiday '1 Oct' is no date"),
    ],
)
def test_unreadable_spans_and_dates_are_refused_in_one_sentence(known, says):
    with pytest.raises(RunError, match=says):
        known_spans.overrule(wanted(**known), "UTC")
        known_spans.holidays(wanted(**known), "UTC")


def test_a_holidays_file_has_a_date_a_line_with_remarks(tmp_path):
    file = tmp_path / "holidays.csv"
    file.write_text("date,name\n2020-10-01,National Day\n\n2020-10-02 # bridge\n")
    assert known_spans.holiday_dates(file) == ("2020-10-01", "2020-10-02")
    file.write_text("2020-10-01\n2020-13-01\n")
    with pytest.raises(RunError, match=r"holidays\.csv, line 2: '2020-13-01' is no date"):
        known_spans.holiday_dates(file)
    with pytest.raises(RunError, match="cannot be read"):
        known_spans.holiday_dates(tmp_path / "absent")


def test_a_scenario_keeps_what_the_operator_knows():
    settings = wanted(keep=("2020-09-01/2020-09-02",), holidays=("2020-10-01",))
    assert scenario("energy", document(settings)) == settings
