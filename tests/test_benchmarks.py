"""The benchmarks are documented; what they measure is never part of a test."""

import pkgutil
from pathlib import Path

import benchmarks
from benchmarks.__main__ import page

ROOT = Path(__file__).resolve().parents[1]


def test_the_docs_say_what_every_benchmark_measures():
    names = [each.name for each in pkgutil.iter_modules(benchmarks.__path__) if not each.name.startswith("_")]
    assert names
    assert (ROOT / "docs/reference/benchmarks.md").read_text() == page(names), (
        "run .venv/bin/python -m benchmarks --docs > docs/reference/benchmarks.md"
    )


def test_every_page_about_what_is_going_on_is_measured():
    import dash

    import app  # noqa: F401
    from benchmarks._callbacks import PAGES

    group = [page for page in dash.page_registry.values() if page.get("group") == "What is going on"]
    paths = {page["path"].lstrip("/") for page in group}
    assert paths - {"jobs/find"} == set(PAGES.values())
