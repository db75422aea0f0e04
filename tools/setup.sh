#!/usr/bin/env bash
# Installs the Debian packages that this machine lacks for a build (and with `test` for the tests; with `deb` for the
# Debian package; with `dist` for the self-contained program and the image; with `java` for DynamoDB Local).
#
#   tools/setup.sh build [test] [deb] [dist] [java]
#   tools/setup.sh --list libraries       only prints the packages that programs need to be built with the library
set -euo pipefail

library_packages=(
  librocksdb-dev libsimdjson-dev libxxhash-dev libssl-dev zlib1g-dev libzstd-dev libfmt-dev libyaml-cpp-dev
  libhowardhinnant-date-dev tzdata
)
build_packages=(
  g++ clang-19 cmake ninja-build ccache mold pkg-config
  "${library_packages[@]}" libhttp-parser-dev libdeflate-dev libcli11-dev libjemalloc-dev libhnswlib-dev
  libgtest-dev libgmock-dev # the build is configured with the unit tests
)
test_packages=(
  zstd
  libclang-rt-19-dev llvm-19 clang-format-19 clang-tidy-19
  python3 python3-venv python3-boto3 python3-cryptography awscli openssl curl chromium
)

if [ "${1:-} ${2:-}" = "--list libraries" ]; then
  echo "${library_packages[*]}"
  exit 0
fi

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build_packages[@]}") ;;
    test) wanted+=("${test_packages[@]}")
          command -v node > /dev/null && command -v npm > /dev/null || wanted+=(nodejs npm) ;;
    deb) wanted+=(dpkg-dev) ;;
    dist) wanted+=(binutils libsnappy-dev liblz4-dev libbz2-dev libgflags-dev python3 ca-certificates) ;;
    java) command -v java > /dev/null || wanted+=(openjdk-17-jre-headless) ;;
    *) echo "tools/setup.sh: no group $group: build, test, deb, dist, java" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

echo "Installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
