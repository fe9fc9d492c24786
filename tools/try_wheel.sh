#!/usr/bin/env bash
# Tries a wheel as a new user would: an empty environment, no compiler, no source tree, a folder of its own. Each line says
# what ran and how long it took; the first failure ends it.
#   usage: tools/try_wheel.sh [WHEEL] [PYTHON]     default: build/wheel's for the Python of build/venv, and that Python
#   QUICK=1   without the extras (sim, parquet, meshes): the report of the demo, audit, ik, and what the lack of them says
set -euo pipefail
source_tree=$(cd "$(dirname "$0")/.." && pwd)
python=${2:-$(readlink -f "$source_tree/build/venv/bin/python")}
tag=$("$python" -c 'import sys; print("cp311-cp311" if sys.version_info[:2] == (3, 11) else "cp312-abi3")')
wheel=${1:-$(echo "$source_tree"/build/wheel/antaeus-*-"$tag"-*.whl)}
[ -f "$wheel" ] || { echo "antaeus: no wheel $wheel; make it with: make wheel" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/no_compiler" "$work/home"
for tool in cc c++ gcc g++ clang clang++ cmake ninja make ld; do
  printf '#!/bin/sh\necho "%s is not here" >&2\nexit 127\n' "$tool" > "$work/no_compiler/$tool"
  chmod +x "$work/no_compiler/$tool"
done
cp "$wheel" "$work"
cp -r "$source_tree/examples" "$work/examples"
wheel=$work/$(basename "$wheel")
cd "$work"
# What a user's shell has; pip's own settings of this machine stay.
pip_settings=$(env | grep -E '^(PIP_|SSL_|REQUESTS_CA|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)' || true)
clean() { env -i HOME="$work/home" LANG=C.UTF-8 PATH="$work/no_compiler:$work/env/bin:/usr/bin:/bin" $pip_settings "$@"; }

ran() {  # ran CODES NAME COMMAND…: the command must end with one of the codes, as "0" or "01"
  local expected=$1 name=$2 begin end code=0
  shift 2
  begin=$(date +%s.%N)
  clean "$@" > out.txt 2> err.txt || code=$?
  end=$(date +%s.%N)
  printf '%7.2f s  %s\n' "$(awk "BEGIN { print $end - $begin }")" "$name"
  if [[ $expected != *"$code"* ]]; then
    echo "exit code $code in place of $expected:" >&2
    tail -n 20 out.txt err.txt >&2
    exit 1
  fi
}
must() { "$@" || { echo "failed: $*" >&2; tail -n 5 out.txt err.txt >&2; exit 1; }; }

"$python" -m venv "$work/env"
begin=$(date +%s.%N)
ran 0 "pip install $(basename "$wheel")" python -m pip install -q --no-cache-dir --disable-pip-version-check "$wheel"
ran 1 "antaeus demo" antaeus demo --out demo
printf '%7.2f s  from the empty environment to the report of the demo\n' "$(awk "BEGIN { print $(date +%s.%N) - $begin }")"
must test -s demo/report.html
du -sm env | awk '{print "          " $1 " MB of disk for the environment"}'
must grep -q "pip install 'antaeus\[parquet\]'" err.txt  # what is left out without pyarrow, and what brings it
must test ! -e demo/steps.parquet
ran 0 "antaeus --version" antaeus --version
ran 0 "antaeus cmake-prefix" antaeus cmake-prefix
must test -e "$(cat out.txt)/lib/cmake/antaeus/antaeusConfig.cmake"
cat > twin.py <<'PYTHON'
import antaeus
robot = antaeus.load_robot("h1_2")
antaeus.write_episode(antaeus.make_twin(robot, "incident").episode, "incident")
PYTHON
ran 0 "import antaeus; a twin as a log" python twin.py
ran 1 "antaeus audit" antaeus audit incident --robot h1_2 --out audit
ran 0 "antaeus estimate" antaeus estimate incident --robot h1_2 --out steps.csv
printf 'x,y,z,qx,qy,qz,qw\n0.4,0.1,0.5,1,0,0,0\n0.5,0,0.4,1,0,0,0\n' > poses.csv
ran 0 "antaeus ik" antaeus ik --robot panda --frame panda_hand --targets poses.csv --out ik
ran 2 "antaeus simulate, without its extra" antaeus simulate parity --out simulated
must grep -q "pip install 'antaeus\[sim\]'" err.txt
must test ! -e simulated
printf '\211HDF\r\n\032\nnothing more' > log.h5
ran 2 "antaeus check of an HDF5, without its extra" antaeus check log.h5
must grep -q "pip install 'antaeus\[logs\]'" err.txt
ran 2 "antaeus fleet, without its extra" antaeus fleet incident --robot h1_2 --out fleet
must grep -q "pip install 'antaeus\[fleet\]'" err.txt
ran 2 "antaeus watch of DDS, without its extra" antaeus watch dds://0/rt/lowstate --robot h1_2
must grep -q "pip install 'antaeus\[live\]'" err.txt
ran 2 "antaeus watch of a simulation, without its extra" antaeus watch sim://h1_2
must grep -q "pip install 'antaeus\[sim\]'" err.txt
[ -z "${QUICK:-}" ] || exit 0

ran 0 "pip install …[examples]" python -m pip install -q --no-cache-dir --disable-pip-version-check "$wheel[examples]"
ran 1 "antaeus audit, with its Parquet file" antaeus audit incident --robot h1_2 --out audit
must test -s audit/steps.parquet
ran 0 "antaeus simulate parity" antaeus simulate parity --out simulated
cat > parity.py <<'PYTHON'
import json
import antaeus
result = antaeus.run_experiment("parity")
with open("simulated/summary.json") as file:
    told = json.load(file)["metrics"]
assert told and told == result.summary["metrics"]
PYTHON
ran 0 "the same from Python: equal figures" python parity.py
cat > aloha.py <<'PYTHON'
import h5py
import numpy as np
with h5py.File("log.h5", "w") as file:
    for name in ("qpos", "qvel", "effort"):
        file[f"observations/{name}"] = np.random.default_rng(1).normal(size=(100, 14))
    file["action"] = np.zeros((100, 14))
PYTHON
ran 0 "an HDF5 as ALOHA writes it" python aloha.py
ran 0 "antaeus convert" antaeus convert log.h5 episode
must test -s episode/tau.npy
ran 0 "pip install …[fleet]" python -m pip install -q --no-cache-dir --disable-pip-version-check "$wheel[fleet]"
ran 0 "antaeus fleet" antaeus fleet incident episode --robot h1_2 --out fleet
must grep -q "2 logs, 1 done, 1 failed" out.txt  # the episode is of an ALOHA
ran 0 "pip install …[live]" python -m pip install -q --no-cache-dir --disable-pip-version-check "$wheel[live]"
ran 0 "antaeus watch of a simulation" antaeus watch sim://h1_2 --seconds 3
for example in examples/*.py; do
  expected=$(sed -n 's/^# prints: //p' "$example")
  ran 01 "$example" python "$example"  # 1: it refused, which some of them show
  must grep -qzE -- "$expected" out.txt
done
echo "the wheel works"
