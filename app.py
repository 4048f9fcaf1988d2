"""The web application: ``create_app`` puts pages, shell and security together; ``server`` is for gunicorn."""

import importlib
import threading
from pathlib import Path
from typing import Any

import dash
from dash import Dash, html
from dash._pages import _parse_query_string, _path_to_page
from flask import Flask, Response, jsonify, request

import security
import settings
from components import chart_card, filter_bar, shell
from pages import frame, live
from queries import QueryError, manifests, warehouse

#: How long a browser keeps styles and scripts before it asks for them again, in s.
ASSETS_KEPT_S = 3600
INDEX = """<!DOCTYPE html>
<html lang="en">
  <head>
    {{%metas%}}
    <title>{{%title%}}</title>
    <link rel="icon" type="image/svg+xml" href="{assets}logo.svg">
    <script src="{assets}color-scheme.js?m={scheme_version}"></script>
    {{%css%}}
  </head>
  <body>
    {{%app_entry%}}
    <footer>{{%config%}}{{%scripts%}}{{%renderer%}}</footer>
  </body>
</html>"""


def create_app(knobs: settings.Settings) -> Dash:
    """The Dash application; one per process, since two of them garble each other's callbacks."""
    app = Dash(
        "heliograph",
        use_pages=True,
        pages_folder=str(Path(__file__).with_name("pages")),
        assets_folder=str(Path(__file__).with_name("assets")),
        assets_ignore=r"color-scheme\.js",
        url_base_pathname=knobs.prefix,
        title="Heliograph",
        update_title=None,
        on_error=frame.show_error,
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
    )
    scheme = Path(__file__).with_name("assets") / "color-scheme.js"
    app.index_string = INDEX.format(assets=app.get_asset_url(""), scheme_version=scheme.stat().st_mtime)
    for room in (chart_card, filter_bar, shell, frame, live):
        room.register()
    app.layout = shell.shell(list(dash.page_registry.values()), knobs.live_poll_s)
    if knobs.auth == "basic":
        security.require_password(app.server, knobs.auth_file, (f"{knobs.prefix}health",))
    answer_health(app.server, knobs.prefix)
    keep_assets(app.server, knobs.prefix)
    tell_unknown_paths(app)
    headers = security.add_headers(app.server)
    _warm(app, knobs.prefix)
    headers["Content-Security-Policy"] = security.content_security_policy(app.csp_hashes())
    return app


def warm_worker() -> None:
    """Open the first trace in this process, so that no visitor waits for it."""
    for name in manifests.names()[:1]:
        warehouse.fetch("vcs", trace=name)


def load_replays() -> None:
    """Import, beside the visitors' questions, what replays in this process need: a second of work."""
    threading.Thread(target=importlib.import_module, args=("runs.preview",), daemon=True).start()


def answer_health(server: Flask, prefix: str) -> None:
    """``/health``: 200 when this worker answers and the data can be read, 503 with the reason otherwise."""

    @server.get(f"{prefix}health")
    def health() -> tuple[Response, int]:
        try:
            warm_worker()
        except (QueryError, OSError) as error:
            return jsonify(worker="ok", data=str(error)), 503
        return jsonify(worker="ok", data="ok"), 200


def keep_assets(server: Flask, prefix: str) -> None:
    """Let browsers keep what the address tells from every other version of it: styles and scripts."""

    @server.after_request
    def keep(response: Response) -> Response:
        if request.path.startswith(f"{prefix}assets/") and "m" in request.args:
            response.headers["Cache-Control"] = f"max-age={ASSETS_KEPT_S}"
        return response


def tell_unknown_paths(app: Dash) -> None:
    """Answer 404, with the page that says so, where no page is or where a page's own ``exists`` says no."""

    @app.server.after_request
    def tell(response: Response) -> Response:
        is_page = (
            request.endpoint is not None and response.mimetype == "text/html" and response.status_code == 200
        )
        if is_page and not _leads_somewhere(app):
            response.status_code = 404
        return response


def _leads_somewhere(app: Dash) -> bool:
    page, variables = _path_to_page(app.strip_relative_path(request.path) or "")
    if not page or page["module"].endswith("not_found_404"):
        return False
    query = _parse_query_string(f"?{request.query_string.decode('utf-8', 'replace')}")
    exists: Any = page.get("exists", lambda **_: True)
    return bool(exists(**{**query, **(variables or {})}))


def _warm(app: Dash, prefix: str) -> None:
    """Have Dash finish its set-up before the first visitor, and before inline scripts are hashed.

    Dash lays every page out for that; what they asked is closed again, since gunicorn forks after this.
    """
    client = app.server.test_client()
    for path in ("_dash-layout", "_dash-dependencies"):
        client.get(f"{prefix}{path}", environ_overrides={security.WARMING: True})
    app.validation_layout = html.Div(
        [app.layout, *(page.get("skeleton", page["layout"])() for page in dash.page_registry.values())]
    )
    warehouse.close()


dash_app = create_app(settings.current())
server = dash_app.server
