"""Where traces live on disk, and the file-system steps that a publication is made of."""

import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_MARK = ".writer"


def home(root: Path) -> Path:
    """The folder of all traces under the data folder `root`."""
    return Path(root) / "traces"


def trace_folder(root: Path, trace: str) -> Path:
    """The folder of one trace: its versions and the link `current`."""
    return home(root) / trace


def grave(root: Path) -> Path:
    """A new hidden name into which a folder is moved before it is removed."""
    return home(root) / f".removed-{uuid.uuid4().hex}"


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the one lock of all writers under `root`; a second writer waits. A killed holder frees it.

    Whatever a killed writer left behind is removed first.
    """
    home(root).mkdir(parents=True, exist_ok=True)
    with (home(root) / ".lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for leftover in (*home(root).glob(".removed-*"), *filter(_is_abandoned, home(root).glob(".new-*"))):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


@contextmanager
def staging(root: Path) -> Iterator[Path]:
    """An empty hidden folder in which a writer prepares a version without holding up the others.

    It is the writer's while the writer lives, and goes at the end unless it was moved. The caller must not
    hold the lock of all writers.
    """
    with locked(root):
        work, handle = _claimed(root)
    with handle:
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


@contextmanager
def staging_locked(root: Path) -> Iterator[Path]:
    """The same for a caller that holds the lock of all writers."""
    work, handle = _claimed(root)
    with handle:
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def release(work: Path) -> None:
    """Take the writer's mark out of a staging folder that is ready to be moved to its place."""
    (work / _MARK).unlink()


def _claimed(root: Path) -> tuple[Path, TextIO]:
    work = home(root) / f".new-{uuid.uuid4().hex}"
    work.mkdir()
    handle = (work / _MARK).open("w")
    fcntl.flock(handle, fcntl.LOCK_EX)
    return work, handle


def _is_abandoned(work: Path) -> bool:
    """Whether the writer of a staging folder is gone: its mark is gone, or locked by nobody."""
    try:
        with (work / _MARK).open("r") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True


def fsync(path: Path) -> None:
    """Wait until the file or folder at `path` is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_tree(folder: Path) -> None:
    """Wait until every file and folder under `folder` is on disk."""
    for parent, _, files in os.walk(folder):
        for name in files:
            fsync(Path(parent) / name)
        fsync(Path(parent))


def link(source: Path, target: Path) -> None:
    """The file `source` also at `target`: a hard link, or a copy where the file system has none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def point(symlink: Path, target_name: str) -> None:
    """Make `symlink` point at its neighbor `target_name` in one atomic step."""
    temporary = symlink.with_name(f".{symlink.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target_name)
    os.replace(temporary, symlink)
    fsync(symlink.parent)
