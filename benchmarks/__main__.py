"""Run every benchmark, or those whose name is given, and print one flat JSON object."""

import importlib
import json
import pkgutil
import sys

import benchmarks


def main() -> None:
    """Merge what each ``benchmarks/<name>.py`` measures; what cannot be measured here is null."""
    names = [each.name for each in pkgutil.iter_modules(benchmarks.__path__) if not each.name.startswith("_")]
    chosen = sys.argv[1:] or names
    if unknown := sorted(set(chosen) - set(names)):
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are {', '.join(names)}.")
    measured: dict[str, float | None] = {}
    for name in chosen:
        print(f"measuring {name} ...", file=sys.stderr)
        measured |= importlib.import_module(f"benchmarks.{name}").measure()
    print(json.dumps({name: _rounded(value) for name, value in measured.items()}, indent=2))


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


if __name__ == "__main__":
    main()
