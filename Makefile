# `make demo` and `make test` need Python 3.11 or later and nothing else: they create
# .venv and install into it, once, and again only when pyproject.toml changes.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 \
	python3.11 python,$(shell $(name) -c 'import sys; sys.version_info >= (3, 11) \
	and print("$(name)")' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
JOBS ?= 2

# Tests start many interpreters, which would each compile all modules anew. What mypy
# knows of modules is kept beside compiled kernels, for every copy of the sources.
export PYTHONDONTWRITEBYTECODE :=
export MYPY_CACHE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gamelore/mypy

# Of one file, all tests run in the same process: it makes once what they share.
PYTEST := $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-extras lint types docs dist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "gamelore needs Python 3.11 or later: make PYTHON=/path/to/python" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "creating $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing gamelore and its tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(INSTALLED)  ## learn a game, find its tree patterns, transfer them to another
	@$(BIN)/python examples/demo.py

test: lint types  ## lint, types and the fast tests
	$(PYTEST) -m "not slow and not timing"

test-all: lint types  ## all tests, the slow ones too
	$(PYTEST) --hypothesis-profile thorough

test-extras: $(INSTALLED)  ## tests on Ray clusters and of Stable-Baselines3
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[extras]'
	$(BIN)/python -m pytest -q tests/cluster tests/extras

lint: $(INSTALLED)  ## ruff, rules and layout
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)  ## mypy, strict
	$(BIN)/mypy

docs: $(INSTALLED)  ## the documentation as a web site, in site/
	$(BIN)/mkdocs build --strict --quiet

dist: $(INSTALLED)  ## a wheel and an sdist, built and checked, in dist/
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dist]'
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	GAMELORE_DIST=dist $(BIN)/python -m pytest -q tests/test_packaging.py

clean:  ## remove everything that was made, .venv too
	rm -rf $(VENV) site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
