PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-all test-bounds lint coverage fuzz soak mutants bench gallery pictures screenshots notebooks figures docs lock clean

SECONDS ?= 600
MINUTES ?= 60

# One stamp file per set of extras, which are reinstalled when the requirements change.
$(VENV)/.demo: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[plot]"
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[test]"
	touch $@

demo: $(VENV)/.demo            ## main example on built-in data; writes demo/
	$(BIN)/urerf demo --out demo

test: lint                     ## lint, types, every test that is not slow
	$(BIN)/python -m pytest -n 2 --dist loadgroup

test-all: lint                 ## the slow tests as well
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "slow or not slow"

test-bounds: $(VENV)/.test     ## tests of the kernels with bounds checking
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.numba_boundscheck $(BIN)/python -m pytest tests/kernels

fuzz: $(VENV)/.test            ## hostile files, models, tables and command lines, for SECONDS=600
	$(BIN)/python -m hardening.fuzz --seconds $(SECONDS)

soak: $(VENV)/.test            ## an hour (MINUTES=60) of work in one process: memory, files, handles
	$(BIN)/python -m hardening.soak --minutes $(MINUTES)

mutants: $(VENV)/.test         ## plant 300 faults, one at a time: do the tests notice? an hour; resumes
	$(BIN)/python -m hardening.mutants --record
	$(BIN)/python -m hardening.page

coverage: $(VENV)/.test        ## lines that tests execute, outside of compiled kernels; half an hour
	$(BIN)/python -m hardening.coverage -n 2

lock: $(VENV)/.test            ## requirements.lock: all packages of the CI with their hashes
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml --extra test --extra docs --extra release --universal \
	  --python-version 3.11.9 --generate-hashes -c constraints.txt --no-header -q -o requirements.lock

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.test           ## speed compared with other tools, in one run
	$(BIN)/python -m benchmarks

gallery: $(VENV)/.test         ## run the examples; writes figures, numbers and pages to docs/gallery/
	$(BIN)/python -m examples

pictures: $(VENV)/.test        ## figures of the guide, docs/pictures/
	$(BIN)/python -m examples.pictures

$(VENV)/.notebooks: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[notebooks]"
	touch $@

notebooks: $(VENV)/.notebooks  ## execute the tutorials; writes notebooks and pages to docs/tutorials/
	$(BIN)/python -m tutorials

figures: $(VENV)/.test         ## the figures and numbers of README and the user pages, without the studies
	$(BIN)/urerf demo --out docs
	rm docs/penguins.csv
	$(BIN)/urerf demo helix --out docs
	$(BIN)/python -m benchmarks waiting

screenshots: $(VENV)/.test      ## pictures of the report, docs/pictures/report_*.png; needs Chromium
	$(BIN)/python -m examples.screenshots

$(VENV)/.docs: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[docs]"
	touch $@

docs: $(VENV)/.docs            ## docs/ as a site in site/; broken links are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache
