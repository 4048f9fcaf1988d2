"""``fetch helios``: download the public release, resuming what an earlier attempt has, and check it."""

import hashlib
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from traces.errors import TraceError

CHUNK_BYTES = 1 << 18
TIMEOUT_S = 30.0
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Release:
    """A file to download. `size_bytes` and `sha256` are checked where they are known."""

    url: str
    size_bytes: int | None = None
    sha256: str | None = None


def fetch(release: Release, target: Path, progress: Progress = lambda done, total: None) -> Path:
    """Download `release` to `target`; `progress` hears of bytes done and in all (None: not said).

    What is downloaded waits beside `target` as ``<name>.part`` until it is complete and checked, and the
    next attempt goes on from there where the server can. A `target` that passes the check is not fetched
    again. Raises TraceError where there is no network, the server refuses, or what came is not the release.
    """
    if target.is_file() and not _wrong(release, target):
        return target
    part = target.with_name(f"{target.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        _download(release, part, progress)
    except urllib.error.HTTPError as error:
        raise TraceError(f"{release.url} answers {error.code} {error.reason}: check the address.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise TraceError(
            f"{release.url} cannot be reached ({reason}): check the network, or set HELIOGRAPH_HELIOS_URL to "
            "a mirror. What has come is kept, and the next attempt goes on from there."
        ) from error
    if wrong := _wrong(release, part):
        part.unlink()
        raise TraceError(f"What came from {release.url} is not the release: {wrong}. Fetch it again.")
    part.replace(target)
    return target


def _download(release: Release, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    if release.size_bytes is not None and have == release.size_bytes:
        return
    request = urllib.request.Request(release.url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:
            raise
        part.unlink()  # longer than the file: start over
        _download(release, part, progress)
        return
    with answer:
        resumed = answer.status == 206
        done = have if resumed else 0
        length = answer.headers.get("Content-Length")
        total = done + int(length) if length else release.size_bytes
        with part.open("ab" if resumed else "wb") as file:
            while chunk := answer.read(CHUNK_BYTES):
                file.write(chunk)
                done += len(chunk)
                progress(done, total)
        if total is not None and done < total:
            raise OSError(f"the connection ended after {done:,} of {total:,} bytes")


def _wrong(release: Release, file: Path) -> str:
    """What is wrong with a complete file; nothing if it is the release."""
    size = file.stat().st_size
    if release.size_bytes is not None and size != release.size_bytes:
        return f"it has {size:,} bytes instead of {release.size_bytes:,}"
    if release.sha256 is not None:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != release.sha256.lower():
            return f"its SHA-256 is {found}"
    return ""
