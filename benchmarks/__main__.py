"""Run every benchmark, or those whose name is given, and print one flat JSON object.

``--docs`` prints docs/reference/benchmarks.md instead, from the modules' own docstrings.
"""

import ast
import importlib
import json
import pkgutil
import sys
from pathlib import Path

import benchmarks

INTRODUCTION = """# Benchmarks

`make bench` prints one flat JSON object; `.venv/bin/python -m benchmarks scheduling energy` measures a part.
A figure that cannot be measured here (reference material absent) is `null`. Tests never time anything.
This page is made by `.venv/bin/python -m benchmarks --docs`.
"""


def main() -> None:
    """Merge what each ``benchmarks/<name>.py`` measures; what cannot be measured here is null."""
    names = [each.name for each in pkgutil.iter_modules(benchmarks.__path__) if not each.name.startswith("_")]
    chosen = sys.argv[1:] or names
    if chosen == ["--docs"]:
        print(page(names), end="")
        return
    if unknown := sorted(set(chosen) - set(names)):
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are {', '.join(names)}.")
    measured: dict[str, float | None] = {}
    for name in chosen:
        print(f"measuring {name} ...", file=sys.stderr)
        measured |= importlib.import_module(f"benchmarks.{name}").measure()
    print(json.dumps({name: _rounded(value) for name, value in measured.items()}, indent=2))


def page(names: list[str]) -> str:
    """What every name means, as the benchmarks themselves say it."""
    sections = [INTRODUCTION]
    for name in names:
        source = Path(benchmarks.__file__).with_name(f"{name}.py").read_text()
        sections.append(f"## {name}\n\n{ast.get_docstring(ast.parse(source))}\n")
    return "\n".join(sections)


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


if __name__ == "__main__":
    main()
