#!/usr/bin/env bash
# clang-format over every C++ source. Usage: format.sh [--check], which changes nothing and fails at the first difference.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || { echo "clang-format is not on the PATH; \`make format\` brings it" >&2; exit 2; }
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run -Werror)
find apps benchmarks examples include python src studies tests tools -name '*.[ch]pp' -print0 |
  xargs -0 -P "$(nproc)" -n 25 clang-format "${mode[@]}"
