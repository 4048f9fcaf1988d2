"""The application over HTTP: statuses, headers, health, and callbacks that name only what is rendered."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import dash
import pytest
from flask.testing import FlaskClient

from tests.stored_trace import job, store


def ids_of(component: Any) -> list[Any]:
    """Every id below a component."""
    own = [component.id] if getattr(component, "id", None) is not None else []
    return own + [each.id for each in component._traverse() if getattr(each, "id", None) is not None]


def kind(identity: Any) -> str:
    """A plain id itself; of a pattern id its type, since its other parts are matched."""
    plain = json.loads(identity) if isinstance(identity, str) and identity.startswith("{") else identity
    return plain["type"] if isinstance(plain, dict) else plain


def test_every_id_that_a_callback_names_is_rendered(
    application: ModuleType, client: FlaskClient, data: Path
) -> None:
    layout = application.dash_app.validation_layout
    rendered = {kind(identity) for identity in ids_of(layout)}
    for page in dash.page_registry.values():
        rendered |= {kind(identity) for identity in ids_of(page["layout"]())}
    rendered |= {"_pages_location", "_pages_content", "_pages_store", "_pages_dummy"}
    optional = {
        kind(each["id"])
        for found in client.get("/_dash-dependencies").json
        for each in (*found["inputs"], *found["state"])
        if each.get("allow_optional")
    }
    named = set()
    for found in client.get("/_dash-dependencies").json:
        named |= {kind(each["id"]) for each in (*found["inputs"], *found["state"])}
        outputs = re.sub(r"@[0-9a-f]+", "", found["output"]).strip(".").split("...")
        named |= {kind(name) for name in (output.rpartition(".")[0] for output in outputs) if name}
    assert named - rendered - optional == set()


def test_ids_are_unique_on_every_page(application: ModuleType, client: FlaskClient, data: Path) -> None:
    for page in dash.page_registry.values():
        ids = [json.dumps(identity) for identity in ids_of(page["layout"]())]
        assert len(ids) == len(set(ids)), page["path"]


def test_no_callback_is_registered_twice(application: ModuleType, client: FlaskClient) -> None:
    """A page that another one imports is executed twice, and each of its charts asked for twice."""
    outputs = [found["output"] for found in client.get("/_dash-dependencies").json]
    assert len(outputs) == len(set(outputs))


def test_callback_exceptions_are_not_suppressed(application: ModuleType) -> None:
    assert application.dash_app.config.suppress_callback_exceptions is False


def test_the_imported_application_has_loaded_no_slow_library_and_opened_no_database(
    application: ModuleType, data: Path
) -> None:
    """Every web worker would pay the seconds of the one, and gunicorn forks after the other."""
    code = (
        "import sys, app; from queries import warehouse; "
        "print([name for name in ('statsmodels', 'numba') if name in sys.modules], list(warehouse._open))"
    )
    root = Path(application.__file__).parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"


@pytest.mark.parametrize("path", ["/", "/jobs", "/traces", "/?trace=demo", "/jobs?trace=demo&cluster=Venus"])
def test_pages_answer(client: FlaskClient, data: Path, path: str) -> None:
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    "path", ["/nowhere", "/jobs/7", "/?trace=gone", "/jobs?trace=gone", "/not-found-404"]
)
def test_an_address_that_leads_nowhere_is_404_and_its_page_leads_back(
    client: FlaskClient, data: Path, path: str
) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "Heliograph" in response.text
    name, _, query = path.partition("?")
    assert '"href": "/"' in page(client, name, f"?{query}" if query else "")


def page(client: FlaskClient, pathname: str, search: str) -> str:
    """What Dash's router puts in the page, as JSON text."""
    body = {
        "output": ".._pages_content.children..._pages_store.data..",
        "outputs": [
            {"id": "_pages_content", "property": "children"},
            {"id": "_pages_store", "property": "data"},
        ],
        "inputs": [
            {"id": "_pages_location", "property": "pathname", "value": pathname},
            {"id": "_pages_location", "property": "search", "value": search},
        ],
        "changedPropIds": ["_pages_location.pathname"],
    }
    response = client.post("/_dash-update-component", json=body)
    assert response.status_code == 200, response.text
    return json.dumps(response.json, ensure_ascii=False)


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        ("?trace=gone", "no trace called “gone” here; there is demo"),
        ("?cluster=Mars", "has no cluster “Mars”; it has Venus, Earth"),
        ("?from=soon", "“soon” is not a day for “from”"),
        ("?from=2031-01-01", "has jobs from 2020-09-01 to 2020-09-14"),
        ("?from=1900-01-01&to=1900-02-01", "has jobs from 2020-09-01 to 2020-09-14"),
        ("?to=0001-01-01", "“0001-01-01” is not a day for “to”"),
        ("?from=9999-12-31", "“9999-12-31” is not a day for “from”"),
        ("?from=2020-09-05&to=2020-09-03", "they begin on 2020-09-05 and end before, on 2020-09-02"),
        ("?vc=vcZ", "has no virtual cluster “vcZ”. Perhaps vc"),
        ("?vc=<script>", "has no virtual cluster “<script>”."),
        (f"?vc={'x' * 3000}", f"has no virtual cluster “{'x' * 60}…”."),
    ],
)
def test_an_impossible_choice_is_answered_with_a_sentence(
    client: FlaskClient, data: Path, search: str, sentence: str
) -> None:
    assert sentence in page(client, "/", search)


def test_an_empty_data_folder_shows_how_to_bring_a_trace_in(client: FlaskClient, empty: Path) -> None:
    for path in ("/", "/jobs", "/traces"):
        shown = page(client, path, "")
        assert "heliograph demo" in shown
        assert "heliograph import csv" in shown


def test_generated_data_have_their_banner_and_real_data_have_none(client: FlaskClient, data: Path) -> None:
    store(data, "real", [job(submit_time="2020-09-01")])
    for path in ("/", "/jobs"):
        assert "not a real datacenter" in page(client, path, "?trace=demo")
        assert "not a real datacenter" not in page(client, path, "?trace=real")


def test_no_page_names_another_machine(client: FlaskClient, data: Path) -> None:
    """Meta tags name this server itself."""
    texts = [
        client.get("/").text,
        client.get("/_dash-layout").text,
        page(client, "/", ""),
        page(client, "/jobs", ""),
    ]
    for text in texts:
        assert set(re.findall(r"https?://[^/\"'\s<)]+", text)) <= {"http://localhost"}


def test_the_policy_allows_this_server_and_exactly_the_inline_scripts_of_the_page(
    client: FlaskClient, data: Path
) -> None:
    response = client.get("/")
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self'; script-src 'self' 'sha256-")
    for part in ("object-src 'none'", "frame-ancestors 'none'", "connect-src 'self'", "base-uri 'self'"):
        assert part in policy
    assert "unsafe-eval" not in policy and "script-src 'self' 'unsafe" not in policy
    inline = re.findall(
        r"<script>(.*?)</script>|<script[^>]*text/javascript[^>]*>(.*?)</script>", response.text, re.S
    )
    for script in filter(None, (one or other for one, other in inline)):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    for name, value in {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}.items():
        assert response.headers[name] == value


def test_health_says_that_the_worker_answers_and_that_data_can_be_read(
    client: FlaskClient, data: Path
) -> None:
    response = client.get("/health")
    assert (response.status_code, response.json) == (200, {"worker": "ok", "data": "ok"})


def test_health_is_503_when_the_data_cannot_be_read(client: FlaskClient, data: Path) -> None:
    (data / "traces/demo/v000001/trace.json").write_text("{")
    response = client.get("/health")
    assert response.status_code == 503
    assert "cannot be read" in response.json["data"]


def test_navigation_has_the_registered_pages_in_their_groups_and_order(application: ModuleType) -> None:
    from components.shell import GROUPS, navigation

    text = json.dumps(navigation(list(dash.page_registry.values())).to_plotly_json(), default=str)
    labels = [page["label"] for page in dash.page_registry.values() if page.get("group")]
    assert {"Overview", "Jobs", "Traces"} <= set(labels)
    assert all(label in text for label in labels)
    assert text.index(GROUPS[0]) < text.index("Overview") < text.index("Jobs") < text.index("Traces")


def test_a_callback_that_fails_shows_a_sentence_and_no_traceback(
    client: FlaskClient, data: Path, ask: Callable[..., dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pages import overview

    def fail(_scope: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(overview, "answer", fail)
    shown = json.dumps(ask("overview-answer.children", filters={"trace": "demo"}), ensure_ascii=False)
    assert "could not be computed" in shown
    assert "secret" not in shown and "Traceback" not in shown


def test_an_error_that_fits_in_no_output_is_shown_above_the_page(data: Path, client: FlaskClient) -> None:
    body = {
        "output": '{"name":"jobs-durations","type":"download"}.data',
        "outputs": {"id": {"name": "jobs-durations", "type": "download"}, "property": "data"},
        "inputs": [{"id": {"name": "jobs-durations", "type": "csv"}, "property": "n_clicks", "value": 1}],
        "state": [{"id": "filters", "property": "data", "value": {"trace": "gone"}}],
        "changedPropIds": ['{"name":"jobs-durations","type":"csv"}.n_clicks'],
    }
    response = client.post("/_dash-update-component", json=body)
    assert response.status_code == 200
    assert "no trace called “gone”" in json.dumps(response.json["sideUpdate"]["notices"], ensure_ascii=False)


def test_a_choice_that_cannot_be_drawn_is_said_in_place_of_the_chart(
    data: Path, ask: Callable[..., dict]
) -> None:
    shown = ask("overview-utilization", filters={"trace": "gone"})
    text = json.dumps(shown, ensure_ascii=False)
    assert "no trace called “gone”" in text


def test_a_chart_comes_over_http_with_figure_note_and_no_sentence(
    data: Path, ask: Callable[..., dict]
) -> None:
    shown = ask("jobs-durations", filters={"trace": "demo"})
    figure = next(each["data"] for each in shown.values() if "data" in each)
    assert [line["name"] for line in figure["data"]] == ["GPU jobs", "CPU jobs"]
    assert any("No job is left out" in str(each.get("children")) for each in shown.values())


def test_browsers_keep_the_version_of_an_asset_that_an_address_names(client: FlaskClient) -> None:
    named = re.findall(r'(?:src|href)="(/assets/[^"]+\?m=[^"]+)"', client.get("/").text)
    assert {Path(each.partition("?")[0]).suffix for each in named} == {".css", ".js"}
    for address in named:
        assert client.get(address).headers["Cache-Control"].startswith("max-age=")
        assert client.get(address.partition("?")[0]).headers["Cache-Control"] == "no-cache"
