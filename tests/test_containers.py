"""The Dockerfile's own steps, carried out in a clean folder: no container engine runs where tests do."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def steps():
    """(instruction, argument) of each step, with continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", DOCKERFILE)
    lines = [line.strip() for line in joined.splitlines()]
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]


def tracked_files():
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [Path(line) for line in listing.stdout.splitlines() if (ROOT / line).is_file()]


def test_every_file_that_the_product_needs_is_copied_into_the_image():
    copied = {name.rstrip("/") for step, rest in steps() if step == "COPY" for name in rest.split()[:-1]}
    product = {path.parts[0] for path in tracked_files() if path.suffix in (".py", ".sql", ".css", ".woff2")}
    assert product - {"tests", "benchmarks"} <= copied


def test_what_is_copied_is_not_ignored_by_the_build():
    allowed = {
        line[1:].rstrip("/") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    copied = {name.rstrip("/") for step, rest in steps() if step == "COPY" for name in rest.split()[:-1]}
    assert all(name in allowed or (name.endswith(".py") and "*.py" in allowed) for name in copied)


def test_the_image_does_not_run_as_root():
    users = [rest for step, rest in steps() if step == "USER"]
    assert users
    assert users[-1].split(":")[0] not in ("root", "0")


def test_the_dockerfiles_steps_build_an_installation_that_answers(tmp_path):
    """COPY, RUN and ENV as written, with the image's paths moved below a temporary folder."""
    image = tmp_path / "image"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    environment |= {
        key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_", "OPENBLAS_"))
    }
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "python"], check=True)
    environment["PATH"] = f"{tmp_path / 'python/bin'}:{environment['PATH']}"
    if os.geteuid() != 0:  # only root may give files away, and nothing here depends on it
        (tmp_path / "python/bin/chown").symlink_to(shutil.which("true"))
    tracked = tracked_files()

    def moved(text):
        return re.sub(r"(?<![\w/.])/(app|data)\b", lambda match: f"{image}/{match[1]}", text)

    for step, rest in steps():
        if step == "ENV":
            pairs = (word.split("=", 1) for word in shlex.split(rest))
            environment |= {key: moved(value) for key, value in pairs if key != "PIP_NO_CACHE_DIR"}
        elif step == "WORKDIR":
            folder = Path(moved(rest))
            folder.mkdir(parents=True)
        elif step == "COPY":
            *sources, _ = rest.split()
            for path in tracked:
                if str(path) in sources or f"{path.parts[0]}/" in sources:
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / path, folder / path)
        elif step == "RUN" and not rest.startswith("apt-get"):  # packages stay as they are
            done = subprocess.run(
                moved(rest), shell=True, cwd=folder, env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{rest}\n{done.stderr[-2000:]}"
    ask = ["heliograph", "demo", "--scale", "0.005", "--json"]
    made = subprocess.run(ask, cwd=folder, env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert (image / "data/traces/demo/current/trace.json").is_file()
    assert list((image / "app/.cache/numba").rglob("*.nbc")), "compiled kernels must be part of the image"
