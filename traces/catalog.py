"""The traces that are published: list, describe, rename, delete. Readers take no lock."""

import json
import shutil
from pathlib import Path
from typing import Any

from traces import folders, store
from traces.errors import TraceError
from traces.names import checked_name


class Catalog:
    """The published traces under a data folder.

    A trace is `<root>/traces/<name>/current`, a link to one complete version; whatever lacks it (an import
    that never ended) is not listed.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def names(self) -> list[str]:
        """Names of all published traces, sorted."""
        home = folders.home(self.root)
        if not home.is_dir():
            return []
        return sorted(
            entry.name
            for entry in home.iterdir()
            if not entry.name.startswith(".") and (entry / "current" / "trace.json").is_file()
        )

    def folder(self, trace: str) -> Path:
        """The folder of the trace's current version; it stays readable through the next publication.

        Raises TraceError for a trace that is not there; the sentence lists those that are.
        """
        link = folders.trace_folder(self.root, trace) / "current" if _can_exist(trace) else None
        if link is None or not (link / "trace.json").is_file():
            known = ", ".join(self.names())
            raise TraceError(
                f"There is no trace {trace!r}: "
                + (f"known traces are {known}." if known else "nothing is imported yet.")
            )
        return link.resolve()

    def manifest(self, trace: str) -> dict[str, Any]:
        """trace.json of the trace's current version (docs/reference/traces.md); errors as for `folder`."""
        path = self.folder(trace) / "trace.json"
        try:
            document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TraceError(f"Trace {trace!r} cannot be read ({path}: {error}): import it again.") from error
        return document

    def manifests(self) -> list[dict[str, Any]]:
        """The manifests of all published traces, sorted by name."""
        return [self.manifest(name) for name in self.names()]

    def rejects(self, trace: str, cluster: str) -> Path:
        """The CSV file (source, line, reason, text) of all rows of the cluster that no import could use.

        Raises TraceError for an unknown trace and where no row was rejected.
        """
        path = self.folder(trace) / "rejects" / f"{cluster}.csv"
        if cluster not in self.manifest(trace)["clusters"] or not path.is_file():
            raise TraceError(f"Trace {trace!r} has no rejected rows of a cluster {cluster!r}.")
        return path

    def rename(self, old: str, new: str) -> None:
        """Give trace `old` the name `new`; TraceError when `old` is unknown, or `new` taken or not a name.

        A kill on the way leaves `old` complete; at worst both names exist.
        """
        checked_name(new, "trace")
        with folders.locked(self.root):
            source = self.folder(old)
            if new in self.names():
                raise TraceError(f"There is a trace {new!r} already: delete it first or choose another name.")
            store.copy_renamed(self.root, source, new)
            self._discard(old)

    def delete(self, trace: str) -> None:
        """Remove the trace and all its versions; TraceError when it is unknown."""
        with folders.locked(self.root):
            self.folder(trace)
            self._discard(trace)

    def _discard(self, trace: str) -> None:
        """Take the trace out of sight in one step, then remove its files."""
        grave = folders.grave(self.root)
        folders.trace_folder(self.root, trace).rename(grave)
        folders.fsync(grave.parent)
        shutil.rmtree(grave, ignore_errors=True)


def _can_exist(trace: str) -> bool:
    try:
        checked_name(trace, "trace")
    except TraceError:
        return False
    return True
