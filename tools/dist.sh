#!/usr/bin/env bash
# Builds build/dist/trestle-VERSION-linux-x64: the Release program with every library except glibc inside. It runs on
# every Linux on x86-64 with glibc 2.35 or later. SHA256SUMS in the same folder lists the checksums.
#
#   tools/dist.sh            prints its size and start-up time, and the program's path as the last line
#
# Builds only on Debian 12: the libraries come from its packages, and its glibc determines where the program runs. The
# sources of three libraries, for which Debian has no static archives, are downloaded once, into build/dist-sources;
# DEBIAN_MIRROR is their source.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build dist

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
sources=build/dist-sources
# Development package, its version without Debian's revision, source package, file in the pool, SHA-256.
libraries=(
  "libfmt-dev 9.1.0+ds1 fmtlib f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz 84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583"
  "libsimdjson-dev 3.0.1 simdjson s/simdjson/simdjson_3.0.1.orig.tar.gz 156b1bc5eb0561b2bd166b46d191fd3d95a3e709cc63761477d3b7aec2b6e9ed"
  "libhowardhinnant-date-dev 3.0.1+ds howardhinnant-date h/howardhinnant-date/howardhinnant-date_3.0.1+ds.orig.tar.xz 2768b67c1b5cf07715978584ef174dae679e90bf420777aee4e8b09e993681f1"
)

for line in "${libraries[@]}"; do
  read -r package version name file digest <<< "$line"
  installed=$(dpkg-query -W -f '${Version}' "$package")
  if [ "${installed%-*}" != "$version" ]; then
    echo "tools/dist.sh: $package is $installed, not Debian 12's $version: build on Debian 12" >&2
    exit 1
  fi
  if [ -e "$sources/$name/.unpacked" ]; then continue; fi
  mkdir -p "$sources/$name"
  /usr/lib/apt/apt-helper -q download-file "$mirror/pool/main/$file" "$sources/${file##*/}" "SHA256:$digest" > /dev/null
  tar -xf "$sources/${file##*/}" -C "$sources/$name" --strip-components 1
  rm "$sources/${file##*/}"
  touch "$sources/$name/.unpacked"
done
touch "$sources/complete"

cmake --preset release -DTRESTLE_DIST_SOURCES="$PWD/$sources" > /dev/null
cmake --build --preset release --target trestle_dist
version=$(build/trestle_dist --version | cut -d ' ' -f 2)
name=trestle-$version-linux-x64
program=build/dist/$name
rm -rf build/dist
mkdir -p build/dist
strip -o "$program" build/trestle_dist
chmod 755 "$program"
(cd build/dist && sha256sum "$name" > SHA256SUMS)

glibc=$(objdump -T "$program" | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
echo "$name: $(stat -c %s "$program" | numfmt --to=iec), needs glibc ${glibc#GLIBC_} or later and: $(
  objdump -p "$program" | sed -n 's/^ *NEEDED *//p' | paste -sd ' ')"
tools/start_time.py "$program"
echo "$program"
