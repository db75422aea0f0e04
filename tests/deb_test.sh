#!/usr/bin/env bash
# Tests the Debian packages. The program's package is well-formed and can be installed; its service's command line
# serves requests and keeps data; and it can be removed. The examples of the library's package, trestle-dev, build and
# run.
#
#   tests/deb_test.sh [PACKAGE]        default: builds both (tools/deb.sh)
#
# If run as root, and if Trestle is neither installed nor has data, the package is really installed, and purged at the
# end. Otherwise it is unpacked into a temporary folder and run from there. Ends with the line "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."

package=${1:-$(tools/deb.sh | tail -n 1)}
scratch=$(mktemp -d)
chmod 755 "$scratch"
server=
installed=
created_user=
passed=0
failed=0

clean_up() {
  if [ -n "$server" ]; then kill -KILL "$server" 2> /dev/null || true; fi
  if [ -n "$installed" ]; then
    dpkg --purge trestle > /dev/null 2>&1 || true
    rm -rf /var/lib/trestle
    if [ -n "$created_user" ]; then deluser --quiet --system trestle > /dev/null 2>&1 || true; fi
  fi
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
    sed 's/^/    /' "$scratch/output"
  fi
}
refuses() { ! "$@"; }

# ---- Well-formed.

mkdir "$scratch/root" "$scratch/control"
dpkg-deb -x "$package" "$scratch/root"
dpkg-deb -e "$package" "$scratch/control"

has_fields() {
  local field
  for field in Package Version Architecture Maintainer Depends Section Priority Description Installed-Size; do
    [ -n "$(dpkg-deb -f "$package" $field)" ] || { echo "no $field"; return 1; }
  done
}
depends_on_its_libraries() {
  local library file owner
  # Libraries that the program links directly; indirect ones are the business of their packages.
  for library in $(objdump -p "$scratch/root/usr/bin/trestle" | sed -n 's/^ *NEEDED *//p'); do
    file=$(ldd "$scratch/root/usr/bin/trestle" | sed -n "s|^\s*$library => \(\S*\).*|\1|p")
    [ -n "$file" ] || continue # the loader itself
    owner=$({ dpkg -S "$file" 2> /dev/null || dpkg -S "/usr$file"; } | cut -d : -f 1)
    dpkg-deb -f "$package" Depends | tr ',|' '\n\n' | awk '{print $1}' | grep -qxF "$owner" ||
      { echo "$library: $owner"; return 1; }
  done
}
owned_by_root() { ! dpkg-deb -c "$package" | awk '{print $2}' | grep -v '^root/root$'; }
modes_are_plain() { ! dpkg-deb -c "$package" | awk '{print $1}' | grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x)$'; }
only_in_its_places() {
  ! dpkg-deb -c "$package" | awk '$1 ~ /^-/ {print $6}' | grep -vE \
    '^\./(usr/bin/trestle|lib/systemd/system/trestle\.service|etc/default/trestle|usr/share/(doc/trestle|man/man1|trestle/designs)/.*)$'
}
checksums_match() {
  (cd "$scratch/root" && md5sum --quiet -c "$scratch/control/md5sums") &&
    [ "$(wc -l < "$scratch/control/md5sums")" -eq "$(find "$scratch/root" -type f | wc -l)" ]
}
configuration_is_declared() {
  diff <(cd "$scratch/root" && find etc -type f -printf '/%p\n' | sort) <(sort "$scratch/control/conffiles")
}
scripts_are_sound() {
  local script
  for script in postinst prerm postrm; do
    [ -x "$scratch/control/$script" ] && grep -q '^set -e$' "$scratch/control/$script" && sh -n "$scratch/control/$script"
  done
}
is_stripped() { ! readelf -S "$scratch/root/usr/bin/trestle" | grep -q '\.debug_info'; }
has_no_paths_of_the_build() { ! readelf -d "$scratch/root/usr/bin/trestle" | grep -E 'RPATH|RUNPATH'; }
links_lead_somewhere() {
  local document link
  while read -r document; do
    while read -r link; do
      [ -e "$(dirname "$document")/$link" ] || { echo "${document#"$scratch"/root}: $link"; return 1; }
    done < <(grep -oE '\]\([A-Za-z0-9./_-]+\.md' "$document" | sed 's/^](//')
  done < <(find "$scratch/root/usr/share/doc/trestle" -name '*.md')
}
unit_is_sound() {
  sed "s|/usr/bin/trestle|$scratch/root/usr/bin/trestle|; /^Documentation=/d" packaging/trestle.service \
    > "$scratch/trestle.service"
  systemd-analyze verify "$scratch/trestle.service"
}

check "the control file is complete" has_fields
check "it depends on every library that the program is linked with" depends_on_its_libraries
check "root owns every file" owned_by_root
check "no file has an unusual mode" modes_are_plain
check "no file is in a surprising place" only_in_its_places
check "the checksums are right and cover every file" checksums_match
check "every file in /etc is a configuration file" configuration_is_declared
check "the maintainer scripts are executable and stop at errors" scripts_are_sound
check "the program is stripped" is_stripped
check "the program carries no library path of the build machine" has_no_paths_of_the_build
check "links between the documents lead somewhere" links_lead_somewhere
if command -v systemd-analyze > /dev/null; then check "systemd takes the unit" unit_is_sound; fi
# Without DEBEMAIL the maintainer's address is a placeholder.
lintian_tags=bogus-mail-host,bogus-mail-host-in-debian-changelog
if command -v lintian > /dev/null; then
  check "lintian finds nothing" lintian --fail-on error,warning --suppress-tags $lintian_tags "$package"
fi

# ---- Installed.

root=$scratch/root
if [ "$(id -u)" -eq 0 ] && ! dpkg-query -W trestle > /dev/null 2>&1 && [ ! -e /var/lib/trestle ]; then
  id trestle > /dev/null 2>&1 || created_user=yes
  installed=yes
  root=
  check "it installs" dpkg -i "$package"
  check "its user is there" id trestle
  check "its data folder is its user's" test "$(stat -c '%U %a' /var/lib/trestle 2> /dev/null)" = "trestle 750"
  check "dpkg finds every file as it was packed" test -z "$(dpkg --verify trestle)"
  check "the service is enabled" test -e /etc/systemd/system/multi-user.target.wants/trestle.service
  if [ -d /run/systemd/system ]; then
    check "the service runs" systemctl is-active trestle.service
    systemctl stop trestle.service # what follows runs its command line
  fi
fi
check "the program tells its version" test "trestle $(dpkg-deb -f "$package" Version)" = "$("$root/usr/bin/trestle" --version)"

# In a folder without designs: prices are part of the program.
has_its_designs() {
  local name
  for name in authz form-bridge parental-control plugin-auth site-catalog; do
    "$root/usr/bin/trestle" design check "$root/usr/share/trestle/designs/$name.yaml" || return 1
  done
  [ -s "$root/usr/share/trestle/designs/design.schema.json" ]
}
finds_its_prices() {
  mkdir -p "$scratch/elsewhere"
  cp "$root/usr/share/trestle/designs/form-bridge.yaml" "$scratch/elsewhere/"
  (cd "$scratch/elsewhere" && "$root/usr/bin/trestle" design cost form-bridge.yaml --region eu-west-1) |
    grep -F "a month in eu-west-1"
}
has_its_documents() {
  # The designs have errors on purpose, so the exit status is 1.
  { "$root/usr/bin/trestle" design check "$root/usr/share/trestle/designs/as-written/authz.yaml" || true; } | grep -F ': error T' &&
    "$root/usr/bin/trestle" design cost "$root/usr/share/trestle/designs/form-bridge.yaml" \
      --against "$root/usr/share/trestle/designs/claims/form-bridge.json"
}
has_its_examples() {
  local example
  for example in "$root"/usr/share/trestle/designs/examples/*.yaml; do
    "$root/usr/bin/trestle" design check "$example" || return 1
  done
}
check "the five designs are there and sound" has_its_designs
check "the documents that they come from are there, with the claims" has_its_documents
check "the example designs are there and sound" has_its_examples
check "it finds its prices" finds_its_prices

# ---- The library.

library=$(dirname "$package")/$(basename "$package" | sed 's/^trestle_/trestle-dev_/')
example_runs() {
  local examples=$scratch/library/usr/share/doc/trestle-dev/examples
  [ -e "$examples/embedded/main.cc" ] &&
    cmake -S "$examples/design" -B "$scratch/example" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/library/usr" &&
    cmake --build "$scratch/example" &&
    "$scratch/example/design" "$root/usr/share/trestle/designs/authz.yaml" "$scratch/authz" | grep -F 'the same name again: 409'
}
depends_on_known_packages() {
  local name
  for name in $(dpkg-deb -f "$library" Depends | tr -d ,); do dpkg-query -W "$name" || return 1; done
}
check "the library's package unpacks" dpkg-deb -x "$library" "$scratch/library"
check "it depends on packages of Debian's names" depends_on_known_packages
check "its example of a design builds and runs" example_runs

# The unit's command line and flags, except for a free port and, if not installed, a temporary data folder.
data=/var/lib/trestle
[ -n "$installed" ] || data=$scratch/data
TRESTLE_FLAGS=$(. "$root/etc/default/trestle" && echo "$TRESTLE_FLAGS" | sed 's/--port [0-9]*/--port 0/')
command=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/trestle.service" |
  sed "s|^/usr/bin/trestle|$root/usr/bin/trestle|; s|/var/lib/trestle|$data|; s|\$TRESTLE_FLAGS|$TRESTLE_FLAGS|")
as_user=()
if [ -n "$installed" ]; then as_user=(setpriv --reuid trestle --regid trestle --init-groups); fi

start() {
  : > "$scratch/log" # before the server is there, so that nobody reads what the last one said
  "${as_user[@]}" $command >> "$scratch/log" 2>&1 &
  server=$!
  for _ in $(seq 2400); do
    endpoint=$(sed -nE 's|.* (http://[0-9.]+:[0-9]+)$|\1|p' "$scratch/log" | head -n 1 || true)
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
call() {
  curl --silent --show-error --fail-with-body --max-time 120 --noproxy '*' "$endpoint/" \
    -H 'Content-Type: application/x-amz-json-1.0' -H "X-Amz-Target: DynamoDB_20120810.$1" \
    -H 'X-Amz-Date: 20260101T000000Z' -d "$2" -H 'Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'
}
item_is_there() { call GetItem '{"TableName":"t-1","Key":{"pk":{"S":"a"}}}' | grep -F '{"Item":{"n":{"N":"7"},"pk":{"S":"a"}}}'; }

check "the service's command line serves" start
if [ -n "${endpoint:-}" ]; then
  check "it is healthy" curl --silent --fail --noproxy '*' "$endpoint/"
  check "it makes a table" call CreateTable '{"TableName":"t-1","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}'
  check "it takes an item" call PutItem '{"TableName":"t-1","Item":{"pk":{"S":"a"},"n":{"N":"7"}}}'
  check "it refuses what DynamoDB refuses" refuses call PutItem '{"TableName":"t-1","Item":{"n":{"N":"7"}}}'
  check "it gives the item back" item_is_there
  check "SIGTERM ends it cleanly" stop
  check "it starts again" start
  check "the item is still there" item_is_there
  check "SIGTERM ends it cleanly again" stop
fi

# ---- Removed.

if [ -n "$installed" ]; then
  check "it can be removed" dpkg --remove trestle
  check "the program is gone" test ! -e /usr/bin/trestle
  check "the data is not" test -e /var/lib/trestle/FORMAT
  check "it can be installed again" dpkg -i "$package"
  check "and the data is there" start
  check "with the item in it" item_is_there
  check "and it stops" stop
  check "it can be purged" dpkg --purge trestle
  check "its configuration is gone" test ! -e /etc/default/trestle
  check "the service is no longer enabled" test ! -e /etc/systemd/system/multi-user.target.wants/trestle.service
  check "the data is still not" test -e /var/lib/trestle/FORMAT
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
