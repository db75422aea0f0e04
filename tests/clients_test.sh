#!/usr/bin/env bash
# Tests the packages for Node and Python: packs them with the program, installs them into separate projects and uses
# them there. Also tests the steps of the GitHub Action. Ends with the line "N passed, N failed".
#
#   tests/clients_test.sh [node] [python] [action]       without a name: all of them
#
# TRESTLE_BINARY names the program (build/trestle).
set -uo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "${TRESTLE_BINARY:-build/trestle}")
unset TRESTLE_BINARY            # the packages must find the bundled program
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true
export NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost
unset AWS_REGION AWS_DEFAULT_REGION AWS_PROFILE AWS_ENDPOINT_URL AWS_ENDPOINT_URL_DYNAMODB
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# check WHAT COMMAND...: the command succeeds.
check() {
  local what=$1
  shift
  if "$@" > "$scratch/output" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s\n' "$what"
    tail -n 60 "$scratch/output" | sed 's/^/    /'
    return 1
  fi
}
inside() { (cd "$1" && "${@:2}"); }
unknown() { echo "tests/clients_test.sh: no part $1: node, python, action" >&2; exit 2; }

pack() { tools/pack_clients.sh "$1" "$program" "$scratch/packages"; }

node_package() {
  local project=$scratch/node
  cp -r tests/clients/node "$project"
  rm -rf "$project/node_modules"
  check "npm: packs" pack node &&
    check "npm: the tools of the sample install" npm ci --silent --no-audit --no-fund --prefix "$project" &&
    check "npm: installs from its file" \
      npm install --silent --no-save --no-audit --no-fund --prefix "$project" "$scratch"/packages/trestle-db-*.tgz || return
  check "npm: start() and npx trestle" inside "$project" node --test start.test.mjs
  check "npm: type declarations" inside "$project" node_modules/.bin/tsc
  check "npm: vitest" inside "$project" node_modules/.bin/vitest run
  check "npm: jest" inside "$project" node_modules/.bin/jest --ci
}

python_package() {
  local environment=$scratch/venv
  cp -r tests/clients/python "$scratch/python"
  # With Debian's boto3.
  check "python: virtual environment" /usr/bin/python3 -m venv --system-site-packages "$environment" &&
    check "python: the wheel builds" env PYTHON="$environment/bin/python" tools/pack_clients.sh python "$program" "$scratch/packages" &&
    check "python: pytest installs" "$environment/bin/python" -m pip install --quiet --ignore-installed pytest==8.3.5 &&
    check "python: the wheel installs" \
      "$environment/bin/python" -m pip install --quiet --no-index --no-deps "$scratch"/packages/trestle_db-*.whl || return
  check "python: start(), the command and the fixtures" \
    inside "$scratch/python" "$environment/bin/python" -m pytest -q -p no:cacheprovider fixtures_test.py start_test.py
}

github_action() {
  check "action: definition and steps" env TRESTLE_BINARY="$program" /usr/bin/python3 tests/clients/action_test.py
}

for part in "${@:-node python action}"; do
  for name in $part; do
    case $name in
      node) node_package ;;
      python) python_package ;;
      action) github_action ;;
      *) unknown "$name" ;;
    esac
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
