#!/usr/bin/env bash
# Builds build/trestle_VERSION_ARCH.deb: the self-contained program (tools/dist.sh), its systemd unit, designs and
# documents (packaging/), for Debian 12 and 13; and build/trestle-dev_VERSION_ARCH.deb: the library for C++ programs,
# with examples, for Debian 12.
#
#   tools/deb.sh            prints the packages' paths as its last lines, the program's last
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build deb

cmake --preset release > /dev/null
cmake --build --preset release --target trestle
program=$(tools/dist.sh | tail -n 1)
version=$(build/trestle --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
# The commit's date is used for the changelog and all files, so that the same source makes the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
documents=$root/usr/share/doc/trestle
mkdir -p "$root/DEBIAN" "$documents"
chmod 755 "$root"

# ---- The files.
cmake --install build --component program --prefix "$root/usr" > /dev/null
install -m 755 "$program" "$root/usr/bin/trestle"
install -D -m 644 packaging/trestle.service "$root/lib/systemd/system/trestle.service"
install -D -m 644 packaging/trestle.default "$root/etc/default/trestle"
install -m 644 packaging/copyright "$documents/copyright"
install -m 644 README.md "$documents/README.md"
install -m 644 CHANGELOG.md CONTRIBUTING.md "$documents/"
for document in bench/README.md clients/node/README.md clients/python/README.md; do
  install -D -m 644 "$document" "$documents/$document"
done
mkdir -p "$documents/docs"
(cd docs && find . -name '*.md' -exec install -D -m 644 {} "$documents/docs/{}" \;)
mkdir -p "$root/usr/share/man/man1"
build/trestle manual | gzip -9n > "$root/usr/share/man/man1/trestle.1.gz"
maintainer="${DEBFULLNAME:-The authors of Trestle} <${DEBEMAIL:-trestle@trestle.invalid}>"
printf 'trestle (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' \
  "$version" "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" \
  | gzip -9n > "$documents/changelog.gz"

# ---- Dependencies: the packages of the libraries with which the program is linked, according to those packages: libc6.
mkdir -p "$stage/debian"
printf 'Source: trestle\n\nPackage: trestle\nArchitecture: any\n' > "$stage/debian/control"
libraries=$(cd "$stage" && dpkg-shlibdeps -O "$root/usr/bin/trestle" | sed -n 's/^shlibs:Depends=//p')
[ -n "$libraries" ]

cat > "$root/DEBIAN/control" << CONTROL
Package: trestle
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --exclude DEBIAN "$root" | cut -f 1)
Depends: $libraries, tzdata, adduser, init-system-helpers (>= 1.54~)
Section: database
Priority: optional
Description: DynamoDB's API on one machine
 Trestle is a database that speaks Amazon DynamoDB's API exactly: the same
 operations, the same exceptions, the same order of validation. Unchanged AWS
 SDKs and tools work against it. Its data is on this machine's disk, and what
 it has acknowledged survives kill -9 and power loss.
 .
 The service listens on 127.0.0.1:8000; see /etc/default/trestle.
CONTROL
echo /etc/default/trestle > "$root/DEBIAN/conffiles"
install -m 755 packaging/postinst packaging/prerm packaging/postrm "$root/DEBIAN/"
chmod 644 "$root/DEBIAN/conffiles"

# ---- The library. Programs that use it need the same libraries as the build of Trestle.
library=$stage/library
mkdir -p "$library/DEBIAN" "$library/usr/share/doc/trestle-dev"
cmake --install build --component library --prefix "$library/usr" > /dev/null
find "$library/usr/lib" -name '*.a' -exec strip --strip-debug {} +
install -m 644 packaging/copyright "$documents/changelog.gz" "$library/usr/share/doc/trestle-dev/"
for example in embedded design; do
  install -D -m 644 -t "$library/usr/share/doc/trestle-dev/examples/$example" "examples/$example/CMakeLists.txt" "examples/$example/main.cc"
done
cat > "$library/DEBIAN/control" << CONTROL
Package: trestle-dev
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --exclude DEBIAN "$library" | cut -f 1)
Depends: $(tools/setup.sh --list libraries | sed 's/ /, /g')
Recommends: cmake, g++
Suggests: trestle (= $version)
Section: libdevel
Priority: optional
Description: DynamoDB's API as a C++ library
 The database of Trestle without a server, and the runtime of its designs, as
 static libraries with headers: find_package(Trestle) in CMake. Two whole
 programs are in /usr/share/doc/trestle-dev/examples.
CONTROL

# Arguments: the folder of a package's files, and its name.
pack() {
  (cd "$1" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum) > "$1/DEBIAN/md5sums"
  chmod 644 "$1/DEBIAN/control" "$1/DEBIAN/md5sums"
  find "$1" -type d -exec chmod 755 {} +
  dpkg-deb --root-owner-group --build "$1" "build/$2_${version}_${architecture}.deb" > /dev/null
  echo "build/$2_${version}_${architecture}.deb"
}
pack "$library" trestle-dev
pack "$root" trestle
