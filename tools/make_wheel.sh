#!/usr/bin/env bash
# Makes the wheels of the Python package in build/wheel (`make wheel`): one for the Python of build/venv, out of the build
# tree of `make test`; and, where that is Python 3.11, one that serves 3.12 and all later ones (stable ABI), for which the
# extension module alone is compiled again.
#   PYTHONS   further interpreters; default: the first Python of 3.12 or later that is found with its headers; "": none
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
say() { printf 'antaeus: %s\n' "$1" >&2; }
fail() { say "$1"; exit 2; }

bin=$root/build/venv/bin
export PATH=$bin:$PATH
site_packages=$(echo "$root"/build/venv/lib/python3*/site-packages)
raw=build/wheel/raw
rm -rf build/wheel/antaeus-*.whl "$raw"
mkdir -p "$raw"

is_new() {  # 3.12 or later, with the headers of the stable ABI
  "$1" -c 'import os, sys, sysconfig; sys.exit(sys.version_info < (3, 12) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null
}
if [ -z "${PYTHONS+set}" ]; then
  PYTHONS=
  if ! is_new "$bin/python"; then
    for found in python3.12 python3.13 python3.14 "${HOME:-/}"/.pyenv/versions/3.1[2-9]*/bin/python3 /opt/python/cp31[2-9]-*/bin/python3; do
      if is_new "$found"; then PYTHONS=$found; break; fi
    done
    [ -n "$PYTHONS" ] || say "no Python of 3.12 or later with its headers is here: the wheel for those is left out (PYTHONS=python3.12 names one)"
  fi
fi

# make_one PYTHON BUILD_FOLDER [CMAKE_DEFINITION...]
make_one() {
  local python=$1 folder=$2 definitions=() log=build/wheel/$(basename "$2").log
  shift 2
  for each in "$@"; do definitions+=(--config-settings "cmake.define.$each"); done
  "$python" -m pip wheel . -q --disable-pip-version-check --no-build-isolation --no-deps -w "$raw" --config-settings "build-dir=$folder" \
    --config-settings "cmake.define.ANTAEUS_SITE_PACKAGES=$site_packages" "${definitions[@]}" > "$log" 2>&1 ||
    { tail -n 30 "$log"; fail "the wheel for $python was not made"; }
}

make_one "$bin/python" build/release "ANTAEUS_OUTPUT_DIR=$root/build" ANTAEUS_BESIDE_WHEELS=ON
for python in $PYTHONS; do
  venv=build/wheel/venv
  rm -rf "$venv" build/wheel/tree
  "$python" -m venv "$venv"
  mapfile -t tools < <(sed -nE "s/^((scikit-build-core|pathspec|packaging)==[^ ;]*).*/\1/p" requirements.lock | sort -u)
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps "${tools[@]}"
  "$bin/python" -m zipfile -e "$raw"/antaeus-*-cp311-cp311-*.whl build/wheel/tree
  chmod +x build/wheel/tree/antaeus/bin/antaeus
  make_one "$venv/bin/python" build/wheel/over "ANTAEUS_INSTALLED=$root/build/wheel/tree/antaeus"
done

# Tells the oldest systems by the symbols that the libraries ask for, and takes in what no other wheel brings (toml++).
others=()
for name in pinocchio coal tinyxml2 octomap assimp boost parquet arrow mujoco qhull console_bridge urdfdom; do
  others+=(--exclude "lib$name*")
done
for wheel in "$raw"/*.whl; do
  "$bin/python" -m auditwheel repair "${others[@]}" -w build/wheel "$wheel" > build/wheel/repair.log 2>&1 ||
    { tail -n 20 build/wheel/repair.log; fail "auditwheel refuses $wheel"; }
done
ls -l build/wheel/*.whl | awk '{printf "%s  %.1f MB\n", $NF, $5 / 1e6}'
