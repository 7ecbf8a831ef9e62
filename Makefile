# The short names of everything one does here. `make help` lists them.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
SOURCES = $$(git ls-files '*.cpp' '*.hpp')

.PHONY: help setup build run test test-asan test-tsan bench bench-peers figures tables format lint clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s  %s\n", $$1, $$2}' Makefile

setup:
	@scripts/setup.sh build

build: setup  ## Build everything; the tool is build/canopy
	@cmake --preset release
	@cmake --build --preset release

run: setup  ## Build, then run the paper's experiments: tables, figures and a page in out/paper
	@mkdir -p build && echo "Building (the first time takes a few minutes) ..."
	@cmake --preset release > build/build.log 2>&1 \
	  && cmake --build --preset release --target canopy_tool >> build/build.log 2>&1 \
	  || { cat build/build.log; exit 1; }
	build/canopy experiment experiments/paper.toml

test: build  ## Every test, and the address sanitizer on the core and the optimizers
	@scripts/setup.sh test
	@ctest --preset release
	@cmake --preset asan -DCANOPY_TOOL=OFF
	@cmake --build --preset asan
	@ctest --preset asan

test-asan: setup  ## Every test under the address and undefined-behaviour sanitizers
	@cmake --preset asan -DCANOPY_TOOL=ON
	@cmake --build --preset asan
	@ctest --preset asan

test-tsan: setup  ## Every test under the thread sanitizer
	@cmake --preset tsan
	@cmake --build --preset tsan
	@ctest --preset tsan

bench: build  ## Speed, as ratios measured side by side
	@build/bench/canopy_bench
	@build/bench/studies_bench
	@bench/parallel.sh build

bench-peers: build  ## PyXAB beside canopy, in a virtual environment of its own (minutes)
	@scripts/setup.sh peers
	@test -x build/peers/bin/python || python3 -m venv build/peers
	@build/peers/bin/pip install --quiet --disable-pip-version-check -r bench/peers/requirements.txt
	@build/peers/bin/python bench/peers/peers.py build/canopy

figures: build  ## Draw the pictures of docs/environments.md again
	@mkdir -p docs/figures
	@for name in $$(build/canopy simulate --list | sed '1,/^Environments/d' | awk '{print $$1}'); do \
	  build/canopy environment $$name --draw docs/figures/$$name.png > /dev/null || exit 1; done

tables: build  ## Measure again what stands in the sources as numbers (minutes)
	@build/tools/tabulate_cart_pole > build/cart_pole_table.inc
	@mv build/cart_pole_table.inc src/environments/cart_pole_table.inc

format: lint-setup  ## Format all sources in place
	@clang-format -i $(SOURCES)

lint: lint-setup build  ## Check formatting, and clang-tidy without a warning
	@clang-format --dry-run --Werror $(SOURCES)
	@scripts/lint.sh

.PHONY: lint-setup
lint-setup:
	@scripts/setup.sh lint

clean:  ## Remove everything built
	@rm -rf build
