# Each of these works from nothing: what is missing is installed into .venv first.
.PHONY: help run test lint bench soak lock install
.DEFAULT_GOAL := help

SEARCHED := python3 python3.14 python3.13 python3.12 python3.11 python
RECENT := import sys; sys.exit(sys.version_info < (3, 11))
# The first Python that is recent enough; .venv's own once there is one.
PYTHON = $(shell for python in .venv/bin/python $(SEARCHED); do \
	$$python -I -S -c '$(RECENT)' 2>/dev/null && { echo $$python; break; }; done)
INSTALL = @test -n "$(PYTHON)" || { echo "Bragbook needs Python 3.11 or later, and found none." >&2; exit 1; }; $(PYTHON) tools/install.py
BIN := .venv/bin
WORKERS ?= 2

help: ## what there is
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' Makefile

run: ## start Bragbook (ARGS="--port 9000" for options)
	$(INSTALL) run
	@export BRAGBOOK_LOG_LEVEL=$${BRAGBOOK_LOG_LEVEL:-warning}; exec $(BIN)/bragbook serve $(ARGS)

test: ## every test but the long ones (ARGS="tests/engine -k prial" for some)
	$(INSTALL) dev
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not soak" $(ARGS)

lint: ## style, types, layers, migrations, locks
	$(INSTALL) dev
	@$(BIN)/python tools/lint.py

bench: ## measure, beside the bare thing on the same machine (ARGS=replay for a part, BENCH_SCALE=1000000)
	$(INSTALL) bench
	@$(BIN)/python -m tests.benchmarks $(ARGS)

soak: ## the long tests
	$(INSTALL) dev
	@$(BIN)/python -m pytest -m soak $(ARGS)

lock: ## lock versions and hashes again after a change of pyproject.toml (ARGS=--upgrade for the newest)
	$(INSTALL) dev
	@$(BIN)/python tools/lock.py $(ARGS)

install: ## what tests and checks need, and nothing else
	$(INSTALL) dev
