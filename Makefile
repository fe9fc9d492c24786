# Front door. The README's two commands are `make demo` and `make test`; each does its own set-up.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
VENV := build/venv
# $$PWD, quoted: the path of the checkout may hold spaces.
SITE_PACKAGES := echo "$$PWD"/$(VENV)/lib/python3*/site-packages
export ANTAEUS_SITE_PACKAGES = $(shell $(SITE_PACKAGES))
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
ANTAEUS := build/bin/antaeus
# What the audit and its page need, and every component (docs/architecture.md).
DEMO := antaeus_cli antaeus_parquet antaeus_meshes
ALL := $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco antaeus_python

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

# What `make demo` needs; every component; what judges them.
setup:
	@tools/setup.sh
setup-all:
	@tools/setup.sh all
setup-test:
	@tools/setup.sh all test

# A user's build never stops at a warning of a newer compiler; CI's does.
WARNINGS_AS_ERRORS := $(if $(filter true 1,$(CI)),ON,OFF)

# BATCHES=OFF compiles file by file.
RELEASE_OPTIONS := $(if $(BATCHES),-DANTAEUS_BATCHES=$(BATCHES))

# `make wheel` shares the folder of the preset release, and leaves its settings there.
NO_WHEEL := -DSKBUILD= -DANTAEUS_BESIDE_WHEELS=OFF

# $(1): preset, $(2): further CMake definitions. What tests and Python need is looked for when it is asked for.
define configure
@ANTAEUS_SITE_PACKAGES="$$($(SITE_PACKAGES))" cmake --preset $(1) -DANTAEUS_WARNINGS_AS_ERRORS=$(WARNINGS_AS_ERRORS) $(RELEASE_OPTIONS) $(NO_WHEEL) $(2) > build/configure-$(1).log 2>&1 || { tail -n 30 build/configure-$(1).log; exit 1; }
endef

demo: setup ## build what it shows, then audit the incident twin beside its good twin
	$(call configure,release,$(shell [ -e build/release/build.ninja ] || echo -DANTAEUS_BUILD_TESTS=OFF))
	@cmake --build build/release -j $(JOBS) --target $(DEMO)
	@$(ANTAEUS) demo --out build/demo; status=$$?; [ $$status -le 1 ] && echo "report: build/demo/report.html"

motion: setup ## the verbs contact and ik, and the library behind them and behind control and space
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs

studies: setup-all ## the verbs simulate and space: experiments in simulation
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco

tour: setup-all ## every system once (audit, contact, ik, force control, flight, the incident), and one page of them all
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco
	@$(ANTAEUS) tour --out build/tour; status=$$?; [ $$status -le 1 ] && echo "tour: build/tour/index.html"; exit $$status

all: setup-all ## every component, and the Python package (import antaeus in build/venv/bin/python)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(ALL)

build-tests: setup-test ## build everything that `make test` runs
	$(call configure,release,-DANTAEUS_BUILD_TESTS=ON)
	@cmake --build build/release -j $(JOBS)

test: build-tests ## build everything, run every test
	@tools/run_tests.sh build/release

wheel: setup-all ## one wheel for this Python and one for 3.12 and all later ones, in build/wheel (PYTHONS=python3.13 takes that one)
	@tools/setup.sh all wheel
	$(call configure,release,$(shell [ -e build/release/build.ninja ] || echo -DANTAEUS_BUILD_TESTS=OFF))
	@cmake --build build/release -j $(JOBS) --target $(ALL)
	@tools/make_wheel.sh

try-wheel: wheel ## install the wheel into an empty environment without compiler and source tree, and use it there
	@tools/try_wheel.sh

check: setup-test ## after a change: compile file by file what it touches, run the quick tests (the first time builds all)
	$(call configure,dev)
	@cmake --build build/dev -j $(JOBS) --target cpp_tests
	@tools/run_tests.sh build/dev -LE 'slow|python|fuzz'

asan: setup-test ## the test-suite under the address and undefined-behaviour sanitizers
	$(call configure,asan)
	@cmake --build build/asan -j $(JOBS)
	@ctest --test-dir build/asan --output-on-failure -j $(JOBS) -LE 'realtime|timing'

SOAKS := contact control episode estimation identification ik numerics pose replay robot signal sim space studies tasks trust
soak: setup-test ## the slow proofs: a million poses, blocked targets, a million cycles of every loop object with faults, hours of identified noise, force control on many contacts, passages through singular poses, identified noise in MuJoCo, what headers cost (the tests hold samples)
	$(call configure,release,-DANTAEUS_BUILD_TESTS=ON)
	@cmake --build build/release -j $(JOBS) --target $(addsuffix _tests,$(SOAKS)) $(ALL) identified_noise
	@for room in $(SOAKS); do ANTAEUS_SOAK=1 build/bin/$${room}_tests --gtest_filter='*Soak*:Blocked.*' || exit 1; done
	@$(VENV)/bin/python tools/header_costs.py --check build/release
	@ANTAEUS_SOAK=1 ANTAEUS_CLI="$$PWD/$(ANTAEUS)" ANTAEUS_IDENTIFIED_NOISE="$$PWD/build/bin/identified_noise" PYTHONPATH="$$PWD/build/python" \
		build/venv/bin/python -m pytest -q -s -p no:cacheprovider tests/python/mujoco_noise_test.py tests/python/loop_soak_test.py tests/python/hostile_numbers_test.py tests/python/ik_closest_test.py tests/live/recording_test.py tests/cli/features_test.py
	@$(MAKE) --no-print-directory test-faults

test-faults: setup-test ## inject each fault of tests/faults into a copy of the tree in build/faults: a test must fail (ONLY=text: faults with it in their name)
	@$(VENV)/bin/python tools/test_faults.py --keep-going --jobs $(JOBS) $(addprefix --only ,$(ONLY))

coverage: setup-test ## line coverage of the C++ suites, but for slow ones, and of the command line's tests, by module and file: build/coverage/coverage.txt
	$(call configure,coverage,-DANTAEUS_BUILD_TESTS=ON)
	@cmake --build build/coverage -j $(JOBS) --target cpp_tests
	@find build/coverage -name '*.gcda' -delete
	@ctest --test-dir build/coverage -j $(JOBS) -LE 'slow|python|fuzz|house' > build/coverage/suites.log || echo "some suites failed: build/coverage/suites.log"
	@ANTAEUS_CLI="$$PWD/build/coverage/bin/antaeus" $(VENV)/bin/python -m pytest -q -p no:cacheprovider tests/cli > build/coverage/cli.log || echo "some tests of the command line failed: build/coverage/cli.log"
	@$(VENV)/bin/python tools/coverage.py build/coverage

bench: setup-test ## benchmarks against what a user would otherwise run
	$(call configure,release,-DANTAEUS_BUILD_TESTS=ON -DANTAEUS_BUILD_BENCHMARKS=ON)
	@cmake --build build/release -j $(JOBS)
	@tools/run_benchmarks.sh

bench-ik: setup-test ## inverse kinematics of other libraries beside ours (QUICK=1: fewer targets; WRITE=1: also the figure in docs/)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs
	@ANTAEUS_CLI=$(ANTAEUS) $(VENV)/bin/python benchmarks/ik_peers.py $(if $(QUICK),--quick) $(if $(WRITE),--write)

bench-truth: setup-test ## where the estimator lies: scenarios in MuJoCo, five robots, against the truth (QUICK=1: a minute)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_mujoco antaeus_python
	@ANTAEUS_CLI=$(ANTAEUS) PYTHONPATH="$$PWD/build/python" $(VENV)/bin/python benchmarks/truth/run.py $(if $(QUICK),--quick)

fuzz: setup-test ## fuzz the parsers under the sanitizers (FUZZ_RUNS=1000000)
	$(call configure,asan)
	@cmake --build build/asan -j $(JOBS) --target fuzzers
	@for f in build/asan/tests/fuzz_*; do [ -x $$f ] && echo $$f && $$f $(or $(FUZZ_RUNS),1000000) 1 || exit 1; done

attack: setup-test ## attack the command line: spoiled inputs, maps, MJCFs, pickles and fleets, kills, full disks, names (ATTACKS=20000, MAPS=20000, KILLS=200 of each verb)
	$(call configure,release,-DANTAEUS_BUILD_TESTS=ON)
	@cmake --build build/release -j $(JOBS) --target $(ALL)
	@ANTAEUS_CLI=$(ANTAEUS) PYTHONPATH="$$PWD/build/python" $(VENV)/bin/python tests/attack/attack.py --mutations $(or $(ATTACKS),20000) --kills $(or $(KILLS),200) --maps $(or $(MAPS),20000)

format: setup-test ## clang-format every C++ source
	@tools/format.sh

tidy: ## clang-tidy over src/ and apps/; a finding is an error
	@tools/setup.sh all test tidy
	$(call configure,release,-B build/tidy -DANTAEUS_BUILD_TESTS=OFF -DANTAEUS_BATCHES=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
	@sed -i -E 's/-m(move|store)-max=[0-9]+//g' build/tidy/compile_commands.json  # options that GCC alone knows
	@run-clang-tidy.py -p build/tidy -j $(JOBS) -quiet -hide-progress -extra-arg=-Wno-error "^$$PWD/(src|apps)/"

docs: setup-all ## the generated pages of docs/, and build/docs/html from the headers' comments
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs docs_figures docs_tables
	@build/bin/docs_tables docs
	@build/bin/docs_figures docs/figures > build/docs_figures.txt && echo "numbers of docs/concepts/incident.md: build/docs_figures.txt"
	@if command -v doxygen > /dev/null; then doxygen docs/Doxyfile && echo "reference: build/docs/html/index.html"; \
	else echo "the reference of the headers needs doxygen; install it with: sudo apt-get install doxygen"; fi

docs-simulate: setup-all ## run every experiment and flight; their figures into build/experiments.md (some minutes)
	$(call configure,release)
	@cmake --build build/release -j $(JOBS) --target $(DEMO) antaeus_motion_verbs antaeus_studies_verbs antaeus_mujoco
	@ANTAEUS_CLI=$(ANTAEUS) $(VENV)/bin/python tools/write_simulate_table.py

clean: ## remove build/
	rm -rf build

.PHONY: build-tests wheel try-wheel help setup setup-all setup-test demo tour motion studies all test check asan soak bench bench-ik bench-truth fuzz attack test-faults coverage format tidy docs docs-simulate clean
