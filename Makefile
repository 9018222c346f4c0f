# Every command of the project. Each sets up what it needs in .venv; nothing but Python, make and PyPI is expected.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PRODUCT := $(VENV)/product
SERVER := $(VENV)/server
SET_UP := $(VENV)/set-up
PIP := $(BIN)/python -P -m pip --quiet --disable-pip-version-check
BENCH_OUT := build/bench
JOBS ?= 2
# What is reckoned in tests is small: threads that wait for their part of it, turning, take a core from other tests.
ONE_THREAD := OPENBLAS_NUM_THREADS=1
# Files in memory where there is plenty of it: the tests make tens of thousands.
IN_MEMORY := $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 8000000 ] 2>/dev/null && echo TMPDIR=/dev/shm)

# Hundreds of processes are started by the tests: each would compile all its modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo serve test test-all lint types audit lock openapi schema doors train bench wheel model clean
.NOTPARALLEL:

help: ## Show this list
	@echo "PYTHON=python3.12 takes another Python, ARGS='...' goes to pytest or to serve, JOBS=4 runs more tests at once."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

demo: model ## Remember eight weeks of somebody's life, and answer from them
	@$(BIN)/yesteryear demo

serve: $(SERVER) model ## Serve memories in yesteryear.db at 127.0.0.1:8377, with the worker; ARGS='--port 8378'
	@$(BIN)/yesteryear serve $(ARGS)

test: $(SET_UP) model ## Run the tests that take seconds (three minutes in all, on two cores)
	@$(IN_MEMORY) $(ONE_THREAD) $(BIN)/python -m pytest -m "not heavy and not matrix" --numprocesses $(JOBS) --dist worksteal $(ARGS)

test-all: $(SET_UP) model ## Run all tests, those that take minutes too, and look for new counterexamples
	@$(IN_MEMORY) $(ONE_THREAD) $(BIN)/python -m pytest --hypothesis-profile explore $(ARGS)

lint: $(SET_UP) ## Check style, formatting and who may import whom
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/lint-imports

types: $(SET_UP) ## Check types
	@$(BIN)/mypy

audit: $(SET_UP) ## Look up known vulnerabilities of what is locked; needs a network, and says so without
	@$(BIN)/python -P tools/known_vulnerabilities.py

lock: $(SET_UP) ## Write requirements-dev.lock: what the development set-up is, by version and hash
	@$(BIN)/python -P tools/dev_lock.py write

openapi: $(SET_UP) ## Write what OpenAPI says of the REST door into docs/reference/openapi.json
	@$(BIN)/python tools/make_openapi.py

schema: $(SET_UP) ## Write the GraphQL schema into docs/reference/schema.graphql
	@$(BIN)/python tools/make_schema.py

doors: $(SET_UP) ## Write which verb stands at which door into docs/reference/doors.md
	@$(BIN)/python tools/make_doors.py

train: $(SET_UP) model ## Train the small heads from the rows in lab/labelled, and write their model card
	$(BIN)/yesteryear train --out src/yesteryear/core/heads/weights.json

bench: $(SET_UP) model ## Measure what the README states, into build/bench; DATA=FILE measures a LoCoMo file too
	@mkdir -p $(BENCH_OUT)
	$(BIN)/yesteryear bench latency --rows --json > $(BENCH_OUT)/latency.json
	$(BIN)/yesteryear bench context --rows --json > $(BENCH_OUT)/context.json
	$(BIN)/yesteryear bench doors --rows --json > $(BENCH_OUT)/doors.json
	$(BIN)/yesteryear bench durability --rows --json > $(BENCH_OUT)/durability.json
	$(BIN)/yesteryear bench scale --rows --json > $(BENCH_OUT)/scale.json
	$(BIN)/yesteryear bench gate --data lab/labelled/held-out/gate.jsonl --rows --json > $(BENCH_OUT)/gate.json
	$(BIN)/yesteryear bench locomo --data lab/labelled/held-out/chat.jsonl --rows --json > $(BENCH_OUT)/chat.json
	$(if $(DATA),$(BIN)/yesteryear bench ingest --data $(DATA) --rows --json > $(BENCH_OUT)/ingest.json)
	$(if $(DATA),$(BIN)/yesteryear bench locomo --data $(DATA) --rows --json > $(BENCH_OUT)/locomo.json)

wheel: $(SET_UP) model ## Build the wheel into dist, with the embedding model inside where it is installed
	@$(BIN)/python tools/make_wheel.py

# Not a file: the model lies in the user's cache folder, and checking that it is whole takes half a second.
model: $(PRODUCT) ## Install the embedding model (84 MB are loaded once; kept in the user's cache folder)
	@$(BIN)/yesteryear model install || { \
		echo "Going on without the embedding model: recall by meaning is weak, and the model's tests are skipped."; }

clean: ## Remove .venv and everything built; the model in the user's cache folder stays
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src lab tests tools -name __pycache__ -type d -exec rm -rf {} +

# Three set-ups in one folder: the product alone, with what it serves by, and with what it is developed with. Whichever is
# asked for first, the others go on top of it; that of a developer holds the other two.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "yesteryear needs Python 3.11 or newer; $(PYTHON) is: $$($(PYTHON) --version 2>&1 | head -n 1)"; \
		echo "Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -P -m venv $(VENV) || { \
		echo "$(PYTHON) cannot make virtual environments; Debian and Ubuntu have that part in the package python3-venv."; \
		exit 1; }
	@touch $@

$(PRODUCT): pyproject.toml | $(VENV)/made
	@echo "Setting up the product in $(VENV) ..."
	@$(PIP) install --editable .
	@touch $@

$(SERVER): pyproject.toml | $(VENV)/made
	@echo "Setting up the product with its server in $(VENV) ..."
	@$(PIP) install --editable '.[server]'
	@touch $@ $(PRODUCT)

$(SET_UP): pyproject.toml lab/pyproject.toml requirements-dev.lock | $(VENV)/made
	@echo "Setting up development in $(VENV) ..."
	@$(PIP) install --upgrade "pip>=25.1"
	@$(BIN)/python -P tools/dev_lock.py install
	@touch $(PRODUCT) $(SERVER) $@
