#!/usr/bin/env bash
# Runs every benchmark: interleaved repetitions, medians. Figures are ratios within one run.
set -euo pipefail
for program in build/bin/*_benchmark; do
  echo "== $(basename "$program")"
  "$program" --benchmark_enable_random_interleaving=true --benchmark_repetitions="${REPETITIONS:-9}" \
    --benchmark_report_aggregates_only=true --benchmark_min_time="${MIN_TIME:-0.05}" "$@" 2>/dev/null |
    grep -E 'median|Benchmark|ratio' || true
done
if [ -x build/venv/bin/python ] && [ -f benchmarks/deployed_estimator.py ]; then
  build/venv/bin/python benchmarks/deployed_estimator.py
fi
