# Heliograph: make run, make test. Needs python3 (3.11 or newer) with venv, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

.DEFAULT_GOAL := help
.PHONY: help run setup setup-dev test lint format bench screenshots lock clean

help:  ## Say what each target does
	@grep -hE '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: setup  ## Start Heliograph with a small demo trace at http://127.0.0.1:8050
	@exec $(BIN)/heliograph serve --with-demo

setup: $(VENV)/.ready  ## Create .venv with the heliograph command in it

setup-dev: $(VENV)/.ready-dev

$(VENV)/.ready: requirements.txt pyproject.toml
	@echo "Setting up $(VENV) (a minute, once) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Heliograph needs Python 3.11 or newer; set PYTHON=python3.x")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@$(BIN)/python -c "import scheduling; scheduling.compile_kernels()"
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@

test: lint  ## Lint, then every test, the browser's included
	@sh tests/browser/find_browser.sh
	@$(BIN)/python -c "import scheduling; scheduling.compile_kernels()"
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

lint: setup-dev  ## ruff, mypy on the domain rooms, hadolint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/hadolint Dockerfile

format: setup-dev  ## Let ruff put the code in shape
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

bench: setup  ## Measure how fast things are; one JSON object (names: docs/reference/benchmarks.md)
	@$(BIN)/python -m benchmarks

screenshots: setup-dev  ## Photograph every page in both themes into docs/screenshots
	@sh tests/browser/find_browser.sh
	@$(BIN)/python -m tests.browser.screenshots docs/screenshots

lock:  ## Resolve the dependencies anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml -o requirements.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt

clean:  ## Remove the environment and caches, never data
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
