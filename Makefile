# Every target sets up what it needs; `make demo` and `make test` are all a newcomer has to know.
VENV    := .venv
PYTHON  ?= python3
BIN     := $(VENV)/bin
READY   := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
PEERS_READY := $(VENV)/.peers-ready
RELEASE_READY := $(VENV)/.release-ready

# Numba's disk cache does not notice edits in files that a jitted function calls into, so the
# cache folder carries a hash of every source file that holds jitted code.
JIT_HASH = $(shell grep -rlE '^@(jit|jit_fast|jit_rows|overload|register_jitable)|^from numba' src/weft --include='*.py' | LC_ALL=C sort | xargs cat | cksum | cut -d' ' -f1)
export NUMBA_CACHE_DIR = $(CURDIR)/.cache/numba/$(JIT_HASH)

.PHONY: demo test test-all test-targets test-minimum test-kills fuzz fuzz-models lint format bench bench-report bench-serve models docs browser release clean

demo: $(READY)
	@$(BIN)/weft demo

test: $(READY)
	@$(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m nojit -q --durations=0 --no-header tests

test-all: $(READY)
	@$(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile -m "slow or not slow"
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m nojit -q --durations=0 --no-header tests

# As if on other processors: all targets of tests/targets.py, or those that TARGETS names.
test-targets: $(READY)
	@$(BIN)/python tests/targets.py $(TARGETS)

# The lowest versions that pyproject.toml names and that have wheels for PYTHON, in an environment of their own.
MINIMUM = .cache/minimum-$(notdir $(PYTHON))
test-minimum:
	@test -x $(MINIMUM)/bin/python || $(PYTHON) -m venv $(MINIMUM)
	@$(MINIMUM)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(MINIMUM)/bin/uv pip install --quiet --python $(MINIMUM) --resolution lowest-direct --no-build -r pyproject.toml --extra dev
	@$(MINIMUM)/bin/uv pip install --quiet --python $(MINIMUM) --no-deps --editable .
	@$(MINIMUM)/bin/uv pip list --python $(MINIMUM)
	@NUMBA_CACHE_DIR=$(NUMBA_CACHE_DIR)-minimum $(MINIMUM)/bin/python -m pytest -n logical --maxprocesses 4 --dist loadfile $(TESTS)

# Kills at random moments of saves and of trainings that go on with --resume.
SAVES ?= 1000
TRAININGS ?= 200
test-kills: $(READY)
	@$(BIN)/python tests/kills.py --saves $(SAVES) --trainings $(TRAININGS)

# Crafted model files: as they run, and once more with checked indices, which show what luck would hide.
CASES ?= 20000
fuzz-models: $(READY)
	@$(BIN)/python tests/fuzzing/model_files.py --cases $(CASES)
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(NUMBA_CACHE_DIR)-checked $(BIN)/python tests/fuzzing/model_files.py --cases $(CASES)

# Damaged files for everything that reads: SECONDS for all readers, or for those that READER names; SEED is the first case.
SECONDS ?= 60
SEED ?= 0
fuzz: $(READY)
	@$(BIN)/python tests/fuzzing/files.py --seconds $(SECONDS) --seed $(SEED) $(if $(CASES_EACH),--cases $(CASES_EACH)) $(if $(READER),--reader "$(READER)")

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(PEERS_READY)
	@$(BIN)/python -m benchmarks $(BENCH)

# Time and memory against size, weft and its strongest peers: docs/_static/growth.png.
bench-report: $(PEERS_READY)
	@$(BIN)/python -m benchmarks.growth

# A server on the loopback: speed beside calls in process, 100,000 requests, swapped models and killed workers.
bench-serve: $(READY)
	@$(BIN)/python -m benchmarks.serving speed
	@$(BIN)/python -m benchmarks.serving costs
	@$(BIN)/python -m benchmarks.serving load
	@$(BIN)/python -m benchmarks.serving life

# The models that come with the package, made again from their data below WEFT_DATA; all of them, or those that MODELS names.
models: $(READY)
	@$(BIN)/weft models --build $(MODELS) --output src/weft/models

docs: $(DOCS_READY)
	@$(BIN)/sphinx-build -E -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

# Builds VERSION and tries its wheel on every Python at hand, or on PYTHONS; nothing is published (docs/project/releasing.md).
release: $(RELEASE_READY)
	@$(BIN)/python -m release $(or $(VERSION),$(error VERSION is missing; give one, as in: make release VERSION=0.2.0)) $(addprefix --python ,$(PYTHONS))

# Reports are looked at in a real browser; where none can be installed, those tests skip and say so.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	    timeout 300 sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium' >/dev/null 2>&1 || \
	    echo "no Chromium, and none could be installed: tests in a browser skip"

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(DOCS_READY): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(PEERS_READY): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]'
	@touch $@

$(RELEASE_READY): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	@touch $@

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/_build build dist
