#!/usr/bin/env bash
# Runs a command in a network namespace that has only the loopback interface, if the system allows it, because DynamoDB
# Local listens on all addresses of its machine.
#
#   tools/loopback_only.sh COMMAND...
set -euo pipefail
if unshare --map-root-user --net ip link set lo up 2> /dev/null; then
  exec unshare --map-root-user --net sh -c 'ip link set lo up && exec "$@"' sh "$@"
fi
echo "tools/loopback_only.sh: no network namespace here; servers that listen on all addresses can be reached from outside" >&2
exec "$@"
