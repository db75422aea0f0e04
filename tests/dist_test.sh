#!/usr/bin/env bash
# Tests the self-contained program and the container image built from it. Ends with the line "N passed, N failed".
#
#   tests/dist_test.sh [PROGRAM]       default: builds it (tools/dist.sh)
#
# The image runs without a container tool (tests/run_image.py). Suites of boto3 and of the AWS SDK for JavaScript run against it.
set -uo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
chmod 755 "$scratch"
server=
passed=0
failed=0
clean_up() {
  if [ -n "$server" ]; then kill -KILL "$server" 2> /dev/null; fi
  rm -rf "$scratch"
}
trap clean_up EXIT

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
finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

build() { tools/dist.sh; }
program=${1:-}
if [ -z "$program" ]; then
  check "it builds" build || finish
  program=$(ls build/dist/trestle-*-linux-x64)
fi

# ---- The program.

needs_only_glibc() {
  ! ldd "$program" | awk '{print $1}' |
    grep -vE '^(linux-vdso\.so\.1|libc\.so\.6|libm\.so\.6|libpthread\.so\.0|/lib64/ld-linux-x86-64\.so\.2)$'
}
# Ubuntu 22.04 has 2.35, Debian 12 has 2.36; later releases are compatible with programs for earlier ones.
runs_with_glibc() {
  local newest
  newest=$(objdump -T "$program" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
  echo "needs $newest"
  [ "$(printf '%s\nGLIBC_%s\n' "$newest" "$1" | sort -V | tail -n 1)" = "GLIBC_$1" ]
}
has_its_name() { [ "$(basename "$program")" = "trestle-$("$program" --version | cut -d ' ' -f 2)-linux-x64" ]; }
checksums_match() { (cd "$(dirname "$program")" && sha256sum --check --strict SHA256SUMS); }
check "it is linked with glibc alone" needs_only_glibc
check "it runs with glibc 2.35" runs_with_glibc 2.35
check "its name is the one that action.yml downloads" has_its_name
check "its checksum is right" checksums_match
check "it serves, and designs, tables of fixtures and TLS work in it" env TRESTLE_BINARY="$program" \
  /usr/bin/python3 tests/run.py start_test open_test boto3/access_test designs/authz_test

# ---- The image.

image=$scratch/image.tar
same_image_again() {
  tools/image.py "$program" "$scratch/again.tar" && cmp "$image" "$scratch/again.tar" && rm "$scratch/again.tar"
}
tells() { # the part of the configuration, and what it must be
  python3 - "$image" "$@" << 'PYTHON'
import json, sys, tarfile
with tarfile.open(sys.argv[1]) as archive:
    config = json.load(archive.extractfile(json.load(archive.extractfile("manifest.json"))[0]["Config"]))["config"]
value = json.dumps(config[sys.argv[2]])
print(value)
sys.exit(0 if sys.argv[3] in value else 1)
PYTHON
}
start() { # the folder, and what replaces the command
  : > "$scratch/log"
  tests/run_image.py "$image" "$@" < /dev/null >> "$scratch/log" 2>&1 &
  server=$!
  for _ in $(seq 2400); do
    endpoint=$(sed -nE 's|.* (http://[0-9.]+:[0-9]+)$|\1|p' "$scratch/log" | head -n 1)
    if [ -n "$endpoint" ]; then return 0; fi
    kill -0 "$server" 2> /dev/null || break
    sleep 0.05
  done
  cat "$scratch/log"
  return 1
}
stop() {
  local status=0
  kill -TERM "$server"
  wait "$server" || status=$?
  server=
  return $status
}
is_not_root() { [ "$(id -u)" -ne 0 ] || [ "$(stat -c %u "/proc/$server")" -eq 1000 ]; }
warns() { grep -F 'WARNING: --open' "$scratch/log"; }
python_suites() {
  TRESTLE_ENDPOINT=$endpoint /usr/bin/python3 tests/run.py boto3/tables boto3/items boto3/queries boto3/batches boto3/transactions \
    boto3/indexes boto3/streams
}
node_suite() {
  npm ci --silent --no-audit --no-fund --prefix tests/sdk-js &&
    TRESTLE_ENDPOINT=$endpoint npm test --silent --prefix tests/sdk-js -- batch condition query scan transact update_item
}
call() {
  AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=a AWS_DEFAULT_REGION=us-east-1 NO_PROXY=127.0.0.1 aws --endpoint-url "$endpoint" dynamodb "$@"
}
makes_a_table() {
  call create-table --table-name kept --billing-mode PAY_PER_REQUEST --key-schema AttributeName=pk,KeyType=HASH \
    --attribute-definitions AttributeName=pk,AttributeType=S
}
has_the_table() { call list-tables | grep -F '"kept"'; }
container=$scratch/container
check "the image builds" tools/image.py "$program" "$image" || finish
check "the same program makes the same image" same_image_again
check "it has a health check" tells Healthcheck '"/usr/bin/trestle", "health"'
check "it keeps its data in a volume" tells Volumes '"/data"'
check "it exposes DynamoDB Local's port" tells ExposedPorts '"8000/tcp"'
check "it starts" start "$container" TRESTLE_SERVE_PORT=0 || finish
check "it does not run as root" is_not_root
check "it warns that anyone may call" warns
check "the health check passes" tests/run_image.py "$image" "$container" health "$endpoint"
check "suites of boto3 pass against it" python_suites
check "suites of the AWS SDK for JavaScript pass against it" node_suite
check "it makes a table" makes_a_table
check "SIGTERM ends it cleanly" stop
check "it starts again" start "$container" TRESTLE_SERVE_PORT=0 && check "the table is still there" has_the_table
check "SIGTERM ends it cleanly again" stop
check "a command for amazon/dynamodb-local serves" start "$container" -jar DynamoDBLocal.jar -sharedDb -inMemory -port 0 &&
  check "as the health check finds" tests/run_image.py "$image" "$container" health "$endpoint"
check "SIGTERM ends it cleanly, too" stop
finish
