"""Routes of an import beside its page: files in (``/traces/import/upload``), rejected rows out as CSV.

An upload is the body of the request as it is, so that it streams to disk. Its name comes in a header of our
own, which a page of another site cannot send (CORS), so a visitor's login cannot be used for it.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import dash
from flask import Response, jsonify, request, send_file
from werkzeug.exceptions import ClientDisconnected

import settings
from runs import RunError, import_files, importing
from traces import TraceError
from traces.catalog import Catalog

FILE_NAME = "X-File-Name"
PART_BYTES = 1 << 20


def upload_path() -> str:
    """Where the browser sends files."""
    return str(dash.get_relative_path("/traces/import/upload"))


def rejects_path(trace: str, cluster: str) -> str:
    """Where the rejected rows of a cluster are."""
    return str(dash.get_relative_path(f"/traces/{trace}/rejects/{cluster}.csv"))


def checked_rejects_path(run_id: str) -> str:
    """Where the rejected rows of a check are."""
    return str(dash.get_relative_path(f"/traces/import/{run_id}/rejects.csv"))


def rejects_file(trace: str, cluster: str) -> Path | None:
    """The rejected rows of a stored cluster; None where no row was rejected.

    Raises:
        TraceError: there is no such trace.
    """
    catalog = Catalog(settings.current().data)
    if cluster not in catalog.manifest(trace)["clusters"]:
        return None
    path = catalog.folder(trace) / "rejects" / f"{cluster}.csv"
    return path if path.is_file() else None


def receive() -> tuple[Response, int]:
    """Store the body of the request; 201 with its ``source``, or an error with its sentence."""
    name, length = request.headers.get(FILE_NAME), request.content_length
    if name is None or length is None:
        return jsonify(error="An upload needs its name and its length: use the Traces page."), 400
    try:
        import_files.refuse_size(length)
        source = import_files.receive(unquote(name), _parts(), length)
    except RunError as error:
        too_large = length > settings.current().upload_mb * 1_000_000
        return jsonify(error=str(error)), 413 if too_large else 400
    return jsonify(source=source, name=import_files.resolved(source).name), 201


def _parts() -> Iterator[bytes]:
    try:
        while part := request.stream.read(PART_BYTES):
            yield part
    except (ClientDisconnected, OSError):
        return  # what came is too short, and `receive` says so


def serve_rejects(trace: str, cluster: str) -> Response:
    """The rejected rows of a cluster, or 404 with the reason."""
    try:
        path = rejects_file(trace, cluster)
    except TraceError as error:
        return Response(str(error), 404, mimetype="text/plain")
    if path is None:
        return Response(f"No row of {cluster} in {trace} was rejected.", 404, mimetype="text/plain")
    return send_file(
        path, mimetype="text/csv", as_attachment=True, download_name=f"{trace}-{cluster}-rejects.csv"
    )


def serve_checked_rejects(run_id: str) -> Response:
    """The rejected rows of a check, or 404 with the reason; they are kept as long as an upload."""
    try:
        rows = importing.store().table(run_id, "rejects")
    except RunError:
        return Response("This check is gone: check the file again.", 404, mimetype="text/plain")
    disposition = {"Content-Disposition": "attachment; filename=rejects.csv"}
    return Response(rows.to_csv(index=False), mimetype="text/csv", headers=disposition)


def register() -> None:
    """Serve them from the app that the pages belong to."""
    server = dash.get_app().server
    server.add_url_rule(dash.get_relative_path("/traces/import/upload"), "upload", receive, methods=["POST"])
    rule = dash.get_relative_path("/traces/<trace>/rejects/<cluster>.csv")
    server.add_url_rule(rule, "rejects", serve_rejects)
    rule = dash.get_relative_path("/traces/import/<run_id>/rejects.csv")
    server.add_url_rule(rule, "checked_rejects", serve_checked_rejects)
