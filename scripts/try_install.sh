#!/usr/bin/env bash
# Tries a tarball, or a Debian package of the tool, in a bare userland of Debian: a chroot made by debootstrap, which is kept in
# ${CANOPY_CHROOTS:-/tmp/canopy-chroots} for the next time. Needs root, debootstrap and a mirror; uses the mirror of apt.
# usage: try_install.sh FILE SUITE...     such as: try_install.sh build/dist/canopy-1.0.0-linux-x86_64.tar.gz bookworm trixie
set -euo pipefail
file=$(realpath "$1")
shift
chroots=${CANOPY_CHROOTS:-/tmp/canopy-chroots}
mkdir -p "$chroots"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)

# The first steps of a user. Runs inside the chroot, which has only the tool and the essential packages.
trial() {
  set -euo pipefail
  cd "$(mktemp -d)"
  canopy --version
  cat >demo.toml <<'TOML'
name = "demo"
[[space]]
name = "x"
low = 0.0
high = 1.0
[system]
measure = "awk -v x={x} 'BEGIN {{ print 1 - (x - 0.3)^2 }}'"
[baseline]
setting = { x = 0.9 }
[budget]
pulls = 200
TOML
  canopy tune demo.toml | head -n 1
  canopy studies list
  canopy serve --listen 127.0.0.1:0 --store canopy.db 2>server.log &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  for _ in $(seq 100); do grep -q listening server.log && break; sleep 0.1; done
  url=$(sed -n 's/.*listening url="\([^"]*\)".*/\1/p' server.log)
  canopy best demo --server "$url" | head -n 1
  exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
  printf 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
  grep -q '<title>canopy' <&3 || { echo "the page is missing" >&2; exit 1; }
  echo "the server shows its page"
  kill "$server"
  wait "$server"
  ! canopy studies list --store postgresql://127.0.0.1:1/none 2>refusal.txt
  cut -c1-160 refusal.txt | head -n 1
}

# Runs a command inside, with mounts that end with it.
inside() {
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin \
    HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

for suite; do
  root=$chroots/$suite
  if [ ! -e "$root/etc/debian_version" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || { tail -n 5 "$root.log" >&2; exit 1; }
  fi
  echo "--- $(basename "$file") on Debian $(cat "$root/etc/debian_version"), $(inside dpkg-query -W | wc -l) packages"
  rm -rf "$root/opt/canopy" "$root/usr/local/bin/canopy"
  case $file in
    *.tar.gz)
      mkdir "$root/opt/canopy"
      tar --extract --gzip --file "$file" --directory "$root/opt/canopy" --strip-components=1
      ln -s /opt/canopy/bin/canopy "$root/usr/local/bin/canopy"
      inside bash -c "$(declare -f trial); trial"
      ;;
    *.deb)
      cp "$file" "$root/tmp/canopy.deb"
      cp /etc/resolv.conf /etc/hosts "$root/etc/"
      inside apt-get update -qq
      inside apt-get install -y -qq --no-install-recommends /tmp/canopy.deb >"$root.log" 2>&1 || { tail -n 5 "$root.log" >&2; exit 1; }
      inside bash -c "$(declare -f trial); trial"
      inside apt-get purge -y -qq --autoremove canopy >/dev/null 2>&1
      rm -rf "$root/tmp/canopy.deb" "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
      ;;
    *) echo "try_install: $file is neither a .tar.gz nor a .deb" >&2; exit 2 ;;
  esac
done
