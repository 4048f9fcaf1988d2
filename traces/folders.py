"""Where traces live on disk, and the file-system steps that a publication is made of."""

import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
        for leftover in home(root).glob(".removed-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


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
