"""Uploads and rejected rows over HTTP: limits, names, who may."""

import json
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from plotly.utils import PlotlyJSONEncoder
from werkzeug.security import generate_password_hash

import security
import settings
from runs import import_files, importing
from runs.scenario import ImportScenario
from runs.work import work

URL = "/traces/import/upload"
TABLE = b"submit_time,gpu_num,duration_s\n2020-04-01,2,60\n2020-04-01,many,60\n"


def sent(client: FlaskClient, body: bytes = TABLE, name: str | None = "jobs.csv"):  # the response
    return client.post(URL, data=body, headers={"X-File-Name": name} if name is not None else {})


def test_an_upload_is_stored_as_it_is_under_a_name_nobody_can_guess(client: FlaskClient, empty: Path) -> None:
    first, second = sent(client), sent(client)
    assert first.status_code == second.status_code == 201
    assert first.json["source"] != second.json["source"]
    assert import_files.resolved(first.json["source"]).read_bytes() == TABLE


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..%2F..%2Fcron", "/etc/passwd", "..", "C:%5Cjobs.csv", ""]
)
def test_no_name_leads_out_of_the_upload_folder(client: FlaskClient, empty: Path, name: str) -> None:
    source = sent(client, name=name).json["source"]
    path = import_files.resolved(source)
    assert path.parent.parent == empty / "uploads"
    assert [each for each in empty.rglob("*") if each.is_file()] == [path]


def test_a_file_that_is_too_large_is_refused_with_413_and_not_stored(
    client: FlaskClient, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIOGRAPH_UPLOAD_MB", "1")
    settings.current.cache_clear()
    response = sent(client, b"x" * 1_000_001)
    assert response.status_code == 413
    assert "HELIOGRAPH_UPLOAD_MB" in response.json["error"]
    assert not (empty / "uploads").exists()


def test_an_empty_file_and_a_request_of_another_site_are_refused(client: FlaskClient, empty: Path) -> None:
    assert sent(client, b"").status_code == 400
    assert sent(client, name=None).status_code == 400
    assert not (empty / "uploads").exists()


def test_only_who_knows_the_password_may_upload(application, empty: Path, tmp_path: Path) -> None:
    from pages import import_routes

    users = tmp_path / "users"
    users.write_text(f"ada:{generate_password_hash('engine')}\n", encoding="utf-8")
    server = Flask("guarded")
    security.require_password(server, users, ("/health",))
    server.add_url_rule(URL, "upload", import_routes.receive, methods=["POST"])
    headers = {"X-File-Name": "jobs.csv"}
    assert server.test_client().post(URL, data=TABLE, headers=headers).status_code == 401
    assert not (empty / "uploads").exists()
    response = server.test_client().post(URL, data=TABLE, headers=headers, auth=("ada", "engine"))
    assert response.status_code == 201


def test_answers_carry_the_security_headers(client: FlaskClient, empty: Path) -> None:
    assert sent(client).headers["X-Content-Type-Options"] == "nosniff"


def test_rejected_rows_are_a_csv_file_and_nothing_else_is_served(client: FlaskClient, empty: Path) -> None:
    source = sent(client).json["source"]
    seen = import_files.state(import_files.resolved(source))
    run = importing.start(
        ImportScenario(source, "publish", seen, format="csv", trace="mine", cluster="C", timezone="UTC")
    )
    work(run.id, importing.SHELF)
    response = client.get("/traces/mine/rejects/C.csv")
    assert response.text.splitlines()[0] == "source,line,reason,text"
    assert "many" in response.text
    for path in ("mine/rejects/D.csv", "gone/rejects/C.csv", "mine/rejects/..%2F..%2Ftrace.json.csv"):
        assert client.get(f"/traces/{path}").status_code == 404
    for path in ("%2e%2e/rejects/C.csv", "mine/rejects/%2e%2e/x.csv"):
        assert not client.get(f"/traces/{path}").text.startswith("source,")


def test_all_rejected_rows_of_a_check_are_a_csv_file(client: FlaskClient, empty: Path) -> None:
    rows = "".join(f"2020-04-01,{'many' if each % 2 else each}\n" for each in range(60))
    source = sent(client, f"submit_time,gpu_num\n{rows}".encode()).json["source"]
    seen = import_files.state(import_files.resolved(source))
    run = importing.start(
        ImportScenario(source, "check", seen, format="csv", trace="mine", cluster="C", timezone="UTC")
    )
    work(run.id, importing.SHELF)
    address = f"/traces/import/{run.id}/rejects.csv"
    from pages.import_progress import outcome  # pages are imported when there is an app

    verdict = json.dumps(outcome(importing.store().get(run.id)), cls=PlotlyJSONEncoder)
    assert address in verdict
    assert "all 30 rejected rows (CSV)" in verdict
    response = client.get(address)
    assert response.headers["Content-Disposition"].startswith("attachment")
    lines = response.text.splitlines()
    assert lines[0] == "cluster,source,line,reason,text"
    assert lines[1] == "C,jobs.csv,3,unparsable_gpu_num,many"
    assert len(lines) == 31
    for other in ("gone", "%2e%2e", run.id.upper()):
        assert client.get(f"/traces/import/{other}/rejects.csv").status_code == 404
