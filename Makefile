# Two commands do everything on a fresh machine with Python 3.11+ and a C compiler:
#   make demo    install and show what it does
#   make test    install with the test extras and run the whole suite

PYTHON ?= python3
BIN := .venv/bin
DATA ?=
SPELLED := src tests docs benchmarks reproduce tools examples README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md
SOURCES := pyproject.toml meson.build meson.options $(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name 'meson.build' -o -path '*/_show/*' -type f -not -name '*.pyc')

FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 0

.PHONY: demo test test-oldest fuzz chromium servers screenshot lint bench reproduce reproduce-propagation reproduce-classifiers coverage clean

demo: .venv/demo.stamp
	$(BIN)/python examples/wine.py build/wine.csv
	$(BIN)/modlearn fit build/wine.csv --target class --pairs all --out build/wine.class.modlearn.json
	@echo "Open the report in a browser: file://$(CURDIR)/build/wine.class.modlearn.html"

# One process runs the tests of Spark, which has two threads of its own: one session serves them all.
test: .venv/test.stamp chromium servers
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not spark" tests
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -m spark tests

# The tests of everything that meets another library, with the lowest version of each that is allowed,
# on the lowest Python: later ones have no wheels of such versions. Warnings are errors here too, except
# two about what an old library does with a newer one (Matplotlib 3.9 with pyparsing, faiss 1.9 with
# NumPy 2), and those about sockets that PySpark 4.0 leaves open.
OLDEST_PYTHON ?= python3.11
OLDEST_TESTS := tests/_tables tests/_export tests/_jobs tests/_model tests/_neighbors tests/_show \
	tests/_estimators tests/cli tests/test_cli.py tests/test_parallel.py \
	tests/test_files.py
test-oldest: .venv-oldest/test.stamp servers
	SCIPY_ARRAY_API=1 .venv-oldest/bin/python -m pytest -n 2 --dist loadfile \
		-W ignore::pyparsing.warnings.PyparsingDeprecationWarning \
		-W "ignore:numpy.core._multiarray_umath is deprecated:DeprecationWarning" \
		-W "ignore:unclosed <socket:ResourceWarning" \
		$(OLDEST_TESTS) --ignore tests/_show/test_browser.py

.venv-oldest/test.stamp: $(SOURCES) tools/oldest.py
	$(OLDEST_PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/pip install --quiet --upgrade pip
	.venv-oldest/bin/python -m tools.oldest > .venv-oldest/requirements.txt
	.venv-oldest/bin/pip install --quiet . --requirement .venv-oldest/requirements.txt \
		hypothesis jpmml-evaluator onnxruntime 'psycopg[binary]' pytest pytest-xdist
	touch $@

# Generated tables, damaged files and models, growth and kills; see docs/reliability.md.
fuzz: .venv/test.stamp
	$(BIN)/python -m tools.fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# The browser of the tests of the report; where it cannot be installed, they are skipped and say so.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		{ command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		{ apt-get install -y chromium || { apt-get update && apt-get install -y chromium; }; }; } || \
		echo "No chromium, and it cannot be installed here: tests in a browser will be skipped."

# What runs exported models in the tests: PostgreSQL for SQL, and Java for PMML and Spark.
servers:
	@for needed in "java default-jre-headless" "psql postgresql"; do \
		set -- $$needed; command -v $$1 >/dev/null || \
		{ command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		{ apt-get install -y $$2 || { apt-get update && apt-get install -y $$2; }; }; } || \
		echo "No $$2, and it cannot be installed here: its tests will be skipped."; \
	done

# The picture of the report in the docs.
screenshot: .venv/test.stamp chromium
	$(BIN)/python -m tools.screenshot

# Every check runs, also after one that fails: what is left to do is seen at once.
lint: .venv/test.stamp
	@failed=; \
	for check in "ruff check ." "ruff format --check ." "mypy" "codespell $(SPELLED)" \
		"python -m tools.contracts" "python -m tools.private_names" "python -m tools.banned_phrases"; do \
		echo "$$check"; $(BIN)/$$check || failed="$$failed\n  $$check"; \
	done; \
	[ -z "$$failed" ] || { printf "These checks failed:$$failed\n"; exit 1; }

# Speed, memory and quality against peers; DATA=folder adds the 30 UCI sets (uci30/*.parquet).
bench: .venv/bench.stamp
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.discretization
	$(BIN)/python -m benchmarks.grouping
	$(BIN)/python -m benchmarks.propagation
	$(BIN)/python -m benchmarks.classifiers
	$(BIN)/python -m benchmarks.new_rows
	$(BIN)/python -m benchmarks.command_line
	$(BIN)/python -m benchmarks.exports
	$(BIN)/python -m benchmarks.engines
	$(BIN)/python -m benchmarks.engine_tiers
	$(BIN)/python -m benchmarks.engine_pairs
	$(BIN)/python -m benchmarks.engine_memory
	$(BIN)/python -m benchmarks.planning
	$(BIN)/python -m benchmarks.spark_cluster
	$(BIN)/python -m benchmarks.against_khiops $(if $(DATA),--data $(DATA))
	$(BIN)/python -m benchmarks.pairs $(if $(DATA),--data $(DATA))

# The figures of the papers, recomputed, with their numbers, into docs/figures.
reproduce: .venv/test.stamp
	$(BIN)/python -m reproduce

# Those of label distribution propagation: runtime and steps; DATA=folder (uci30/*.parquet,
# digits/*.parquet) adds the accuracies, which take one to two hours.
reproduce-propagation: .venv/test.stamp
	$(BIN)/python -m reproduce.propagation $(if $(DATA),--data $(DATA))

# The classifiers on the 30 UCI sets (DATA=folder with uci30/*.parquet): table 2, figures 4 and 5.
reproduce-classifiers: .venv/test.stamp
	$(BIN)/python -m reproduce.classifiers --data $(or $(DATA),$(error DATA=folder is needed))

# Lines of the Python and Cython sources that the tests reach, from a build of its own that counts
# them for gcov; built anew, as counts of earlier runs would be added to.
coverage:
	$(PYTHON) -m venv .venv-coverage
	.venv-coverage/bin/pip install --quiet --upgrade pip
	.venv-coverage/bin/pip install --quiet meson-python "Cython>=3.1" "numpy>=2.0" ninja
	rm -rf build/coverage
	PATH="$(CURDIR)/.venv-coverage/bin:$$PATH" .venv-coverage/bin/pip install --quiet \
		--no-build-isolation -Csetup-args=-Dcoverage=true -Cbuild-dir=build/coverage --editable '.[test]'
	PATH="$(CURDIR)/.venv-coverage/bin:$$PATH" SCIPY_ARRAY_API=1 .venv-coverage/bin/python -m pytest \
		-n 2 --dist loadfile --cov --cov-report= tests; tested=$$?; \
	.venv-coverage/bin/python -m tools.coverage_table && exit $$tested

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip

.venv/demo.stamp: .venv/bin/python $(SOURCES)
	$(BIN)/pip install --quiet . pandas
	touch $@

.venv/test.stamp: .venv/bin/python $(SOURCES)
	$(BIN)/pip install --quiet '.[test]'
	touch $@

.venv/bench.stamp: .venv/bin/python $(SOURCES)
	$(BIN)/pip install --quiet '.[bench,approximate]'
	touch $@

clean:
	rm -rf .venv .venv-coverage .venv-oldest build
