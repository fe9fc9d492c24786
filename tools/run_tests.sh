#!/usr/bin/env bash
# Runs ctest and ends with what was run, failed and skipped. Usage: run_tests.sh BUILD_FOLDER
set -uo pipefail
build=$1
log=$build/ctest.log
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" --no-tests=error 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
skipped=$(grep -cE '\*\*\*(Skipped|Not Run)' "$log")
if [ "$skipped" -gt 0 ]; then
  echo
  echo "Skipped, with the reason:"
  grep -E '\*\*\*Skipped' "$log" | sed -E 's/ *[0-9]+\/[0-9]+ Test *#[0-9]+: /  /; s/ \.+.*//' | head -40
  grep -hoE 'reference data absent: .*' "$build/Testing/Temporary/LastTest.log" | sort | uniq -c | sort -rn | head -5
fi
total=$(grep -oE 'out of [0-9]+' "$log" | tail -1 | grep -oE '[0-9]+')
failed=$(grep -oE '[0-9]+ tests failed' "$log" | tail -1 | grep -oE '[0-9]+')
total=${total:-0}; failed=${failed:-0}
echo "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit "$status"
