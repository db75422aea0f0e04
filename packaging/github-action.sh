#!/usr/bin/env bash
# The step of action.yml: finds or downloads the program, starts it in the background, and waits until it accepts requests.
# The inputs are TRESTLE_ACTION_*. Writes `endpoint` and `pid` to GITHUB_OUTPUT, and the variables that SDKs read to GITHUB_ENV. The runner
# stops the server at the end of the job.
set -euo pipefail

seconds_max=60
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/trestle-XXXXXX")
log=$folder/log

fail() {
  echo "::error title=Trestle::$1"
  if [ -s "$log" ]; then cat "$log"; fi
  exit 1
}

program=${TRESTLE_ACTION_PATH:-}
if [ -z "$program" ]; then
  releases=${TRESTLE_ACTION_RELEASES:-https://github.com/${TRESTLE_ACTION_REPOSITORY:-}/releases/download}
  version=${TRESTLE_ACTION_VERSION:?}
  program=$folder/trestle
  url=$releases/v$version/trestle-$version-linux-x64
  curl --silent --show-error --fail --location --retry 3 --output "$program" "$url" || fail "cannot download $url"
  if [ -n "${TRESTLE_ACTION_SHA256:-}" ]; then
    echo "$TRESTLE_ACTION_SHA256  $program" | sha256sum --check --quiet || fail "$url has another SHA-256"
  fi
  chmod +x "$program"
fi
program=$(realpath -m "$program")
[ -x "$program" ] || fail "no program at $program"

read -r -a flags <<< "${TRESTLE_ACTION_FLAGS:-}"
: > "$log"
setsid "$program" serve --port "${TRESTLE_ACTION_PORT:-8000}" "${flags[@]}" < /dev/null >> "$log" 2>&1 &
pid=$!

endpoint=
for ((i = 0; i < seconds_max * 20; i++)); do
  endpoint=$(sed -nE "s|.* serves DynamoDB's API on (https?://[^ ]+)\$|\1|p" "$log" | head -n 1)
  if [ -n "$endpoint" ]; then break; fi
  kill -0 "$pid" 2> /dev/null || fail "the server ended"
  sleep 0.05
done
if [ -z "$endpoint" ]; then
  kill "$pid" 2> /dev/null || true
  fail "the server did not start within $seconds_max s"
fi

echo "Trestle listens on $endpoint (process $pid, log $log)"
{
  echo "endpoint=$endpoint"
  echo "pid=$pid"
} >> "$GITHUB_OUTPUT"
{
  echo "TRESTLE_ENDPOINT=$endpoint"
  echo "AWS_ENDPOINT_URL_DYNAMODB=$endpoint"
  echo "AWS_ENDPOINT_URL_DYNAMODB_STREAMS=$endpoint"
  echo "AWS_REGION=${AWS_REGION:-us-east-1}"
  echo "AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}"
  echo "AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID:-test}"
  echo "AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY:-test}"
} >> "$GITHUB_ENV"
