"""Archives that want more than they should get."""

import gzip
import zipfile

import pytest

import settings
from traces import TraceError, csv_table, helios
from traces.inputs import contents

ROW = "2020-04-01 00:00:00,1,60\n"
HEADER = "submit_time,gpu_num,duration\n"


@pytest.fixture
def one_megabyte(monkeypatch):
    monkeypatch.setenv("HELIOGRAPH_IMPORT_MOST_MB", "1")
    settings.current.cache_clear()
    yield
    settings.current.cache_clear()


@pytest.mark.parametrize("entry", ["../jobs.csv", "/etc/jobs.csv", "a/../../jobs.csv", "..\\jobs.csv"])
def test_an_entry_that_leads_out_of_the_archive_is_refused(tmp_path, entry):
    with zipfile.ZipFile(tmp_path / "jobs.zip", "w") as archive:
        archive.writestr(entry, HEADER + ROW)
    with pytest.raises(TraceError, match="leads out of the archive"):
        list(contents(tmp_path / "jobs.zip"))
    with pytest.raises(TraceError, match="leads out of the archive"):
        list(helios.read(tmp_path / "jobs.zip"))


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path, one_megabyte):
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("jobs.csv", HEADER + ROW * 100_000)
    assert (tmp_path / "bomb.zip").stat().st_size < 50_000
    with pytest.raises(TraceError, match="HELIOGRAPH_IMPORT_MOST_MB"):
        list(contents(tmp_path / "bomb.zip"))


def test_a_gzip_file_that_unpacks_to_too_much_is_refused(tmp_path, one_megabyte):
    (tmp_path / "jobs.csv.gz").write_bytes(gzip.compress((HEADER + ROW * 100_000).encode()))
    with pytest.raises(TraceError, match="HELIOGRAPH_IMPORT_MOST_MB"):
        csv_table.read(tmp_path / "jobs.csv.gz", "C", "UTC")


def test_what_is_allowed_is_read(tmp_path, one_megabyte):
    (tmp_path / "jobs.csv.gz").write_bytes(gzip.compress((HEADER + ROW * 1_000).encode()))
    assert len(csv_table.read(tmp_path / "jobs.csv.gz", "C", "UTC").jobs) == 1_000
