#!/usr/bin/env bash
# Runs the tests in two parts.
#
#   tests/all.sh fast     `make test`: the Release build, its unit tests, the AWS SDK for JavaScript's suite and a short run of
#                         every other black-box suite. At most ten minutes on two cores, the build included.
#   tests/all.sh deep     `make test-deep`: everything else.
#     source              formatting; each file compiled alone; clang-tidy on the batches of files that changed
#     Release             the black-box suites at full length: boto3, the AWS CLI, random, linearizability, crash, power loss and
#                         full disk; TypeScript clients; the examples with ElectroDB; the console in Chromium; the
#                         library as an installed package; the self-contained program and the container image; the packages
#                         for Debian, Node and Python
#     asan                unit tests, a short black-box run and every fuzz target, under the address and undefined-behaviour
#                         sanitizers
#     tsan                unit tests of the rooms with threads, and a short black-box run, under the thread sanitizer
#
# A failed step is followed by the lines of its log that report failures. The last lines list the failed steps and the
# number of steps that passed.
set -uo pipefail
cd "$(dirname "$0")/.."

part=${1:-}
case $part in
  fast | deep) ;;
  *) echo "usage: tests/all.sh fast|deep" >&2; exit 2 ;;
esac

fuzz_seconds=${FUZZ_SECONDS:-5}
passed=0
failed=()
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# The lock cycle detector supports at most 64 locks per thread and aborts beyond that. A batch or transaction of 100
# items holds more, in the order given by ItemLocks. It also reports the gates of several tables, which a transaction
# locks shared (docs/architecture.md, "Locks"). So it is off, except in lock_order below.
export TSAN_OPTIONS="detect_deadlocks=0 suppressions=$PWD/tests/tsan.supp ${TSAN_OPTIONS:-}"

# Runs a step with its output in a log; shows the failures in the log only if the step fails.
step() {
  local name=$1 log=$logs/output
  shift
  local start=$SECONDS
  if "$@" > "$log" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $name ($((SECONDS - start)) s)  $(grep -E '^[0-9]+ passed, |tests passed|\[  PASSED  \]' "$log" | tail -1)"
  else
    failed+=("$name")
    echo "FAIL  $name ($((SECONDS - start)) s)"
    excerpt "$log" | cut -c -500 | sed 's/^/      /'
  fi
}

# Prints the names of failed tests, the lines of a log that report failures, and its end.
excerpt() {
  grep -E '^ *(FAIL|ERROR):? |\[  FAILED  \]|\(Failed\)|^VIOLATION|: Assertion ' "$1" | sort -u | head -n 20
  grep -E -A 12 ': Failure$|: (fatal )?error: |^ *(FAIL|ERROR):? |runtime error: |Sanitizer: ' "$1" | head -n 60
  echo '...'
  tail -n 40 "$1"
}

# Arguments: the preset, and the targets if not all.
build() {
  cmake --preset "$1" > /dev/null && cmake --build --preset "$1" ${2:+--target "${@:2}"}
}

# Arguments: the folder, and the rooms if not all.
unit() {
  ctest --test-dir "$1" --output-on-failure --parallel 2 ${2:+--tests-regex "^unit\.($2)\$"}
}

# All except the fault simulation, whose schedules are a deep test.
unit_fast() {
  ctest --test-dir build --output-on-failure --parallel 2 --exclude-regex '^unit\.simulation$'
}

# The rooms with more than one thread; the thread sanitizer has nothing to find in the others.
ordered=(storage server)  # their tests hold few locks at once
unordered=(engine http remote copy runtime api)
threaded=("${ordered[@]}" "${unordered[@]}")

# Runs a command with the lock cycle detector.
lock_order() {
  TSAN_OPTIONS="${TSAN_OPTIONS/detect_deadlocks=0/detect_deadlocks=1}" "$@"
}

sdk_js() {
  npm ci --silent --no-audit --no-fund --prefix tests/sdk-js && npm test --silent --prefix tests/sdk-js
}

designs_ts() {
  npm ci --silent --no-audit --no-fund --prefix tests/designs-ts && npm test --silent --prefix tests/designs-ts
}

orm() {
  npm ci --silent --no-audit --no-fund --prefix tests/orm && npm test --silent --prefix tests/orm
}

mcp() {
  npm ci --silent --no-audit --no-fund --prefix tests/mcp && npm test --silent --prefix tests/mcp
}

# Checks that the console's committed files are up to date with its sources, and then tests user actions in Chromium.
console() {
  npm ci --silent --no-audit --no-fund --prefix console && npm run verify --silent --prefix console &&
    npm ci --silent --no-audit --no-fund --prefix tests/console && npm test --silent --prefix tests/console
}

# In subshells, so that their temporary folders are removed.
library() (
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cmake --install build --prefix "$folder/installed" --component library > /dev/null &&
    cmake -S examples/embedded -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/installed" > /dev/null &&
    cmake --build "$folder/build" &&
    "$folder/build/embedded" "$folder/data" &&
    "$folder/build/embedded" "$folder/data" | grep -q 'played 2 times' &&
    cmake -S examples/design -B "$folder/design" -G Ninja -DCMAKE_PREFIX_PATH="$folder/installed" > /dev/null &&
    cmake --build "$folder/design" &&
    "$folder/design/design" designs/authz.yaml "$folder/authz" | grep -q 'the same name again: 409'
)

# Prints its output only if it failed.
fuzz() (
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mkdir "$scratch/corpus"
  "$1" "$scratch/corpus" -max_total_time="$fuzz_seconds" -rss_limit_mb=4096 -max_len=65536 \
    -artifact_prefix="$scratch/" > "$scratch/log" 2>&1 && exit 0
  cat "$scratch/log"
  echo "FAIL $1"
  exit 1
)

# Runs all of them, two at a time.
fuzz_all() {
  export fuzz_seconds
  export -f fuzz
  printf '%s\n' "$@" | xargs -P 2 -I {} bash -c 'fuzz {}' && echo "$# passed, 0 failed"
}

format() {
  git ls-files 'src/*.h' 'src/*.cc' 'bench/*.cc' 'examples/*.cc' | xargs -P 2 -n 50 clang-format-19 --dry-run -Werror
}

step "build: release" build release
if [ "$part" = fast ]; then
  step "unit: release" unit_fast
  step "black-box: AWS SDK for JavaScript" sdk_js
  step "black-box: short runs" /usr/bin/python3 tests/run.py --short
else
  step "source: formatting" format
  step "source: each file compiled alone" tools/each_file.py
  step "build: release" build release all fault_test simulation_test
  step "source: clang-tidy on changed batches" tools/lint.py
  step "unit: simulation" unit build simulation
  step "faults: 300 schedules" build/fault_test --schedules 300
  step "black-box: boto3, CLI, random, crash" /usr/bin/python3 tests/run.py
  step "designs: 200 generated" env TRESTLE_GENERATED_DESIGNS=200 build/runtime_test --gtest_filter='GeneratedDesigns.*'
  step "designs: 20 generated, on a second endpoint" /usr/bin/python3 tests/designs/generated_on_endpoint.py
  step "black-box: TypeScript clients of designs" designs_ts
  step "black-box: examples with ElectroDB" orm
  step "black-box: Model Context Protocol" mcp
  step "black-box: console in Chromium" console
  step "library: find_package(Trestle)" library
  step "self-contained program, container image" tests/dist_test.sh
  step "package: deb" tests/deb_test.sh
  step "packages: npm, Python, GitHub Action" tests/clients_test.sh
  step "build: asan" build asan all simulation_test
  step "unit: asan" unit build/asan
  step "black-box: asan" env TRESTLE_BINARY=build/asan/trestle /usr/bin/python3 tests/run.py --short
  step "fuzz: every target" fuzz_all build/asan/*_fuzz
  step "build: tsan" build tsan trestle "${threaded[@]/%/_test}"
  step "unit: tsan, lock order" lock_order unit build/tsan "$(IFS='|'; echo "${ordered[*]}")"
  step "unit: tsan" unit build/tsan "$(IFS='|'; echo "${unordered[*]}")"
  step "black-box: tsan" env TRESTLE_BINARY=build/tsan/trestle /usr/bin/python3 tests/run.py --short
fi
for name in "${failed[@]}"; do echo "FAILED: $name"; done
echo "$passed passed, ${#failed[@]} failed"
[ "${#failed[@]}" -eq 0 ]
