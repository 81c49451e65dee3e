# Needs Python 3.11 or newer with pip; everything else is installed from the lock files into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PYTHONUNBUFFERED = 1
# The same files whoever runs make; no interpreter of uv's own.
# Compiled when they are installed: whoever runs Trilha may not be allowed to write there, and would wait twice
# as long for every start.
UV := $(BIN)/uv pip install --quiet --compile-bytecode --system-certs --python $(BIN)/python --require-hashes

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test test-whole check messages screenshots guide-pictures bench docs site fuzz chaos providers clients lrs-suite cmi5-suite release audit lock clean

help: ## What can be made
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try make PYTHON=python3.11"; exit 1; }
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements/run.txt requirements/build.txt pyproject.toml \
		src/trilha/kit/package-lock.json src/trilha/web/player/package-lock.json \
		src/trilha/web/learn/identity/package-lock.json \
		src/trilha/training/certificates/designs/package-lock.json \
		src/trilha/web/panel/modules/editor/package-lock.json $(wildcard src/trilha/web/panel/modules/editor/source/*.js)
	@echo "Installing from requirements/run.txt"
	@$(UV) -r requirements/run.txt -r requirements/build.txt
	@$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --no-deps --no-build-isolation -e .
	@echo "Installing what browsers load, and fonts"
	@$(BIN)/python -m trilha.core.npm kit web/player web/panel/modules/editor training/certificates/designs \
		web/learn/identity
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt clients/python/pyproject.toml
	@echo "Installing from requirements/dev.txt"
	@$(UV) -r requirements/dev.txt
	@$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --no-deps --no-build-isolation -e clients/python
	@touch $@

setup: $(VENV)/.run ## Prepare .venv/bin/trilha

setup-dev: $(VENV)/.dev

run: setup ## Start everything with a demo tenant
	@$(BIN)/trilha up --demo

# With T, the tests of a folder or a file (T=enrollments, T=contract/test_errors.py), or those whose names match.
TESTS = $(firstword $(wildcard tests/$(T) tests/*/$(T) tests/*/*/$(T) tests/test_$(T).py tests/*/test_$(T).py))

test: setup-dev ## What needs no other programs, in parallel; T=enrollments runs one feature's tests
ifdef T
	@$(BIN)/pytest $(if $(TESTS),$(TESTS),-k "$(T)")
else
	@$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m 'not long and not whole'
endif

test-whole: setup-dev ## The rest: browsers, servers, kill loops, examples, commands of the documentation
	@$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m 'whole and not long'

check: setup-dev ## Lint, format, types, layers, generated docs and clients, names, changes that break clients
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file tests/mypy.ini
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m docs.generate --check
	@$(BIN)/python -m docs.clients --check
	@$(BIN)/python -m docs.api_changes
	@$(BIN)/python -m docs.sbom --check
	@$(BIN)/python -m docs.messages --check
	@$(BIN)/python -m docs.texts --check
	@$(BIN)/python -m docs.migrations
	@$(BIN)/python -m docs.names
	@$(BIN)/python -m docs.statements

messages: setup-dev ## Bring the catalogs of translations up to date with the pages, and list all texts
	@$(BIN)/python -m docs.messages

screenshots: setup-dev ## Pictures of every page at 375 and 1440 px, light and dark, in both languages
	@PYTHONPATH=tests:. $(BIN)/python -m browser.screenshots docs/images

docs: setup-dev ## Write the generated pages of docs/, the client libraries and the bill of materials
	@$(BIN)/python -m docs.generate
	@$(BIN)/python -m docs.clients
	@$(BIN)/python -m docs.sbom

site: setup-dev ## The documentation as a site with search, in build/site; a broken link fails
	@$(BIN)/python -m docs.site build/site
	@echo "Read it with: python3 -m http.server -d build/site"

guide-pictures: setup-dev ## The pictures in docs/guides, of the demo tenant in both languages
	@PYTHONPATH=tests:. $(BIN)/python -m browser.guide_pictures

bench: setup-dev ## One page of figures with their bounds: learners at once, pages, API and more
	@$(BIN)/python -m bench

fuzz: setup-dev ## The long form of the fuzzing of API, command line and sign-in
	@$(BIN)/pytest -s -m long tests/fuzz tests/cli tests/access/sso

chaos: setup-dev ## The long form of every other test that has one: kill loops, 5,000 people, real delays
	@$(BIN)/pytest -s -m long --ignore tests/fuzz --ignore tests/access/sso --ignore tests/providers --ignore tests/clients

providers: setup-dev ## Sign in with identity providers of other languages, where they can be had
	@$(BIN)/pytest -s -m long tests/providers

clients: setup-dev ## Clients of nine generators in five languages, compiled and called, where the generators can be had
	@$(BIN)/pytest -s -rs -m 'long or not long' tests/clients

lrs-suite: ## ADL's conformance suite for learning record stores, from its checkout with packages: DIR=…
	@PYTHONPATH=tests:. $(BIN)/python -m xapi_suites.lrs $(DIR)

cmi5-suite: setup-dev ## CATAPULT's suite for cmi5 LMSs, from its checkout with packages and what they build: DIR=…
	@PYTHONPATH=tests:. $(BIN)/python -m xapi_suites.cmi5 $(DIR)

release: setup-dev ## Build the wheel, the source, the notes and the container's context; VERSION=1.2.3 cuts a version first
	@$(BIN)/python -m docs.release $(VERSION)

audit: setup-dev ## What is known against the locked versions, or since when they are in use
	@$(BIN)/python -m docs.audit

lock: ## Renew the lock files: names, versions and hashes, no addresses
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--no-header pyproject.toml -c requirements/constraints.in -o requirements/run.txt
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--no-header requirements/build.in -c requirements/run.txt -o requirements/build.txt
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--no-header --group dev pyproject.toml -c requirements/run.txt -c requirements/build.txt -o requirements/dev.txt
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
		--no-header requirements/uv.in -o requirements/uv.txt

clean: ## Remove what was installed; data in .trilha stays
	rm -rf $(VENV)
