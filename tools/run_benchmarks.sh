#!/usr/bin/env bash
# Runs every benchmark: interleaved repetitions, medians. Figures are ratios within one run. ANTAEUS_INSTRUCTION_SET
# chooses the batched kernels' instructions; the replay's table names the set that ran.
set -euo pipefail
failed=0 errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
for program in build/bin/*_benchmark; do
  echo "== $(basename "$program")"
  "$program" --benchmark_enable_random_interleaving=true --benchmark_repetitions="${REPETITIONS:-9}" \
    --benchmark_report_aggregates_only=true --benchmark_min_time="${MIN_TIME:-0.05}" "$@" 2> "$errors" |
    { grep -E 'median|Benchmark|ratio|^\|' || true; } || { tail -n 3 "$errors"; failed=1; }
done
if [ -x build/venv/bin/python ] && [ -f benchmarks/deployed_estimator.py ]; then
  build/venv/bin/python benchmarks/deployed_estimator.py
  PYTHONPATH=build/python build/venv/bin/python benchmarks/python_cost.py
fi
exit "$failed"
