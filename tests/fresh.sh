#!/usr/bin/env bash
# Tests the first steps of a new developer on a plain Debian 12: a clone of this repository, `make build` and the fast
# tests (`make test`), with Debian's versions of compiler, Python and Node.
#
#   tests/fresh.sh [COMMAND...]        as root; default: make build test
#
# debootstrap creates the root file system in a temporary folder, which is removed at the end. DEBIAN_MIRROR is the
# source of packages. TRESTLE_BINARY is a program that was built for Debian 12 elsewhere; it becomes build/trestle, for
# commands that need no build. The committed state is tested.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ]; then echo "tests/fresh.sh: needs root, for debootstrap and chroot" >&2; exit 2; fi
if ! command -v debootstrap > /dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap > /dev/null
fi
if [ $# -eq 0 ]; then set -- make build test; fi

mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d)
chmod 755 "$root"
clean_up() {
  # A mounted /proc must not be removed with it.
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

debootstrap --variant=minbase --include=ca-certificates,git,make bookworm "$root" "$mirror" > "$root.log" 2>&1 ||
  { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' > "$root/etc/hosts" # as Debian's installer writes it
# Certificates and settings that this machine needs for the registries of npm and Python, if any.
if [ -d /usr/local/share/ca-certificates ]; then cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"; fi
git clone --quiet --no-local . "$root/trestle"
if [ -n "${TRESTLE_BINARY:-}" ]; then install -D -m 755 "$TRESTLE_BINARY" "$root/trestle/build/trestle"; fi

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}
inside update-ca-certificates > /dev/null 2>&1
inside sh -c 'cd /trestle && exec "$@"' sh "$@"
