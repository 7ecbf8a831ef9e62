# Short names of all development tasks. `make help` lists them.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
SOURCES = $$(git ls-files '*.cpp' '*.hpp')
DOCUMENTS = $$(git ls-files 'docs/*.md')

.PHONY: help setup build run demo python classes test test-all test-cpp test-web test-python test-sanitized test-clang test-service test-extension test-random test-asan test-tsan fuzz torture bench bench-tuned \
        bench-ablation bench-stuck bench-memory bench-drift bench-contexts bench-flight bench-service bench-page bench-peers coverage trials gallery figures screenshots docs tables format lint \
        wheel deb tarball dist try-dist clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s  %s\n", $$1, $$2}' Makefile

setup:
	@scripts/setup.sh build

build: setup  ## Build everything; the tool is build/canopy
	@cmake --preset release
	@cmake --build --preset release

.PHONY: tool
tool: setup
	@mkdir -p build && echo "Building (the first time takes a few minutes) ..."
	@cmake --preset release > build/build.log 2>&1 \
	  && cmake --build --preset release --target canopy_tool >> build/build.log 2>&1 \
	  || { cat build/build.log; exit 1; }

run: tool  ## Build, then run the paper's experiments: tables, figures and a page in out/paper
	build/canopy experiment experiments/paper.toml

SECONDS = 60
demo: tool  ## Build, then tune a simulated shop live for a minute, with the page open (SECONDS=300 for longer)
	@scripts/setup.sh demo
	@python3 examples/demo/demo.py --seconds $(SECONDS)

# Incremental, unlike `pip install .`: build tools are kept in the environment instead of being fetched for every build.
python: setup python-environment  ## Build the wheel and install it in build/python, a virtual environment
	@rm -rf build/wheel && build/python/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	  --config-settings=build-dir=build/python/cmake --wheel-dir build/wheel .
	@build/python/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/*.whl

classes: python  ## Generate the Python classes of all optimizers from the catalogue in C++
	@build/python/bin/python scripts/python_classes.py
	@$(MAKE) python

wheel: setup  ## Build, check and test manylinux wheels for Python 3.10 to 3.13 into build/wheels/repaired (minutes)
	@PYTHONS="$(PYTHONS)" scripts/wheel.sh build/wheels

tarball: setup  ## Build the tool with as few shared libraries as possible, as a tarball in build/dist
	@cmake --preset portable
	@cmake --build --preset portable --target canopy_tool
	@scripts/tarball.sh build/portable build/dist

dist: deb wheel tarball  ## Everything of a release in build/dist: packages, wheels, sources, tarball, SBOM, checksums (half an hour)
	@scripts/dist.sh build/dist

try-dist:  ## Try what `make dist` made in bare userlands of Debian 12 and 13, under systemd and as a container (root)
	@scripts/setup.sh dist
	@scripts/try_install.sh build/dist/canopy-*-linux-*.tar.gz bookworm trixie
	@suite=$$(. /etc/os-release && echo $$VERSION_CODENAME) && scripts/try_install.sh build/dist/canopy_*.deb $$suite \
	  && scripts/try_systemd.sh build/dist/canopy_*.deb $$suite && scripts/try_container.sh build/dist $$suite

deb: setup  ## Build Debian packages of the tool and the libraries into build/deb
	@scripts/setup.sh deb
	@cmake --preset release
	@cmake --build --preset release --target canopy_packages
	@cd build && cpack -B deb
	@rm -rf build/deb/_CPack_Packages && ls build/deb

test: test-cpp test-web test-python  ## Run all tests: C++, the page in a browser, the installed Python package

test-cpp: build
	@scripts/setup.sh test
	@ctest --preset release

test-all: test test-random test-asan test-tsan test-clang test-extension test-service torture trials  ## Run `make test`, sanitizers, another compiler and long campaigns (hours)

test-sanitized: setup  ## Test studies, stores and the tuner under the address and undefined-behaviour sanitizers
	@scripts/setup.sh test
	@cmake --preset asan
	@cmake --build --preset asan --target studies_test
	@build/asan/tests/studies_test --gtest_brief=1

test-clang: setup  ## Build the library with clang
	@scripts/setup.sh test
	@cmake --preset clang
	@cmake --build --preset clang

test-web: build  ## Test the live page: its functions, and the page in a real browser
	@scripts/setup.sh test
	@cd web && npm run --silent test && npm run --silent test:pages

test-python: build python  ## Test the Python package as installed from its wheel
	@build/python/bin/python -m pytest -q tests/python

test-service: build python-environment  ## Test a server's answers against its OpenAPI document (minutes)
	@build/python/bin/pip install --quiet --disable-pip-version-check -r tests/service/requirements.txt
	@build/python/bin/python tests/service/fuzz.py 100

test-extension: setup  ## Add an optimizer, an event, a kind of parameter and a store to a copy of the tree, and test them (minutes)
	@tests/extension/run.sh .

test-random: build python  ## Test properties on ten times as many random cases, with a new seed (minutes)
	@cd build/tests && for name in library_test rooms_test studies_test; do \
	  RC_PARAMS=max_success=1000 ./$$name --gtest_brief=1 --gtest_filter=-*Postgres* || exit 1; done
	@CANOPY_EXAMPLES=600 build/python/bin/python -m pytest -q tests/python

test-asan: setup  ## Run all tests under the address and undefined-behaviour sanitizers
	@cmake --preset asan
	@cmake --build --preset asan
	@ctest --preset asan

test-tsan: setup  ## Run all tests under the thread sanitizer
	@cmake --preset tsan
	@cmake --build --preset tsan
	@ctest --preset tsan

bench: build python  ## Measure speed, as ratios of runs side by side
	@cmake --build --preset release --target canopy_bench studies_bench stores_bench
	@build/bench/canopy_bench
	@build/bench/studies_bench
	@build/bench/stores_bench
	@bench/parallel.sh build
	@build/python/bin/pip install --quiet --disable-pip-version-check --no-build-isolation bench/python
	@build/python/bin/python bench/python/bench.py build/canopy
	@build/python/bin/python bench/python/experiment.py

bench-service: build python  ## Measure the service under load on SQLite and PostgreSQL, compared with Optuna (minutes)
	@cmake --build --preset release --target service_load
	@build/python/bin/pip install --quiet --disable-pip-version-check -r bench/service/requirements.txt
	@build/python/bin/python bench/service/bench.py

bench-page: build  ## Measure speed and memory of the live page with a million events (minutes)
	@scripts/setup.sh test
	@cd web && npm run --silent measure

FUZZ_SECONDS = 200
fuzz: setup  ## Fuzz all external input: documents, requests, connections (ten minutes)
	@scripts/setup.sh test
	@cmake --preset fuzz
	@cmake --build --preset fuzz --target fuzz_documents fuzz_requests fuzz_connections
	@for name in documents requests connections; do mkdir -p build/fuzz/corpus/$$name \
	  && build/fuzz/tests/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=4096 \
	    -artifact_prefix=build/fuzz/$$name- -dict=tests/fuzz/words.dict build/fuzz/corpus/$$name || exit 1; done

TORTURE = --seconds 1200
torture: build python-environment  ## Test servers and stores under kills, pauses, cut links, full disks, wrong clocks and invalid input (an hour)
	@build/python/bin/python tests/torture/torture.py $(TORTURE)
	@build/python/bin/python tests/torture/doors.py --requests 200000
	@build/python/bin/python tests/torture/memory.py --requests 1000000

coverage: build  ## Measure the coverage of the intervals of the best arm in simulated runs
	@cmake --build --preset release --target coverage
	@build/bench/coverage adaptive
	@build/bench/coverage hct

TRIALS = 200
trials: build  ## Compare the claims of the tuner with the truth in simulated systems (minutes)
	@cmake --build --preset release --target trials
	@build/bench/trials $(TRIALS)

bench-tuned: build  ## Compare the adaptive tree with HCT tuned by hindsight (minutes)
	@cmake --build --preset release --target against_tuned
	@build/bench/against_tuned

bench-ablation: build  ## Measure the effect of each part of the adaptive tree (minutes)
	@cmake --build --preset release --target ablation
	@build/bench/ablation

bench-stuck: build  ## Measure how often the adaptive tree gets stuck, with several remedies (minutes)
	@cmake --build --preset release --target stuck
	@build/bench/stuck

bench-memory: build  ## Compare the adaptive tree with HCT tuned by hindsight in systems with memory (minutes)
	@cmake --build --preset release --target memory
	@build/bench/memory

bench-flight: build  ## Measure the adaptive tree with many pulls in flight (a minute)
	@cmake --build --preset release --target in_flight
	@build/bench/in_flight

bench-peers: build python  ## Compare other tools with canopy (half an hour)
	@build/python/bin/pip install --quiet --disable-pip-version-check -r bench/peers/requirements.txt
	@build/python/bin/python bench/peers/peers.py build/canopy
	@build/python/bin/python bench/peers/family.py
	@build/python/bin/python bench/peers/small_budget.py --out build/small_budget.md

bench-drift: build  ## Measure the adaptive tree in drifting and in stationary systems (minutes)
	@cmake --build --preset release --target drift
	@build/bench/drift

bench-contexts: build  ## Compare the adaptive tree with contexts, without contexts and as separate trees (minutes)
	@cmake --build --preset release --target contexts contexts_live
	@build/bench/contexts
	@build/bench/contexts_live

gallery: python  ## Run the Python examples and draw the figures of docs/gallery.md
	@mkdir -p docs/figures/python
	@for script in examples/python/*.py; do echo "$$script"; \
	  build/python/bin/python $$script docs/figures/python/$$(basename $$script .py).png || exit 1; done

figures: build  ## Draw the figures of docs/environments.md and docs/adaptive.md
	@mkdir -p docs/figures
	@cmake --build --preset release --target model_picture moving_picture
	@build/bench/model_picture | gnuplot > docs/figures/adaptive_model.png
	@build/bench/moving_picture jumps | gnuplot > docs/figures/adaptive_jumps.png
	@build/bench/moving_picture traffic-day | gnuplot > docs/figures/adaptive_traffic_day.png
	@for name in $$(build/canopy simulate --list | sed '1,/^Environments/d' | awk '!/hartmann/ {print $$1}'); do \
	  build/canopy environment $$name --draw docs/figures/$$name.png > /dev/null || exit 1; done

screenshots: build python-environment  ## Tune simulated systems and take the screenshots of the live page for docs and README
	@scripts/setup.sh test
	@rm -rf build/frames && cd web && CANOPY_FRAMES=../build/frames npm run --silent screenshots
	@build/python/bin/python scripts/animate.py build/frames docs/figures/demo.gif

docs:  ## Build the site of the documents in build/site; broken links are errors
	@scripts/site/build.sh

tables: build  ## Measure the tables of numbers in the sources again (minutes)
	@build/tools/tabulate_cart_pole > build/cart_pole_table.inc
	@mv build/cart_pole_table.inc src/environments/cart_pole_table.inc

format: lint-setup build  ## Format all sources in place, and generate the tables of the documents
	@build/tools/tabulate_docs $(DOCUMENTS)
	@clang-format -i $(SOURCES)
	@build/python/bin/ruff format --quiet .
	@build/python/bin/ruff check --quiet --select I --fix .
	@cd web && npm run --silent format

lint: lint-setup build python  ## Check formatting, and run clang-tidy, ruff, mypy and tsc
	@build/tools/tabulate_docs --check $(DOCUMENTS)
	@clang-format --dry-run --Werror $(SOURCES)
	@build/python/bin/ruff format --quiet --check .
	@build/python/bin/ruff check --quiet .
	@build/python/bin/mypy --no-error-summary
	@cd web && npm run --silent check
	@scripts/lint.py

.PHONY: lint-setup
lint-setup: python-environment
	@scripts/setup.sh lint
	@build/python/bin/pip install --quiet --disable-pip-version-check mypy ruff

.PHONY: python-environment
python-environment:
	@scripts/setup.sh python
	@test -x build/python/bin/python || python3 -m venv build/python
	@build/python/bin/pip install --quiet --disable-pip-version-check -r tests/python/requirements.txt

clean:  ## Remove everything built
	@rm -rf build web/node_modules web/dist
