"""What users hold, against pandas: the synthetic datacenter, the window's edges, and what is unknown."""

from pathlib import Path

import pandas as pd
import pytest

from queries import fetch
from tests import synthetic
from tests.stored_trace import job, store

START, END = pd.Timestamp("2020-09-01 16:00"), pd.Timestamp("2020-09-08 16:00")
SCOPE = {"clusters": [], "vcs": [], "start": START, "end": END}


@pytest.mark.parametrize("chosen", [{}, {"clusters": ["Earth"]}, {"vcs": ["vcB"]}])
def test_a_users_sums_are_those_of_the_jobs_of_the_window(data: Path, chosen: dict) -> None:
    synthetic.write(data)
    frame = synthetic.synthetic_jobs()
    frame = frame[(frame["submit_time"] >= START) & (frame["submit_time"] < END)]
    for column, values in chosen.items():
        frame = frame[frame[column.removesuffix("s")].isin(values)]
    users = fetch("users", trace="demo", **{**SCOPE, **chosen}).set_index(["cluster", "user"])
    on_gpus = frame["gpu_num"] > 0
    keys = [frame["cluster"], frame["user"]]

    def added(values: pd.Series) -> dict:
        return values.groupby(keys).sum().to_dict()

    gpu_s = frame["gpu_num"] * frame["duration_s"]
    lost = on_gpus & (frame["state"] != "COMPLETED")
    assert users["jobs"].to_dict() == frame.groupby(keys).size().to_dict()
    assert users["gpu_jobs"].to_dict() == added(on_gpus)
    assert users["completed_gpu_jobs"].to_dict() == added(on_gpus & (frame["state"] == "COMPLETED"))
    assert users["gpu_s"].to_dict() == pytest.approx(added(gpu_s))
    assert users["lost_gpu_s"].to_dict() == pytest.approx(added(gpu_s.where(lost, 0.0)))
    assert users["cpu_s"].to_dict() == pytest.approx(added((4 * frame["duration_s"]).where(~on_gpus, 0.0)))
    assert users["queueing_delay_s"].to_dict() == pytest.approx(
        added(frame["queueing_delay_s"].where(on_gpus, 0.0))
    )


def test_a_sum_of_nothing_is_zero_and_a_sum_of_unknowns_is_unknown(data: Path) -> None:
    rows = [
        job(user="cpu", submit_time=START, gpu_num=0.0, cpu_num=2, duration_s=5.0),
        job(user="open", submit_time=START, state="RUNNING"),
        job(user=None, submit_time=START, duration_s=9.0),
        job(user="late", submit_time=END, duration_s=9.0),
    ]
    store(data, "t", rows)
    users = fetch("users", trace="t", **SCOPE)
    assert set(users["user"].dropna()) == {"cpu", "open"}
    assert users[users["user"].isna()]["jobs"].tolist() == [1]
    by_user = users.set_index("user")
    assert (by_user.loc["cpu", "gpu_s"], by_user.loc["cpu", "cpu_s"]) == (0.0, 10.0)
    assert pd.isna(by_user.loc["open", "gpu_s"]) and pd.isna(by_user.loc["open", "queueing_delay_s"])
    assert (by_user.loc["open", "ended_gpu_jobs"], by_user.loc["open", "lost_gpu_s"]) == (0, 0.0)


def test_pseudonyms_number_the_users_by_their_first_submission(data: Path) -> None:
    rows = [
        job(user=user, submit_time=START + pd.Timedelta(hours=hour))
        for hour, user in enumerate(["zoe", "bob", "zoe", "ann", None])
    ]
    store(data, "t", rows)
    names = fetch("user_pseudonyms", trace="t")
    assert dict(zip(names["user"], names["pseudonym"], strict=True)) == {
        "zoe": "user 1",
        "bob": "user 2",
        "ann": "user 3",
    }


def test_real_venus_users_hold_what_pandas_says(data: Path, shared: Path) -> None:
    """The file has no start times, so nobody's queueing is known."""
    source = pd.read_csv(shared / "data/helios/venus_2vc_sept.csv")
    local = pd.to_datetime(source["submit_time"]).dt.tz_localize("Asia/Shanghai")
    frame = source.rename(columns={"duration": "duration_s"}).assign(
        cluster="Venus", submit_time=local.dt.tz_convert("UTC").dt.tz_localize(None), flags=[[]] * len(source)
    )
    frame = frame.astype({"gpu_num": float, "duration_s": float, "job_id": str})
    store(data, "venus", frame.reindex(columns=list(job(submit_time=START))), timezone="Asia/Shanghai")
    window = {"start": pd.Timestamp("2020-09-04 16:00"), "end": pd.Timestamp("2020-09-20 16:00")}
    days = local.dt.strftime("%Y-%m-%d")
    inside = source[(days >= "2020-09-05") & (days < "2020-09-21")]
    users = fetch("users", trace="venus", clusters=[], vcs=[], **window).set_index("user")
    gpu_s = (inside["gpu_num"] * inside["duration"]).groupby(inside["user"]).sum()
    completed = (inside["state"] == "COMPLETED").groupby(inside["user"]).sum()
    assert users["gpu_s"].to_dict() == pytest.approx(gpu_s.to_dict())
    assert users["completed_gpu_jobs"].to_dict() == completed.to_dict()
    assert users["queueing_delay_s"].isna().all()
