#!/usr/bin/env bash
# Runs ctest and ends with how many tests were run, failed and skipped. An entry of ctest may hold many tests: a suite of
# GoogleTest, or some files of pytest. Usage: run_tests.sh BUILD_FOLDER [OPTION_OF_CTEST...]
set -uo pipefail
build=$1
shift
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" --no-tests=error "$@" 2>&1
status=$?
python3 "$(dirname "$0")/count_tests.py" "$build/Testing/Temporary/LastTest.log" || exit 1
exit "$status"
