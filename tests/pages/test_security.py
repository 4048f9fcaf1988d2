"""Passwords and headers, on a server of their own."""

from pathlib import Path

import pytest
from flask import Flask
from werkzeug.security import generate_password_hash

import security


@pytest.fixture
def server(tmp_path: Path) -> Flask:
    file = tmp_path / "users"
    file.write_text(f"# operators\n\nada:{generate_password_hash('engine:1843')}\n", encoding="utf-8")
    server = Flask("guarded")
    security.require_password(server, file, ("/health",))
    server.add_url_rule("/", "home", lambda: "secret")
    server.add_url_rule("/health", "health", lambda: "ok")
    return server


def test_only_who_knows_the_password_gets_in(server: Flask) -> None:
    client = server.test_client()
    assert client.get("/", auth=("ada", "engine:1843")).text == "secret"
    for wrong in (None, ("ada", "wrong"), ("eve", "engine:1843"), ("", "")):
        response = client.get("/", auth=wrong)
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Basic realm=")
        assert "secret" not in response.text


def test_health_needs_no_password(server: Flask) -> None:
    assert server.test_client().get("/health").text == "ok"


def test_another_scheme_of_authorization_is_not_let_in(server: Flask) -> None:
    assert server.test_client().get("/", headers={"Authorization": "Bearer ada"}).status_code == 401


def test_no_header_of_a_request_marks_it_as_the_apps_own(server: Flask) -> None:
    headers = {security.WARMING: "1", "Heliograph-Warming": "1"}
    assert server.test_client().get("/", headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no user"),
        ("ada", "line 1: not user:hash"),
        ("ada:plain password", "line 1: not user:hash"),
    ],
)
def test_a_file_that_protects_nobody_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "users"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(security.SecurityError, match=sentence):
        security.read_users(file)


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(security.SecurityError, match="HELIOGRAPH_AUTH_FILE"):
        security.read_users(None)


def test_headers_do_not_replace_those_of_a_response() -> None:
    server = Flask("headers")
    security.add_headers(server)["Content-Security-Policy"] = security.content_security_policy(
        ["'sha256-abc'"]
    )
    server.add_url_rule("/", "home", lambda: ("", 200, {"Referrer-Policy": "no-referrer"}))
    headers = server.test_client().get("/").headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "script-src 'self' 'sha256-abc';" in headers["Content-Security-Policy"]
