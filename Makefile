# Front door. The README's two commands are `make demo` and `make test`; each does its own set-up.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
VENV := build/venv
export ANTAEUS_SITE_PACKAGES = $(shell echo $(CURDIR)/$(VENV)/lib/python3*/site-packages)
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
ANTAEUS := build/bin/antaeus
# What the audit and its page need, and every component (docs/architecture.md).
DEMO := antaeus_cli antaeus_parquet antaeus_meshes
ALL := $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco antaeus_python

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

setup:
	@tools/setup.sh

# A user's build never stops at a warning of a newer compiler; CI's does.
WARNINGS_AS_ERRORS := $(if $(filter true 1,$(CI)),ON,OFF)

# BATCHES=OFF compiles file by file.
RELEASE_OPTIONS := $(if $(BATCHES),-DANTAEUS_BATCHES=$(BATCHES))

# $(1): preset, $(2): further CMake definitions
define configure
@ANTAEUS_SITE_PACKAGES=$$(echo $(CURDIR)/$(VENV)/lib/python3*/site-packages) cmake --preset $(1) -DANTAEUS_WARNINGS_AS_ERRORS=$(WARNINGS_AS_ERRORS) $(RELEASE_OPTIONS) $(2) > build/configure-$(1).log 2>&1 || { tail -n 30 build/configure-$(1).log; exit 1; }
endef

demo: setup ## build what it shows, then audit the incident twin beside its good twin
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO)
	@$(ANTAEUS) demo --out build/demo; status=$$?; [ $$status -le 1 ] && echo "report: build/demo/report.html"

motion: setup ## the verbs contact and ik, and the library behind them and behind control and space
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs

studies: setup ## the verbs simulate and space: experiments in simulation
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco

all: setup ## every component, and the Python package (import antaeus in build/venv/bin/python)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(ALL)

test: setup ## build everything, run every test
	$(call configure,release)
	@cmake --build build/release -j $(JOBS)
	@tools/run_tests.sh build/release

check: setup ## after a change: compile file by file what it touches, run the quick tests (the first time builds all)
	$(call configure,dev)
	@cmake --build build/dev -j $(JOBS) --target cpp_tests
	@tools/run_tests.sh build/dev -LE 'slow|python|fuzz'

asan: setup ## the test-suite under the address and undefined-behaviour sanitizers
	$(call configure,asan)
	@cmake --build build/asan -j $(JOBS)
	@ctest --test-dir build/asan --output-on-failure -j $(JOBS) -LE 'realtime|timing'

soak: setup ## the slow proofs: a million poses, blocked targets, a million cycles of the guard with faults, hours of identified noise, force control on many contacts, passages through singular poses, identified noise in MuJoCo (the tests hold samples)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target ik_tests guard_tests experiments_tests control_tests signal_tests identification_tests antaeus_mujoco antaeus_parquet antaeus_python identified_noise
	@ANTAEUS_SOAK=1 build/bin/ik_tests --gtest_filter='Blocked.*:ReachSoak.*:*Soak*'
	@ANTAEUS_SOAK=1 build/bin/guard_tests --gtest_filter='*Soak*'
	@ANTAEUS_SOAK=1 build/bin/experiments_tests --gtest_filter='*Soak*'
	@ANTAEUS_SOAK=1 build/bin/control_tests --gtest_filter='*Soak*'
	@ANTAEUS_SOAK=1 build/bin/signal_tests --gtest_filter='*Soak*'
	@ANTAEUS_SOAK=1 build/bin/identification_tests --gtest_filter='*Soak*'
	@ANTAEUS_SOAK=1 ANTAEUS_IDENTIFIED_NOISE=$(CURDIR)/build/bin/identified_noise PYTHONPATH=$(CURDIR)/build/python \
		build/venv/bin/python -m pytest -q -s -p no:cacheprovider tests/python/mujoco_noise_test.py

bench: setup ## benchmarks against what a user would otherwise run
	$(call configure,release,-DANTAEUS_BUILD_BENCHMARKS=ON)
	@cmake --build build/release -j $(JOBS)
	@tools/run_benchmarks.sh

bench-ik: setup ## inverse kinematics of other libraries beside ours (QUICK=1: fewer targets; WRITE=1: into docs/)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs
	@ANTAEUS_CLI=$(ANTAEUS) $(VENV)/bin/python benchmarks/ik_peers.py $(if $(QUICK),--quick) $(if $(WRITE),--write)

fuzz: setup ## fuzz the parsers under the sanitizers (FUZZ_RUNS=1000000)
	$(call configure,asan)
	@cmake --build build/asan -j $(JOBS) --target fuzzers
	@for f in build/asan/tests/fuzz_*; do [ -x $$f ] && echo $$f && $$f $(or $(FUZZ_RUNS),1000000) 1 || exit 1; done

format: setup ## clang-format every C++ source
	@tools/format.sh

tidy: ## clang-tidy over src/ and apps/; a finding is an error
	@tools/setup.sh tidy
	$(call configure,release)
	@run-clang-tidy.py -p build/release -j $(JOBS) -quiet -hide-progress -extra-arg=-Wno-error '^$(CURDIR)/(src|apps)/'

docs: setup ## the generated pages of docs/, and build/docs/html from the headers' comments
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs docs_figures docs_tables
	@build/bin/docs_tables docs
	@build/bin/docs_figures docs/figures > build/docs_figures.txt && echo "numbers of docs/incident.md: build/docs_figures.txt"
	@$(VENV)/bin/python tools/compare_published.py --write
	@if command -v doxygen > /dev/null; then doxygen docs/Doxyfile && echo "reference: build/docs/html/index.html"; \
	else echo "the reference of the headers needs doxygen; install it with: sudo apt-get install doxygen"; fi

docs-simulate: setup ## run every experiment and write its figures into docs/simulate.md (some minutes)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco
	@ANTAEUS_CLI=$(ANTAEUS) $(VENV)/bin/python tools/write_simulate_table.py

clean: ## remove build/
	rm -rf build

.PHONY: help setup demo motion studies all test check asan soak bench bench-ik fuzz format tidy docs docs-simulate clean
