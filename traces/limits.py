"""What an archive may hold: no more than an operator allows, and no path outside of itself."""

import gzip
import io
import zipfile
from pathlib import Path, PurePosixPath

import settings
from traces.errors import TraceError


def check_archive(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse an archive with an entry that leads out of it, or that would unpack to more than is allowed.

    Nothing is ever unpacked to disk; an entry such as ``../x`` says that the archive is not what it seems.
    """
    for name in archive.namelist():
        parts = PurePosixPath(name.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts:
            raise TraceError(f"{path} has an entry {name!r} that leads out of the archive: make it again.")
    unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > _most_bytes():
        raise TraceError(_too_large(str(path), unpacked))


def gunzipped(name: str, data: bytes) -> bytes:
    """Gzip data decompressed; TraceError beyond what is allowed, and what gzip raises for damage."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        content = stream.read(_most_bytes() + 1)
    if len(content) > _most_bytes():
        raise TraceError(_too_large(name, len(content)))
    return content


def _most_bytes() -> int:
    return settings.current().import_most_mb * 1_000_000


def _too_large(name: str, found: int) -> str:
    allowed = settings.current().import_most_mb
    return (
        f"{name} unpacks to {found / 1e6:,.0f} MB or more and {allowed:,} MB are allowed: check that it is "
        "what it should be, and raise HELIOGRAPH_IMPORT_MOST_MB if it is."
    )
