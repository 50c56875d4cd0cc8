# Everything runs in an environment of its own, .venv, which is made when first needed and renewed when
# a pyproject.toml changes. It takes Python 3.11 or newer and make; packages come from pip's own index.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Conversations for `make bench`: LoCoMo's development part when it is there, else our own example.
LOCOMO := ../shared/data/locomo-dev.json
EXAMPLE := out/ten_months.locomo.json
BENCH_FILE ?= $(if $(wildcard $(LOCOMO)),$(LOCOMO),$(EXAMPLE))
BENCH_SIZES ?= 1000,20000,100000
BENCH_FLAT ?= 1000000

PAGES := README.md CONTRIBUTING.md packages/hmem-testing/README.md docs

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
# Bytecode is kept: what is installed is compiled when it is first imported.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test check check-types check-rest fuzz mutants torture citus hosts typescript explore pictures bench heads docs site wheels release release-version release-check sbom audit licences schemathesis clean

help:
	@echo "make demo     ten months of a conversation: remembered, asked, measured"
	@echo "make test     all tests"
	@echo "make check    format, lint, types, import contract, documents and their examples"
	@echo "make fuzz     the property tests, with new examples each time"
	@echo "make mutants  which changes of the code no test notices (hours; GROUP=erasure takes some)"
	@echo "make torture kills, full disks, wrong clocks, damaged indices, many writers (an hour or two; TESTS=kills takes some)"
	@echo "make citus    the tests on Citus, which it builds if SOURCE=, SHA256= and HEADERS= are given (see tests/build_citus)"
	@echo "make hosts    the tests with real agent hosts, installed from the registries (TESTS=openclaw takes some)"
	@echo "make typescript the npm package of clients/typescript, built and packed in dist"
	@echo "make cluster  three servers (behind nginx if there is one) and two workers over one Postgres, under load, while parts are killed (KILLS=20)"
	@echo "make explore  the explorer of memories, built and opened on the example of ten months (EXPORT=export.zip: on yours)"
	@echo "make pictures the pictures of the explorer in docs, and its sizes and timings"
	@echo "make bench    the table of speed, beside that of the last release (ONLY=recall,long takes some)"
	@echo "make heads    learn the heads of the encoder anew, and what each is worth beside plain rules (DRY=1 keeps them)"
	@echo "make docs     write the generated parts of the documents anew"
	@echo "make site     the documentation as a site that can be searched offline, in out/site"
	@echo "make wheels   every wheel, built twice and compared, in dist"
	@echo "make release  sdists, and wheels made from them, in dist; release-check tries them outside of the repository"
	@echo "make sbom     the parts of an installation, as CycloneDX, in dist"
	@echo "make audit    known vulnerabilities of these parts (asks the Python Package Index)"
	@echo "make licences the licences of all dependencies"
	@echo "make schemathesis requests made from the server's description, with five seeds (SEEDS, EXAMPLES)"
	@echo "make clean    remove what make made"

PACKAGES := packages/hmem-agents packages/hmem-encoder packages/hmem-english packages/hmem-evals packages/hmem-import packages/hmem-postgres packages/hmem-testing

$(READY): pyproject.toml $(PACKAGES:%=%/pyproject.toml) .ci/venv
	@sh .ci/venv $(VENV)
	@$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]' $(PACKAGES:%=--editable %)
	@touch $@

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

# The suite asks the same examples each time, so that it says of a change what the change did.
fuzz: $(READY)
	HMEM_SYNC_EDITS=1000 $(BIN)/python -m pytest -m hypothesis --hypothesis-profile fuzz --timeout 1800 -o faulthandler_timeout=2000 --numprocesses auto --dist worksteal

# For the night, not for each change: what it mutates, and what may survive, is in tests/mutants.toml.
mutants: $(READY)
	@$(BIN)/python -m pip install --quiet --editable '.[mutants]'
	$(BIN)/python -m tests.mutants $(GROUP)

# For the night too. `make test` has a short run of each.
torture: $(READY)
	$(BIN)/hmem torture --night $(TESTS)

# `make test` runs them too where there is a build, or where HMEM_CITUS names a database.
citus: $(READY)
	$(if $(SOURCE),tests/build_citus $(SOURCE) $(SHA256) $(HEADERS) out/citus)
	$(BIN)/python -m pytest -k citus packages/hmem-postgres/tests

# Real agent hosts: gigabytes of other people's programs, so not in `make test`.
hosts: $(READY)
	HMEM_HOSTS=install $(BIN)/python -m pytest -m hosts tests/hosts packages/hmem-evals/tests/peers $(if $(TESTS),-k '$(TESTS)') --timeout 900 -o faulthandler_timeout=1200

# Its types are made from the server's own description, so none of them is kept. Node comes from a wheel.
typescript: export PATH := $(abspath $(BIN)):$(PATH)
# Node has certificates of its own; behind a proxy the machine's are needed too.
typescript: export NODE_USE_SYSTEM_CA := 1
typescript: $(READY)
	cd clients/typescript && npm install --no-audit --no-fund --loglevel=error
	cd clients/typescript && python scripts/describe.py | npm run --silent generate && npm run --silent build
	mkdir -p dist && cd clients/typescript && npm pack --loglevel=error --pack-destination $(abspath dist)

KILLS ?= 1

# Behind nginx where it is installed. Postgres comes with the development environment.
cluster: $(READY)
	$(BIN)/python -m benchmarks.cluster --kills $(KILLS)

# The page of `hmem explore`, and of `hmem serve` under /explore. Node comes from a wheel here, too.
EXPLORER := src/hmem/interfaces/explorer/index.html
PAGE_OF := explorer/build.py explorer/index.html explorer/package.json explorer/package-lock.json $(shell find explorer/src clients/typescript/src clients/typescript/scripts -type f -not -path '*/generated/*') $(wildcard src/hmem/interfaces/*.py) src/hmem/interfaces/rest/openapi.py

$(EXPLORER): $(READY) $(PAGE_OF)
	@$(BIN)/python explorer/build.py

EXPLORED := out/explore/example.hmem

$(EXPLORED): $(READY) examples/ten_months.jsonl
	@mkdir -p $(@D)
	@$(BIN)/hmem import --memory $@ examples/ten_months.jsonl

explore: $(EXPLORER) $(if $(EXPORT),,$(EXPLORED))
	@$(BIN)/hmem explore "$(or $(EXPORT),$(EXPLORED))" $(if $(NO_BROWSER),--no-browser)

# The pictures of docs/explorer.md, and its table of sizes and timings.
pictures: $(READY)
	HMEM_HOSTS=install HMEM_PICTURES=$(abspath docs/pictures/explorer) $(BIN)/python -m pytest -s -m hosts tests/hosts/test_explorer.py -k "pictures or measured" --timeout 1800 -o faulthandler_timeout=2000

# Types take as long as all the rest, on one core.
check: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 check-types check-rest

check-types: $(READY)
	$(BIN)/pyright

check-rest: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python .ci/names.py
	$(BIN)/python docs/generate_architecture.py --check
	$(BIN)/python docs/generate_errors.py --check
	$(BIN)/python docs/generate_cli.py --check
	$(BIN)/python docs/generate_rest.py --check
	$(BIN)/python docs/generate_settings.py --check
	$(BIN)/python docs/check_commands.py $(PAGES)
	$(BIN)/python docs/check_pages.py
	$(BIN)/python -m pytest -q --numprocesses auto --dist loadfile $(PAGES)
	$(BIN)/python examples/run_notebook.py examples/notebook.ipynb
	$(SITE)

# Its tables: packages/hmem-encoder/README.md. The closed half of the chats is never read.
heads: $(READY)
	$(BIN)/python packages/hmem-encoder/making/train_heads.py $(if $(DRY),--dry)

# Its table, beside that of the last release: docs/figures.md. Hours at full size; memories it formed stay in out/bench.
bench: $(READY) $(EXAMPLE)
	$(BIN)/python -m benchmarks.speed $(BENCH_FILE) --sizes=$(BENCH_SIZES) --flat=$(BENCH_FLAT) $(if $(ONLY),--only $(ONLY))

$(EXAMPLE): $(READY) examples/as_locomo.py examples/ten_months.jsonl examples/ten_months.questions.json
	@$(BIN)/python examples/as_locomo.py $@

docs: $(READY)
	$(BIN)/python docs/generate_architecture.py
	$(BIN)/python docs/generate_errors.py
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_rest.py
	$(BIN)/python docs/generate_settings.py
	$(BIN)/python docs/draw_pictures.py

# A broken link or a docstring that cannot be read is an error.
SITE = $(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -c docs . out/site

site: $(READY)
	$(SITE)
	@echo "out/site/index.html"

# What is shipped: the tools for it have an environment of their own, and so has what a user would install.

TOOLS := out/tools
SHIPPED := out/shipped
SHIPPED_EXTRAS ?= client,mcp,server

$(TOOLS)/.ready:
	@sh .ci/venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet 'hatchling>=1.24' 'cyclonedx-bom>=7' 'pip-audit>=2.10' 'uv>=0.9'
	@touch $@

wheels: $(TOOLS)/.ready $(EXPLORER)
	@$(TOOLS)/bin/python .ci/supply.py wheels dist

$(SHIPPED)/.ready: pyproject.toml $(PACKAGES:%=%/pyproject.toml) | wheels
	@rm -rf $(SHIPPED)
	@sh .ci/venv $(SHIPPED)
	@$(SHIPPED)/bin/python -m pip install --quiet dist/hmem_encoder-*.whl dist/hmem_english-*.whl "$$(echo dist/hmem-[0-9]*.whl)[$(SHIPPED_EXTRAS)]"
	@touch $@

# What is released: sdists, and the wheels made from them.
release: $(TOOLS)/.ready $(EXPLORER)
	@rm -f dist/*.whl dist/*.tar.gz
	@$(TOOLS)/bin/python .ci/release.py build dist

release-version:
	@python3 .ci/release.py version $(VERSION)

# Outside of the repository: on each Python that is here, with the oldest dependencies, and each extra (EXTRAS=...).
release-check: $(TOOLS)/.ready
	@$(TOOLS)/bin/python .ci/release.py pythons dist
	@$(TOOLS)/bin/python .ci/release.py pythons dist --lowest
	@$(TOOLS)/bin/python .ci/release.py extras dist $(EXTRAS)
	@$(TOOLS)/bin/python .ci/release.py sizes dist

sbom: $(TOOLS)/.ready $(SHIPPED)/.ready
	$(TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/hmem.cdx.json $(SHIPPED)

audit: $(TOOLS)/.ready $(SHIPPED)/.ready
	$(TOOLS)/bin/pip-audit --path $(SHIPPED)/lib/python*/site-packages

licences: $(READY)
	@$(BIN)/python .ci/supply.py licences

SEEDS ?= 5
EXAMPLES ?= 50

schemathesis: $(READY)
	$(BIN)/python -m hmem_testing.schema_fuzz --seeds $(SEEDS) --examples $(EXAMPLES)

clean:
	rm -rf explorer/node_modules src/hmem/interfaces/explorer clients/typescript/node_modules clients/typescript/dist clients/typescript/src/generated
	rm -rf $(VENV) demo out dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache .grimp_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
