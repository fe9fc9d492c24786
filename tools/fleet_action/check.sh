#!/usr/bin/env bash
# A night's logs, or those of a pull request: their tables, their page, and whether they are worse than a baseline.
# Usage: check.sh LOGS ROBOT OUT BASELINE
#   LOGS      a log, a folder of logs, a pattern or an fsspec address
#   OUT       folder of tables, report.html, summary.json and check.json; an empty one a night
#   BASELINE  a folder of an earlier run, or the file of `antaeus fleet check DIR --write FILE`
# ANTAEUS is the program (default: antaeus), CLIPS how many of the worst minutes are cut out (default: 5).
# Exit codes: 0 fine, 1 worse than the baseline or logs without a result, 2 bad input.
set -uo pipefail
[ $# -eq 4 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
antaeus=${ANTAEUS:-antaeus} logs=$1 robot=$2 out=$3 baseline=$4

"$antaeus" fleet "$logs" --robot "$robot" --out "$out" || exit $?
"$antaeus" fleet report "$out" --clips "${CLIPS:-5}" || exit $?
"$antaeus" fleet check "$out" --baseline "$baseline" --json >"$out/check.json"
worse=$?
[ $worse -le 1 ] || exit $worse
"$antaeus" fleet check "$out" --baseline "$baseline"
# A log without a result is a row of the tables, and no reason for fleet to fail; for a night it is.
failed=$("$antaeus" fleet sql "$out" "SELECT count(*) FROM episodes WHERE status <> 'done'" --csv | tail -n 1)
[ "$failed" = 0 ] && [ $worse -eq 0 ]
