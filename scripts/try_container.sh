#!/usr/bin/env bash
# Builds the image of packaging/Containerfile by buildah on a userland of debootstrap (no registry is needed) and tries it: user,
# files, server and health check. Steps and processes run in a chroot, so this works inside containers as well. Needs root.
# usage: try_container.sh FOLDER SUITE, where FOLDER has the tarball
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/.."
root=${CANOPY_CHROOTS:-/tmp/canopy-chroots}/$2
[ -e "$root/etc/debian_version" ] || { echo "try_container: no chroot in $root: run try_install.sh first" >&2; exit 1; }
export BUILDAH_ISOLATION=chroot
base=localhost/canopy-base-$2
image=localhost/canopy:trial
work=$(mktemp -d)
chmod 755 "$work"
containers=()
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  for container in "${containers[@]}"; do buildah rm "$container" >/dev/null; done
  rm -rf "$work"
}
trap finish EXIT

container=$(buildah from scratch)
containers+=("$container")
buildah add --quiet "$container" "$root" / >/dev/null
buildah commit --quiet "$container" "$base" >/dev/null
buildah build --quiet --format docker --build-arg BASE="$base" --tag "$image" --file packaging/Containerfile "$folder" >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; exit 1; }
echo "image: $(buildah images --format '{{.Size}}' "$image"), of which the base has $(buildah images --format '{{.Size}}' "$base")"

container=$(buildah from "$image")
containers+=("$container")
inside() { buildah run "${@:2}" "$container" -- bash -c "$1"; }
inside 'canopy --version && id && ! touch /usr/local/file 2>/dev/null && touch /var/lib/canopy/file && rm /var/lib/canopy/file'
inside 'canopy token new --file /var/lib/canopy/tokens.toml --name alice --role admin' >"$work/token.txt" 2>&1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
health=$(buildah inspect --type image --format '{{index .Docker.Config.Healthcheck.Test 3}}' "$image")
health=${health/8731/$port}
inside "echo \$\$ >pid; exec canopy serve --listen 127.0.0.1:$port --store canopy.db --tokens tokens.toml" 2>"$work/server.log" &
for _ in $(seq 100); do grep -q listening "$work/server.log" && break; sleep 0.1; done
server=$(inside 'cat pid')
inside "$health" && echo "health check of a running server: healthy"
kill "$server" && wait $! && echo "the server stops cleanly"
server=
! inside "$health" 2>/dev/null && echo "health check of a stopped server: unhealthy"
echo PASSED
