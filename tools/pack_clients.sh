#!/usr/bin/env bash
# Builds the npm package and the Python wheel (clients/), each with the program inside, for Linux on x86-64.
#
#   tools/pack_clients.sh node|python PROGRAM FOLDER     prints the package's path as its last line
#
# PROGRAM determines where the packages run: the output of tools/dist.sh needs glibc 2.35, and build/trestle Debian 12's
# libraries. The packages have the program's version. WHEEL_PLATFORM is the wheel's platform tag (linux_x86_64). PyPI
# accepts only manylinux tags: manylinux_2_35_x86_64 is for a program that needs only glibc 2.35. PYTHON is a Python
# with pip; without it a virtual environment is created for the build.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-} program=${2:-} folder=${3:-}
if [ -z "$folder" ] || [ ! -x "$program" ]; then
  echo "usage: tools/pack_clients.sh node|python PROGRAM FOLDER" >&2
  exit 2
fi
mkdir -p "$folder"
folder=$(realpath "$folder")
version=$("$program" --version | cut -d ' ' -f 2)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# The program without debug information and symbols, which are most of its size.
stripped() {
  install -D -m 755 "$program" "$1"
  strip "$1"
}

case $kind in
  node)
    cp -r clients/node/. "$stage"
    stripped "$stage/program/trestle"
    sed -i "s/^  \"version\": .*/  \"version\": \"$version\",/" "$stage/package.json"
    npm pack --silent --pack-destination "$folder" "$stage" | sed "s|^|$folder/|" | tail -n 1
    ;;
  python)
    cp -r clients/python "$stage/package"
    stripped "$stage/package/src/trestle/program/trestle"
    sed -i "s/^version = .*/version = \"$version\"/" "$stage/package/pyproject.toml"
    python=${PYTHON:-$stage/venv/bin/python}
    if [ -z "${PYTHON:-}" ]; then python3 -m venv "$stage/venv"; fi
    "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$folder" "$stage/package" >&2
    ls -t "$folder"/trestle_db-"$version"-*.whl | head -n 1
    ;;
  *)
    echo "tools/pack_clients.sh: no package $kind: node, python" >&2
    exit 2
    ;;
esac
