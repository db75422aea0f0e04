#!/usr/bin/env bash
# Runs Trestle's designs, copies and tests on DynamoDB Local, AWS's own emulator. tests/judge/judge.py takes the
# arguments and describes the parts. Downloads DynamoDB Local if necessary (tools/peers.sh). Not part of `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/peers.sh dynamodb-local > /dev/null
for folder in tests/sdk-js tests/designs-ts; do
  npm ci --loglevel=error --no-audit --no-fund --prefix "$folder"
done
exec tools/loopback_only.sh /usr/bin/python3 tests/judge/judge.py "$@"
