"""The one application of the test session, and data folders for it."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask.testing import FlaskClient

import settings
from pages.scope import Scope, scope_of_query
from tests import synthetic


@pytest.fixture(scope="session")
def application() -> ModuleType:
    """The module ``app``, imported once: two Dash applications in one process garble their callbacks."""
    assert "app" not in sys.modules or hasattr(sys.modules["app"], "server")
    import app

    return app


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data folder that the pages read."""
    monkeypatch.setenv("HELIOGRAPH_DATA", str(tmp_path))
    settings.current.cache_clear()
    yield tmp_path
    settings.current.cache_clear()


@pytest.fixture
def data(empty: Path) -> Path:
    """A data folder with the synthetic trace ``demo``."""
    synthetic.write(empty)
    return empty


@pytest.fixture
def client(application: ModuleType) -> FlaskClient:
    """Requests to the application."""
    return application.server.test_client()


@pytest.fixture
def scope(application: ModuleType) -> Callable[..., Scope]:
    """Scopes by the query of an address."""
    return lambda **query: scope_of_query(query)


@pytest.fixture
def ask(application: ModuleType, client: FlaskClient) -> Callable[..., dict[str, Any]]:
    """Run the callback that fills an output over HTTP, as the browser does; gives the outputs by id."""

    def run(output: str, **values: Any) -> dict[str, Any]:
        found = next(
            each
            for each in client.get("/_dash-dependencies").json
            if output in each["output"] and not each["clientside_function"] and set(values) <= _names(each)
        )
        fill = [
            {
                "id": each["id"],
                "property": each["property"],
                "value": values.get(each["id"].replace("-", "_")),
            }
            for each in (*found["inputs"], *found["state"])
        ]
        outputs = [_output(text) for text in found["output"].strip(".").split("...")]
        body = {
            "output": found["output"],
            "outputs": outputs if found["output"].startswith("..") else outputs[0],
            "inputs": fill[: len(found["inputs"])],
            "state": fill[len(found["inputs"]) :],
            "changedPropIds": [f"{found['inputs'][0]['id']}.{found['inputs'][0]['property']}"],
        }
        response = client.post("/_dash-update-component", json=body)
        assert response.status_code == 200, response.text
        return response.json["response"]

    return run


def _names(dependency: dict[str, Any]) -> set[str]:
    """The ids that a callback takes, as keyword arguments write them."""
    return {each["id"].replace("-", "_") for each in (*dependency["inputs"], *dependency["state"])}


def _output(text: str) -> dict[str, Any]:
    name, _, prop = text.rpartition(".")
    return {"id": json.loads(name) if name.startswith("{") else name, "property": prop}
