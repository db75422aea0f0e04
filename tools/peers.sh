#!/usr/bin/env bash
# Downloads other DynamoDB implementations, for `make judge` and `make bench PEERS=all`. Versions are pinned, and
# checksums are verified. They are stored outside the repository, in TRESTLE_PEERS (default: ~/.cache/trestle/peers).
#
#   tools/peers.sh dynamodb-local       prints the folder of its jars; needs a Java runtime (Debian: openjdk-17-jre-headless)
#   tools/peers.sh dynoxide             prints the path of its program; needs cargo 1.88 or later, which Debian 12 lacks
set -euo pipefail
cd "$(dirname "$0")"

peers=${TRESTLE_PEERS:-$HOME/.cache/trestle/peers}
dynamodb_local_version=2.6.1
dynoxide_version=3.2.0

# The jars of DynamoDB Local and of its dependencies, and its SQLite, from Maven Central.
dynamodb_local() {
  ./setup.sh java >&2
  local folder=$peers/dynamodb-local-$dynamodb_local_version
  if [ ! -d "$folder" ]; then
    mkdir -p "$peers"
    partial=$(mktemp -d "$peers/partial.XXXXXX")
    trap 'rm -rf "$partial"' EXIT
    local sum path
    while read -r sum path; do
      echo "url = https://repo1.maven.org/maven2/$path"
      echo "output = $partial/${path##*/}"
    done < dynamodb_local.sha256 |
      curl --config - --fail --silent --show-error --location --retry 3
    sed 's|  .*/|  |' dynamodb_local.sha256 | (cd "$partial" && sha256sum --check --strict --quiet) >&2
    # The loader of the native library expects a name without a version.
    mv "$partial"/libsqlite4java-linux-amd64-*.so "$partial/libsqlite4java-linux-amd64.so"
    chmod 755 "$partial"
    mv "$partial" "$folder"
  fi
  echo "$folder"
}

# Built from crates.io. Its index has the checksum of the source, and the lock file those of all dependencies.
dynoxide() {
  local folder=$peers/dynoxide-$dynoxide_version
  if [ ! -x "$folder/bin/dynoxide" ]; then
    command -v cargo > /dev/null || { echo "tools/peers.sh: dynoxide needs cargo 1.88 or later (https://rustup.rs)" >&2; exit 1; }
    cargo install --quiet --locked --jobs "${JOBS:-2}" --root "$folder" --no-default-features \
      --features native-sqlite,http-server,cli "dynoxide-rs@$dynoxide_version" >&2
  fi
  echo "$folder/bin/dynoxide"
}

case ${1:-} in
  dynamodb-local) dynamodb_local ;;
  dynoxide) dynoxide ;;
  *) echo "tools/peers.sh: name one of dynamodb-local, dynoxide" >&2; exit 2 ;;
esac
