"""Who may import whom, read from the source itself."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "app",
    "cli",
    "serving",
    "settings",
    "runs",
    "pages",
    "components",
    "queries",
    "traces",
    "scheduling",
    "energy",
)
MAY_IMPORT = {
    "settings": set(),
    "components": set(),
    "scheduling": set(),
    "energy": set(),
    "traces": {"settings"},
    "queries": {"settings"},
    "runs": {"scheduling", "energy", "queries", "traces", "settings"},
    "pages": {"components", "queries", "runs", "traces", "settings"},
    "app": {"pages", "components", "queries", "runs", "security", "settings"},
    "security": set(),
    "serving": {"settings"},
    "commands": {"security", "serving", "settings", "runs", "queries", "traces", "scheduling", "energy"},
    "cli": {"commands"},
}
FOREIGN = {
    "scheduling": {"dash", "plotly", "duckdb", "flask"},
    "energy": {"dash", "plotly", "duckdb", "flask"},
    "traces": {"dash", "plotly", "flask"},
    "queries": {"dash", "plotly", "flask"},
    "runs": {"dash", "plotly", "flask"},
}


def sources(room: str) -> list[Path]:
    folder = ROOT / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [ROOT / f"{room}.py"]


def imported(path: Path) -> set[str]:
    """The top-level packages that a file imports anywhere, functions included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {each.name.split(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_it_may(room):
    for path in sources(room):
        others = (imported(path) & set(ROOMS)) - {room}
        assert others <= MAY_IMPORT[room], f"{path.relative_to(ROOT)} imports {others - MAY_IMPORT[room]}"


@pytest.mark.parametrize("room", FOREIGN)
def test_a_domain_room_knows_nothing_of_the_web(room):
    for path in sources(room):
        assert not imported(path) & FOREIGN[room], path.relative_to(ROOT)


def test_statsmodels_is_imported_only_where_a_forecast_is_made():
    """It takes seconds to import, so no web worker may load it by importing a module."""
    for path in ROOT.glob("*/**/*.py"):
        if ".venv" in path.parts or "tests" in path.parts:
            continue
        top_level = [
            node
            for node in ast.parse(path.read_text()).body
            if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        for node in top_level:
            names = [each.name for each in node.names] + [getattr(node, "module", None) or ""]
            assert not any(name.startswith("statsmodels") for name in names), path.relative_to(ROOT)


def test_every_sql_statement_lives_in_the_queries_room():
    """A long SELECT in Python would be a query without a name and without a checked header."""
    for room in ("pages", "components", "runs", "scheduling", "energy"):
        for path in sources(room):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    text = " ".join(node.value.upper().split())
                    assert not ("SELECT " in text and " FROM " in text), (
                        f"{path.relative_to(ROOT)}:{node.lineno}"
                    )
