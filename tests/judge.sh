#!/usr/bin/env bash
# Runs Trestle's designs, copies and tests on DynamoDB Local, AWS's own emulator: tests/judge/judge.py says what, and takes the
# arguments. Downloads DynamoDB Local when it is not there (tools/peers.sh). Not part of `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/peers.sh dynamodb-local > /dev/null
for folder in tests/sdk-js tests/designs-ts; do
  npm ci --silent --no-audit --no-fund --prefix "$folder"
done
# DynamoDB Local listens on all addresses: in a network of its own that has no other than loopback, where that is allowed.
run=(/usr/bin/python3 tests/judge/judge.py "$@")
if unshare --map-root-user --net ip link set lo up 2> /dev/null; then
  exec unshare --map-root-user --net sh -c 'ip link set lo up && exec "$@"' sh "${run[@]}"
fi
echo "tests/judge.sh: no network namespace; DynamoDB Local listens on all addresses of this machine" >&2
exec "${run[@]}"
