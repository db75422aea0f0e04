#!/usr/bin/env bash
# Installs, from Debian's packages, what a build (and with `test`, what the tests; with `deb`, what the package) need and
# the machine lacks.
#
#   tools/setup.sh build [test] [deb]
set -euo pipefail

build_packages=(
  g++ clang-19 cmake ninja-build ccache mold pkg-config
  librocksdb-dev libsimdjson-dev libhttp-parser-dev libxxhash-dev libssl-dev zlib1g-dev libzstd-dev libfmt-dev libcli11-dev libyaml-cpp-dev
  libjemalloc-dev libhowardhinnant-date-dev libhnswlib-dev tzdata
)
test_packages=(
  libgtest-dev libgmock-dev zstd
  libclang-rt-19-dev llvm-19 clang-format-19 clang-tidy-19
  python3 python3-venv python3-boto3 python3-cryptography awscli openssl curl chromium
)

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build_packages[@]}") ;;
    test) wanted+=("${test_packages[@]}")
          command -v node > /dev/null && command -v npm > /dev/null || wanted+=(nodejs npm) ;;
    deb) wanted+=(dpkg-dev) ;;
    *) echo "tools/setup.sh: no group $group: build, test, deb" >&2; exit 2 ;;
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
