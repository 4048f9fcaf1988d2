"""Uploads and the import folder: what may be named, what is stored, what is refused."""

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import settings
from runs import RunError, import_files


@pytest.fixture
def folder(data_folder, tmp_path, monkeypatch):
    home = tmp_path / "inbox"
    (home / "venus").mkdir(parents=True)
    (home / "jobs.csv").write_text("a,b\n1,2\n")
    (home / "venus/cluster_log.csv").write_text("a,b\n1,2\n")
    (home / ".hidden.csv").write_text("secret")
    (tmp_path / "outside.csv").write_text("secret")
    (home / "out.csv").symlink_to(tmp_path / "outside.csv")
    monkeypatch.setenv("HELIOGRAPH_IMPORT_FOLDER", str(home))
    settings.current.cache_clear()
    return home


def test_an_upload_keeps_its_name_in_a_folder_of_its_own(data_folder):
    source = import_files.receive("jobs.csv", [b"a,b\n", b"1,2\n"], 8)
    path = import_files.resolved(source)
    assert path.name == "jobs.csv"
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert import_files.receive("jobs.csv", [b"x"], 1) != source


@pytest.mark.parametrize("parts", [[b"abc"], [b"abcdefgh", b"i"], []])
def test_an_upload_that_is_cut_off_or_too_long_leaves_nothing(data_folder, parts):
    with pytest.raises(RunError, match="cut off"):
        import_files.receive("jobs.csv", parts, 8)
    assert list(import_files.uploads().iterdir()) == []


def test_a_file_that_is_too_large_or_empty_is_refused_before_it_is_read(data_folder, monkeypatch):
    monkeypatch.setenv("HELIOGRAPH_UPLOAD_MB", "1")
    settings.current.cache_clear()
    with pytest.raises(RunError, match="HELIOGRAPH_UPLOAD_MB"):
        import_files.receive("jobs.csv", iter(()), 1_000_001)
    with pytest.raises(RunError, match="empty"):
        import_files.receive("jobs.csv", iter(()), 0)


def test_a_disk_without_room_is_said(data_folder, monkeypatch):
    monkeypatch.setattr(import_files, "SPARE_BYTES", 1 << 62)
    with pytest.raises(RunError, match="no room"):
        import_files.receive("jobs.csv", [b"x"], 1)


@given(st.text())
def test_a_stored_name_never_leaves_its_folder(name):
    safe = import_files.safe_name(name)
    assert safe and not safe.startswith(".") and not set(safe) & set("/\\\0") and len(safe) <= 100


def test_the_import_folder_offers_what_is_inside_it_and_not_hidden(folder):
    offered = [each.path for each in import_files.offered()]
    assert offered == ["jobs.csv", "venus", "venus/cluster_log.csv"]
    assert import_files.resolved("folder/venus/cluster_log.csv").read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize(
    "source",
    [
        "folder/../outside.csv",
        "folder/venus/../../outside.csv",
        "folder//etc/passwd",
        "folder/out.csv",
        "folder/.hidden.csv",
        "folder/",
        "folder/gone.csv",
        "upload/../traces",
        "upload/" + "0" * 32,
        "upload/" + "0" * 31 + "/",
        "/etc/passwd",
        "",
    ],
)
def test_nothing_else_can_be_named(folder, source):
    with pytest.raises(RunError):
        import_files.resolved(source)


def test_a_folder_with_a_link_that_leads_out_is_refused(folder, tmp_path):
    (folder / "venus/gpus.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(RunError, match="leads out"):
        import_files.resolved("folder/venus")


def test_what_is_no_file_is_neither_offered_nor_taken(folder):
    before = [each.path for each in import_files.offered()]
    (folder / "dangling.csv").symlink_to(folder / "gone")
    (folder / "circle.csv").symlink_to(folder / "circle.csv")
    os.mkfifo(folder / "pipe.csv")
    assert [each.path for each in import_files.offered()] == before
    for name in ("dangling.csv", "circle.csv", "pipe.csv", "x" * 300, "a\0b"):
        with pytest.raises(RunError, match="no file"):
            import_files.resolved(f"folder/{name}")


def test_without_an_import_folder_nothing_is_offered(data_folder):
    assert import_files.offered() == []
    with pytest.raises(RunError):
        import_files.resolved("folder/jobs.csv")


def test_uploads_are_removed_when_they_are_older_than_they_are_kept(data_folder):
    old, new = (import_files.receive("jobs.csv", [b"x"], 1) for _ in range(2))
    day_before = time.time() - 25 * 3600
    os.utime(import_files.resolved(old).parent, (day_before, day_before))
    import_files.sweep()
    assert import_files.resolved(new).exists()
    with pytest.raises(RunError, match="send the file again"):
        import_files.resolved(old)


def test_a_changed_file_has_another_state(folder):
    path = folder / "jobs.csv"
    before = import_files.state(path)
    path.write_text("a,b\n1,3\n3,4\n")
    assert import_files.state(path) != before
    before = import_files.state(folder / "venus")
    (folder / "venus/more.csv").write_text("x")
    assert import_files.state(folder / "venus") != before
