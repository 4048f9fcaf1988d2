"""What an address stands for: window, choices and time zone of the trace it names."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from flask.testing import FlaskClient

from components.filters import FilterError
from pages.scope import Scope, midnight
from tests.pages.test_app import page
from tests.stored_trace import job, store


def test_by_default_the_window_runs_from_the_first_local_midnight_to_the_second_after_the_last_submission(
    data: Path, scope: Callable[..., Scope]
) -> None:
    whole = scope(trace="demo")
    assert whole.start_time == pd.Timestamp("2020-08-31 16:00")
    assert whole.end_time == whole.data_as_of + pd.Timedelta(seconds=1)
    assert (whole.first_day, whole.last_day) == (date(2020, 9, 1), date(2020, 9, 14))


def test_chosen_days_are_days_of_the_traces_time_zone(data: Path, scope: Callable[..., Scope]) -> None:
    two = scope(**{"trace": "demo", "from": "2020-09-03", "to": "2020-09-05"})
    assert (two.start_time, two.end_time) == (
        pd.Timestamp("2020-09-02 16:00"),
        pd.Timestamp("2020-09-04 16:00"),
    )
    assert two.window_text() == "3 Sep 2020 – 4 Sep 2020"


def test_the_last_day_ends_with_the_data(data: Path, scope: Callable[..., Scope]) -> None:
    last = scope(**{"trace": "demo", "from": "2020-09-14", "to": "2020-09-15"})
    assert last.end_time == last.data_as_of + pd.Timedelta(seconds=1)


def test_a_window_without_an_instant_is_refused(data: Path, scope: Callable[..., Scope]) -> None:
    with pytest.raises(FilterError, match="hold nothing"):
        scope(**{"trace": "demo", "from": "2020-09-05", "to": "2020-09-05"})


def test_the_vcs_on_offer_are_those_of_the_chosen_clusters(data: Path, scope: Callable[..., Scope]) -> None:
    assert scope(trace="demo").choices().vcs == ("vcA", "vcB", "vcC", "vcD")
    assert scope(trace="demo", cluster="Venus").choices().vcs == ("vcA", "vcB")


def test_without_a_trace_in_the_address_the_first_one_with_jobs_is_shown(
    data: Path, scope: Callable[..., Scope]
) -> None:
    report = {"report": {"rows_read": 1, "rows_kept": 1, "rows_flagged": {}, "rows_rejected": {}}}
    store(data, "a series only", [job(submit_time="2020-09-01")], **report)
    assert scope().trace == "demo"


def test_a_midnight_that_the_clocks_skip_is_the_end_of_the_gap() -> None:
    assert midnight(date(2018, 11, 4), "America/Sao_Paulo") == pd.Timestamp("2018-11-04 03:00")
    assert midnight(date(2020, 3, 29), "Europe/Berlin") == pd.Timestamp("2020-03-28 23:00")


@pytest.mark.parametrize(
    "address",
    [
        *("/?cluster=Mars", "/clusters?vc=vcZ", "/vcs?cluster=Venus&cluster=Mars", "/jobs?from=soon"),
        *("/queueing?vc=vcZ", "/users?from=2031-01-01", "/users/u07?cluster=Mars", "/jobs/find?cluster=Mars"),
        *("/jobs/find?gpu_num=many", "/jobs/find?sort=luck", "/compare?cluster=Mars"),
        *("/scheduling?cluster=Mars", "/scheduling?from=2031-01-01", "/scheduling?policy=luck"),
        *("/scheduling/sweep?cluster=Mars", "/scheduling/plan?vc=vcZ"),
        *("/energy?cluster=Mars", "/energy?from=soon", "/energy?model=luck"),
        *("/compare?b.trace=gone", "/compare?b.trace=demo&b.vc=vcZ"),
    ],
)
def test_an_address_that_chooses_what_is_not_there_is_a_404_page_with_a_way_back(
    data: Path, client: FlaskClient, address: str
) -> None:
    assert client.get(address).status_code == 404
    path, _, query = address.partition("?")
    shown = page(client, path, f"?{query}")
    assert "This address" in shown and '"href": "/"' in shown


def test_an_address_without_a_choice_is_there_before_the_first_import(
    empty: Path, client: FlaskClient
) -> None:
    described = ("/", "/clusters", "/vcs", "/jobs", "/jobs/find", "/queueing", "/users", "/compare")
    for path in (*described, "/scheduling", "/scheduling/sweep", "/scheduling/plan", "/energy"):
        assert client.get(f"{path}?cluster=Venus").status_code == 200


def test_a_key_with_nothing_behind_it_is_not_given(data: Path, client: FlaskClient) -> None:
    blank = "trace=&cluster=&vc=&from=&to="
    for path in ("/", "/jobs", "/jobs/find", "/compare", "/scheduling", "/scheduling/sweep", "/energy"):
        assert client.get(f"{path}?{blank}").status_code == 200


def test_an_energy_what_if_may_name_days_outside_of_the_trace(data: Path, client: FlaskClient) -> None:
    assert client.get("/energy?trace=demo&from=2031-01-01").status_code == 200
