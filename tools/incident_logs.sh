#!/usr/bin/env bash
# Lays the incident's public logs and its robot where the tests look: the folder ANTAEUS_SHARED, else ../shared.
#   git clone --recurse-submodules https://github.com/correlllab/h12_adaptive_policy CLONE
#   tools/incident_logs.sh CLONE [CONTROLLER]
# CONTROLLER: a clone of correlllab/h12_ros2_controller, for the robot, where CLONE does not hold it in a submodule. Every file is compared with
# tools/incident_logs.sha256 before anything is laid; one that is absent or another is named, with both hashes: exit 2, and nothing is laid.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
fail() { printf 'incident_logs: %s\n' "$1" >&2; exit 2; }
[ $# -eq 1 ] || [ $# -eq 2 ] || fail "usage: incident_logs.sh CLONE [CONTROLLER]"
for folder in "$@"; do [ -d "$folder" ] || fail "$folder is no folder"; done
clone=$1
target=${ANTAEUS_SHARED:-$here/../shared}

robot_of() {  # the URDF of the controller's repository: given, a submodule in any folder of the clone, or next to the clone
  local urdf=assets/h1_2/h1_2_handless.urdf place found=
  [ $# -eq 2 ] || found=$(find "$1" -path "*/$urdf" -type f | LC_ALL=C sort | sed -n 1p)
  for place in "${found:-${2:-$1/h12_ros2_controller}/$urdf}" "$1/../h12_ros2_controller/$urdf" "$1/$urdf"; do
    if [ -f "$place" ]; then
      printf '%s\n' "$place"
      return
    fi
  done
  printf '%s\n' "${2:-$1/h12_ros2_controller}/$urdf"
}

froms=() tos=()
while read -r wanted name; do
  case $name in
    episodes/*) from=$clone/data/real/${name#episodes/} ;;
    *) from=$(robot_of "$@") ;;
  esac
  [ -f "$from" ] || fail "$from is absent; SHA-256 $wanted is wanted of $name"
  found=$(sha256sum < "$from")
  found=${found%% *}
  [ "$found" = "$wanted" ] || fail "$from is not the file that was judged: SHA-256 $found, wanted $wanted"
  froms+=("$from") tos+=("$name")
done < "$here/tools/incident_logs.sha256"

for i in "${!froms[@]}"; do
  to=$target/${tos[$i]}
  mkdir -p "$(dirname "$to")" || fail "cannot make $(dirname "$to")"
  cp "${froms[$i]}" "$to.part" && mv "$to.part" "$to" || fail "cannot write $to"
done
echo "${#froms[@]} files in $target; ANTAEUS_SHARED=$target names it to the tests"
