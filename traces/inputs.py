"""What an operator points at: a file, a folder of files, a zip archive, or standard input."""

import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from traces.errors import TraceError
from traces.limits import check_archive

STDIN = "-"


@dataclass(frozen=True)
class Content:
    """The bytes of one file and the name by which a report calls it."""

    name: str
    data: bytes


@contextmanager
def spooled(path: Path) -> Iterator[Path]:
    """`path` itself; for ``-`` and for a pipe, a temporary file with what it holds, for it is read twice."""
    pipe = Path(path).is_fifo()
    if str(path) != STDIN and not pipe:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="heliograph-") as folder:
        target = Path(folder) / (Path(path).name if pipe else "stdin")
        with target.open("wb") as file, _opened(path, pipe) as stream:
            shutil.copyfileobj(stream, file)
        yield target


def _opened(path: Path, pipe: bool) -> AbstractContextManager[BinaryIO]:
    return Path(path).open("rb") if pipe else nullcontext(sys.stdin.buffer)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What the operating system refuses while what is at `path` is read, as a TraceError."""
    try:
        yield
    except OSError as error:
        what = error.filename if isinstance(error.filename, (str, Path)) else path
        raise TraceError(f"{what} cannot be read: {error.strerror or error}.") from error


def contents(path: Path) -> Iterator[Content]:
    """The files at `path`: itself, those of a folder (not of its subfolders), or a zip archive's, by name.

    Hidden files are left out. One file is held at a time. Raises TraceError for what cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        names = _files(path)
        if not names:
            raise TraceError(f"{path} is a folder without files: there is nothing to import.")
        for each in names:
            yield Content(each.name, _bytes(each))
    elif path.is_file() and zipfile.is_zipfile(path):
        yield from _members(path)
    else:
        yield Content(path.name, _bytes(path))


def size(path: Path) -> int:
    """Bytes of all files at `path`, unpacked where they are of a zip archive."""
    path = Path(path)
    if path.is_dir():
        return sum(each.stat().st_size for each in _files(path))
    if path.is_file() and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(each.file_size for each in archive.infolist())
    return path.stat().st_size if path.is_file() else 0


def single(path: Path) -> Content:
    """The one file at `path`, where a format takes one; TraceError when there are several."""
    found = contents(path)
    first = next(found)
    if next(found, None) is not None:
        raise TraceError(f"{path} holds several files: import one of them at a time.")
    return first


def _files(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if each.is_file() and not each.name.startswith("."))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}.") from error


def _members(path: Path) -> Iterator[Content]:
    try:
        with zipfile.ZipFile(path) as archive:
            check_archive(archive, path)
            names = sorted(name for name in archive.namelist() if _is_wanted(name))
            if not names:
                raise TraceError(f"{path} is an archive without files: there is nothing to import.")
            for name in names:
                yield Content(name, archive.read(name))
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError) as error:
        raise TraceError(f"{path} is an archive that cannot be read ({error}): make it again.") from error


def _is_wanted(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return not name.endswith("/") and not any(part.startswith((".", "__MACOSX")) for part in parts)
