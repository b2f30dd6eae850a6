# Everything a newcomer or CI needs. Each target sets up what it needs, the first time and
# after pyproject.toml or a lock has changed: only Python 3.11 (or later) and make are required;
# uv is used where it is there.

VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

PYTHON ?= $(shell for candidate in python3.11 python3.12 python3.13 python3 python; do \
	if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$candidate; break; fi; done)
UV := $(shell command -v uv 2>/dev/null)

# Files side by side: three keep two cores busy, since tests of faults wait a good deal. What
# starts Ray or the embedded model takes the whole machine.
FAST_TESTS = $(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help demo test check lint lock clean

help:  ## This list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

demo: $(STAMP)  ## Evaluate a small model on six samples, on this machine
	$(BIN)/ifbench evaluate experiment=quickstart

test: $(STAMP)  ## All tests, those with Ray and with the embedded model too
	$(FAST_TESTS)
	$(BIN)/python -m pytest -m "(ray or model) and not soak"

check: lint  ## What a change must pass: format, lint, types, imports, YAML, fast tests
	$(FAST_TESTS)

lint: $(STAMP)  ## check without the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/yamllint --strict .

lock:  ## Resolve the dependencies anew, into both locks; needs uv
	@test -n "$(UV)" || { echo "make lock needs uv: https://docs.astral.sh/uv"; exit 1; }
	$(UV) lock --upgrade
	$(UV) export --quiet --locked --all-extras --no-hashes --no-emit-project --no-header \
		--no-annotate --output-file requirements.lock

clean:  ## Remove the environment and what tools left; results (store/) stay
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(STAMP): pyproject.toml uv.lock requirements.lock
	@test -n "$(PYTHON)" || { echo "ifbench needs Python 3.11 or later, and none is on PATH"; exit 1; }
	@echo "Installing into $(VENV) with $(if $(UV),uv,pip); the first time takes some minutes."
ifneq ($(UV),)
	UV_PROJECT_ENVIRONMENT="$(VENV)" $(UV) sync --quiet --locked --all-extras --python "$(PYTHON)"
else
	@$(PYTHON) -c 'import ensurepip, venv' || { \
		echo "$(PYTHON) cannot make virtual environments (on Debian: apt-get install python3-venv)"; \
		exit 1; }
	$(PYTHON) -m venv --clear "$(VENV)"
	$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --no-compile --requirement requirements.lock
	$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --editable .
endif
	@touch $@
