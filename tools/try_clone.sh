#!/usr/bin/env bash
# Clones what is committed and runs `make demo` and `make test` there, with an empty environment and without a compiler cache.
#   usage: tools/try_clone.sh VARIANT
#     plain    the first code block of README.md, line by line; then tools/try_wheel.sh and the tests of the wheel
#     long     in a path of 120 characters with a space and an umlaut
#     loaded   beside two busy processes, with COLUMNS=200 and LC_ALL=C, as a user without root
#     random   and then the tests twice more; all three times in random order (ctest, GoogleTest and pytest)
#   FOLDER=PATH           where to clone; default: a temporary folder that is removed at the end. A clone that is there is brought up to
#                         date and keeps its build: to try the tests again, not to measure a build
#   COMPILER_CACHE=1      keep the compiler cache: to repeat the tests, not to measure a build
#   ANTAEUS_SHARED, CI, BATCHES, PYTHON are passed on
set -euo pipefail
cd "$(dirname "$0")/.."
source_tree=$PWD
variant=${1:-}
case $variant in plain | long | loaded | random) ;; *) echo "usage: tools/try_clone.sh plain|long|loaded|random" >&2; exit 2 ;; esac

if [ -n "${FOLDER:-}" ]; then
  mkdir -p "$FOLDER"
  folder=$(cd "$FOLDER" && pwd)
else
  folder=$(mktemp -d)
fi
busy=()
leave() {
  [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true
  [ -n "${FOLDER:-}" ] || rm -rf "$folder"
}
trap leave EXIT
chmod 755 "$folder"

clone=$folder/clone
if [ $variant = long ]; then
  clone="$folder/a checkout für robots "
  while [ ${#clone} -lt 120 ]; do clone+=x; done
fi

# What a new shell has. Settings of the network stay: without them no wheel can be installed.
mkdir -p "$folder/home"
settings=(HOME="$folder/home" PATH=/usr/local/bin:/usr/bin:/bin TMPDIR="$folder/tmp")
mkdir -p -m 1777 "$folder/tmp"
[ -n "${COMPILER_CACHE:-}" ] || settings+=(CCACHE_DISABLE=1)
[ -z "${COMPILER_CACHE:-}" ] || settings+=(CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}")
while IFS= read -r setting; do settings+=("$setting"); done < <(
  env | grep -E '^(ANTAEUS_SHARED|CI|BATCHES|PYTHON|(PIP|NPM|npm|SSL|CURL_CA|NODE_EXTRA|REQUESTS_CA)_.*|(https?|HTTPS?|no|NO)_(proxy|PROXY))=' || true)
as_user=()
if [ $variant = loaded ]; then
  settings+=(COLUMNS=200 LC_ALL=C)
  if [ "$(id -u)" -eq 0 ]; then
    env -i "${settings[@]}" tools/setup.sh --packages
    as_user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
  fi
  for _ in 1 2; do
    (while :; do :; done) &
    busy+=($!)
  done
fi
in_clone() { (cd "$clone" && exec "${as_user[@]}" env -i "${settings[@]}" "$@"); }
TIMEFORMAT='%R s, CPU %U s in programs and %S s in the kernel'
timed() {
  local code=0
  echo "== $variant: $*"
  time in_clone "$@" || code=$?
  echo "== $variant: exit code $code"
  return $code
}

# Root clones, and then the clone is its user's: git reads no tree of another owner.
git_here=(env -i "${settings[@]}" git -c safe.directory='*')
if [ -d "$clone/.git" ]; then
  "${git_here[@]}" -C "$clone" fetch -q origin HEAD
  "${git_here[@]}" -C "$clone" reset -q --hard FETCH_HEAD
else
  "${git_here[@]}" clone -q --no-hardlinks "$source_tree" "$clone"
fi
[ ${#as_user[@]} -eq 0 ] || chown -R nobody "$folder"
if [ $variant = plain ]; then
  # The block's first line clones; its last, `antaeus demo`, exits with 1 because the demonstration finds an incident.
  block=$(awk '/^```sh$/ { inside = 1; next } /^```/ && inside { exit } inside' README.md)
  grep -q '^git clone' <<< "$block" || { echo "README.md: the first code block does not begin with git clone" >&2; exit 2; }
  timed bash -euc "$(sed -e '/^git clone/d' -e 's/ *#.*//' -e 's/^antaeus demo$/& || [ $? -eq 1 ]/' <<< "$block")"
  timed tools/try_wheel.sh
  timed tools/run_tests.sh build/release -R 'python.package$'
  exit
fi
timed make demo
if [ $variant != random ]; then
  timed make test
  exit
fi
# With pytest-randomly installed, every run of pytest is in random order.
timed make build-tests
timed tools/setup.sh all test random
for _ in 1 2 3; do
  seed=$((RANDOM + 1))
  timed env GTEST_SHUFFLE=1 GTEST_RANDOM_SEED=$seed PYTEST_ADDOPTS="-p randomly -p no:cacheprovider --randomly-seed=$seed" \
    tools/run_tests.sh build/release --schedule-random
done
