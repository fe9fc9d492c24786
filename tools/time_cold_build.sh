#!/usr/bin/env bash
# Times a cold build of what is committed: a fresh clone, no compiler cache, an empty environment. Prints CPU and wall of
# the command, CPU by target and by room, the dearest files, and with --headers what each public header costs.
# Usage: time_cold_build.sh [--headers] [TARGET...]: targets of make, one after the other; without any: demo all test
set -euo pipefail
cd "$(dirname "$0")/.."
headers=no
[ "${1:-}" = --headers ] && { headers=yes; shift; }
[ $# -gt 0 ] || set -- demo all test
here=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q "$here" "$folder/clone"
shared=${ANTAEUS_SHARED:-$here/../shared}
[ -d "$shared" ] && ln -s "$(realpath "$shared")" "$folder/shared"
export TIMEFORMAT='%R wall, %U user, %S system'

# The network's settings are kept: without them the wheels cannot be had.
kept=(HOME="${HOME:-/}" PATH=/usr/local/bin:/usr/bin:/bin CCACHE_DISABLE=1)
while IFS= read -r variable; do kept+=("$variable"); done < <(env | grep -iE '^(pip_|npm_|ssl_|http|no_proxy|curl_ca|node_extra|requests_ca)' || true)
python_folder=$(dirname "$(command -v python3)")
kept[1]="PATH=$python_folder:/usr/local/bin:/usr/bin:/bin"

cd "$folder/clone"
for target in "$@"; do
  echo "== make $target"
  log=$folder/cpu.log
  : > "$log"
  time env -i "${kept[@]}" ANTAEUS_CPU_LOG="$log" CMAKE_CXX_COMPILER_LAUNCHER="$folder/clone/tools/cpu_of_compiler.sh" \
    make "$target" > "$folder/$target.txt" 2>&1 || { tail -n 30 "$folder/$target.txt"; exit 1; }
  tail -n 1 "$folder/$target.txt"
  python3 "$here/tools/sum_compile_times.py" "$log"
done
if [ $headers = yes ]; then
  echo "== public headers, beyond Eigen/Core"
  python3 "$here/tools/header_costs.py" --runs 1 "$folder/clone/build/release"
fi
