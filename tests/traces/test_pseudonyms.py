"""`--pseudonymize`: no name leaves the machine, and what belongs together still does."""

import multiprocessing
import re
import stat

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.sacct_extracts import extract, job
from traces import TraceError, intake, pseudonyms
from traces.catalog import Catalog
from traces.formats import Wishes
from traces.intake import Plan

KEY = bytes(32)
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def bring_in(tmp_path):
    def bring_in(*rows, pseudonymize=True, trace="T"):
        path = tmp_path / "secret-extract.txt"
        path.write_text(extract(*rows))
        plan = Plan(path, "slurm", Wishes(timezone="UTC"), trace, pseudonymize=pseudonymize)
        return intake.publish(tmp_path / "data", plan)

    return bring_in


def test_no_user_and_no_job_name_is_anywhere_in_the_trace(bring_in, tmp_path):
    bring_in(
        job(1, User="annabel", JobName="annabels_thesis"),
        job(2, User="annabel", JobName="thesis", Submit="annabel"),
        job(3, User="bob", Submit=""),
    )
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file():
            assert b"annabel" not in path.read_bytes(), path
            assert b"thesis" not in path.read_bytes(), path
    entry = Catalog(tmp_path / "data").manifest("T")["clusters"]["alpha"]
    assert entry["pseudonymized"]
    assert entry["report"]["rows_rejected"] == {"missing_submit_time": 1, "unparsable_submit_time": 1}
    assert {each["text"] for each in entry["report"]["rejected_examples"]} == {pseudonyms.WITHHELD}


def test_the_same_user_is_the_same_in_every_import_and_another_is_another(bring_in, tmp_path):
    bring_in(job(1, User="ann"), job(2, User="bob"))
    bring_in(job(1, User="ann"), job(3, User="ann"))
    jobs = pd.read_parquet(Catalog(tmp_path / "data").folder("T") / "jobs/alpha.parquet").set_index("job_id")
    assert jobs.user["1"] == jobs.user["3"] != jobs.user["2"]
    assert re.fullmatch(r"u[a-z2-7]{10}", jobs.user["1"])


def test_the_salt_stays_in_the_data_folder_readable_by_its_owner_alone(bring_in, tmp_path):
    bring_in(job(1))
    path = tmp_path / "data" / "salt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    salt = pseudonyms.salt(tmp_path / "data")
    assert len(salt) == 32
    for file in (tmp_path / "data" / "traces").rglob("*"):
        assert not file.is_file() or salt.hex().encode() not in file.read_bytes()


def test_two_data_folders_have_two_salts_and_a_damaged_one_is_refused(tmp_path):
    assert (
        pseudonyms.salt(tmp_path / "a") == pseudonyms.salt(tmp_path / "a") != pseudonyms.salt(tmp_path / "b")
    )
    (tmp_path / "a" / "salt").write_text("")
    with pytest.raises(TraceError, match="is no salt"):
        pseudonyms.salt(tmp_path / "a")


def test_first_imports_at_the_same_time_agree_on_one_salt(tmp_path):
    with FORK.Pool(4) as pool:
        assert len(set(pool.map(pseudonyms.salt, [tmp_path] * 8))) == 1


def test_names_of_one_template_stay_alike():
    first, second = (pseudonyms.job_name(f"train_ResNet50-{seed}.sh", KEY) for seed in (3, 4))
    assert first != second
    assert first.rsplit("-", 1)[0] == second.rsplit("-", 1)[0]
    assert [re.sub(r"[a-z0-9]+", "", name) for name in (first, second)] == ["_-.", "_-."]
    assert pseudonyms.job_name("TRAIN", KEY) == pseudonyms.job_name("train", KEY)


def test_named_and_pseudonymous_jobs_are_never_mixed(bring_in):
    bring_in(job(1))
    with pytest.raises(TraceError, match="was imported with --pseudonymize"):
        bring_in(job(2), pseudonymize=False)
    bring_in(job(1), pseudonymize=False, trace="U")
    with pytest.raises(TraceError, match="was imported without --pseudonymize"):
        bring_in(job(2), trace="U")


@given(st.text(max_size=30), st.binary(min_size=32, max_size=32))
def test_a_pseudonym_depends_on_the_salt_and_on_nothing_else(name, key):
    assert pseudonyms.job_name(name, key) == pseudonyms.job_name(name, key)
    assert pseudonyms.user(name, key) != pseudonyms.user(name, bytes(31) + b"\1") or key == bytes(31) + b"\1"
