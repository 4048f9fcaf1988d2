"""The files that a browser may import: uploads, and those of one folder that the operator chose.

A file is named by a text, ``upload/<id>`` or ``folder/<path in the folder>``, which ``resolved`` turns into a
path: nothing outside these two places can be named.
"""

import contextlib
import re
import secrets
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import settings
from runs.errors import RunError
from runs.files import whole_folder

UPLOAD, FOLDER = "upload", "folder"
SHOWN = 200
"""Files of the import folder that are offered; a larger folder is offered in part."""
SPARE_BYTES = 200_000_000
"""Free space that an upload must leave, for the tables that are made from it."""
_ID = re.compile(r"[0-9a-f]{32}")
_UNSAFE = re.compile(r"[^\w.() -]+")
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Found:
    """A file or folder of the import folder: its name for `resolved`, its path there, size and age.

    `bytes` is None for a folder; `modified` is in seconds since the epoch.
    """

    source: str
    path: str
    bytes: int | None
    modified: float


def uploads() -> Path:
    """The folder of uploads: one folder per file, so that a file keeps its name."""
    return settings.current().data / "uploads"


def receive(name: str, parts: Iterable[bytes], size_bytes: int) -> str:
    """Store an upload of exactly `size_bytes` that comes in `parts`, and give its name for `resolved`.

    Raises RunError, with nothing stored, for a file that is empty, too large, cut off, or has no room.
    """
    refuse_size(size_bytes)
    sweep()
    upload = secrets.token_hex(16)
    uploads().mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(uploads()).free < size_bytes + SPARE_BYTES:
        raise RunError("The disk of the data folder has no room for this file.")
    with whole_folder(uploads() / upload) as folder, (folder / safe_name(name)).open("xb") as file:
        received = 0
        for part in parts:
            received += len(part)
            if received > size_bytes:
                break
            file.write(part)
        if received != size_bytes:
            raise RunError("The upload was cut off: send the file again.")
    return f"{UPLOAD}/{upload}"


def refuse_size(size_bytes: int) -> None:
    """RunError for a size that is not accepted."""
    most = settings.current().upload_mb
    if size_bytes > most * 1_000_000:
        raise RunError(
            f"The file has {size_bytes / 1e6:,.1f} MB and an upload may have {most:,} MB "
            "(HELIOGRAPH_UPLOAD_MB): compress it with gzip, or put it into the import folder."
        )
    if size_bytes <= 0:
        raise RunError("The file is empty: there is nothing to import.")


def safe_name(name: str) -> str:
    """The last part of a file's name with letters, digits and ``. _ - ( )`` only, never hidden."""
    last = _UNSAFE.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip().lstrip(".")
    return last[-_LONGEST_NAME:].strip(" .") or "upload"


def offered() -> list[Found]:
    """Files and folders of the import folder, two levels deep, by path; nothing where none is set."""
    home = settings.current().import_folder
    if home is None or not home.is_dir():
        return []
    found: list[Found] = []
    for path in sorted((*home.glob("*"), *home.glob("*/*"))):
        inside = path.relative_to(home)
        if any(part.startswith(".") for part in inside.parts) or not _is_offered(path, home):
            continue
        with contextlib.suppress(OSError):  # it went while we looked
            size = None if path.is_dir() else path.stat().st_size
            found.append(Found(f"{FOLDER}/{inside.as_posix()}", str(inside), size, path.stat().st_mtime))
    return found[:SHOWN]


def resolved(source: str) -> Path:
    """The path that `source` names. Raises RunError for one that is gone or names no file of ours."""
    kind, _, rest = source.partition("/")
    if kind == UPLOAD and _ID.fullmatch(rest):
        files = sorted((uploads() / rest).glob("*"))
        if not files:
            raise RunError("This upload is gone; uploads are kept for a while only: send the file again.")
        return files[0]
    home = settings.current().import_folder
    parts = PurePosixPath(rest).parts
    if kind != FOLDER or home is None or not parts or any(part.startswith((".", "/")) for part in parts):
        raise RunError(f"There is no file {source!r} to import: choose one that is offered.")
    path = home.joinpath(*parts)
    if not _is_offered(path, home):
        raise RunError(f"There is no file {rest!r} in the import folder: choose one that is offered.")
    if path.is_dir() and not all(_is_inside(each, home) for each in path.rglob("*")):
        raise RunError(f"{rest} has a link that leads out of the import folder: take it out of the folder.")
    return path


def state(path: Path) -> str:
    """What tells a file from the same file changed: sizes and times of all that is there."""
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    if len(files) == 1:
        return f"{files[0].stat().st_size}-{files[0].stat().st_mtime_ns}"
    newest = max((each.stat().st_mtime_ns for each in files), default=0)
    return f"{len(files)}-{sum(each.stat().st_size for each in files)}-{newest}"


def sweep() -> None:
    """Remove uploads that are older than they are kept."""
    oldest = time.time() - settings.current().upload_kept_h * 3600
    for folder in uploads().glob("*") if uploads().is_dir() else ():
        with contextlib.suppress(FileNotFoundError):  # another process sweeps too
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def _is_offered(path: Path, home: Path) -> bool:
    """Whether it is a file or a folder, no pipe or device that would never end, and inside."""
    try:
        return (path.is_file() or path.is_dir()) and _is_inside(path, home)
    except OSError:  # a name that is too long, a folder that may not be entered
        return False


def _is_inside(path: Path, home: Path) -> bool:
    try:
        return path.resolve().is_relative_to(home.resolve())
    except RuntimeError:  # links that lead in a circle
        return False
