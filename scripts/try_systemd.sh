#!/usr/bin/env bash
# Tries canopy.service under a real systemd: boots a chroot of Debian by systemd-nspawn, with the package of the tool installed, and
# starts, reloads, kills and stops the service there. Needs root, debootstrap and systemd-nspawn (systemd-container).
# usage: try_systemd.sh DEB SUITE
set -euo pipefail
deb=$(realpath "$1")
suite=$2
chroots=${CANOPY_CHROOTS:-/tmp/canopy-chroots}
root=$chroots/$suite-systemd
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
mkdir -p "$chroots"
if [ ! -e "$root/etc/debian_version" ]; then
  rm -rf "$root"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 5 "$root.log" >&2; exit 1; }
fi
rm -rf "$root/var/lib/private/canopy" "$root/etc/canopy" "$root/etc/default/canopy"
cp "$deb" "$root/tmp/canopy.deb"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
chroot "$root" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --reinstall --no-install-recommends /tmp/canopy.deb' \
  >"$root.log" 2>&1 || { tail -n 5 "$root.log" >&2; exit 1; }

# Runs inside, as the last service of the boot.
trial() {
  set -euo pipefail
  get() {  # the status of a path
    exec 3<>/dev/tcp/127.0.0.1/8731
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n' "$1" "${token:-none}" >&3
    read -r _ status _ <&3
    exec 3>&-
    echo "$status"
  }
  expect() {
    [ "$2" = "$3" ] || { echo "FAILED: $1: $2 instead of $3"; journalctl -u canopy -o cat | tail -n 20; exit 1; }
    echo "$1: $2"
  }
  mkdir -p /etc/canopy
  token=$(canopy token new --file /etc/canopy/tokens.toml --name alice --role admin 2>&1 | grep -oE 'canopy_[0-9a-f]+' | head -n 1)
  chmod 644 /etc/canopy/tokens.toml
  echo 'CANOPY_OPTIONS=--listen 0.0.0.0:8731 --tokens /etc/canopy/tokens.toml' >/etc/default/canopy
  systemctl start canopy
  expect "state after start" "$(systemctl is-active canopy)" active
  expect "type of the unit" "$(systemctl show -P Type canopy)" notify
  expect "/readyz" "$(get /readyz)" 200
  expect "/v1/studies with the token" "$(get /v1/studies)" 200
  user=$(ps -o user= -p "$(systemctl show -P MainPID canopy)" 2>/dev/null || stat -c %U "/proc/$(systemctl show -P MainPID canopy)")
  [ "$user" != root ] && echo "user: not root"
  canopy token revoke --file /etc/canopy/tokens.toml --name alice >/dev/null 2>&1
  canopy token new --file /etc/canopy/tokens.toml --name bob >/dev/null 2>&1
  chmod 644 /etc/canopy/tokens.toml
  systemctl reload canopy
  expect "/v1/studies after the token was revoked and the service reloaded" "$(get /v1/studies)" 401
  systemctl kill --signal=KILL canopy
  for _ in $(seq 50); do [ "$(systemctl is-active canopy)" = active ] && [ "$(get /readyz 2>/dev/null)" = 200 ] && break; sleep 0.2; done
  expect "state after SIGKILL" "$(systemctl is-active canopy)" active
  expect "/readyz after SIGKILL" "$(get /readyz)" 200
  [ -e /var/lib/private/canopy/canopy.db ] && echo "store: /var/lib/canopy/canopy.db, $(stat -c %a /var/lib/private/canopy)"
  systemctl stop canopy
  expect "result of the stop" "$(systemctl show -P Result canopy)" success
  systemd-analyze verify /usr/lib/systemd/system/canopy.service && echo "systemd-analyze verify: no warnings"
  systemd-analyze security canopy --no-pager | tail -n 1
  systemctl --version | head -n 1
  echo PASSED
}
{
  echo '#!/bin/bash'
  declare -f trial
  echo 'trial >/trial.log 2>&1'
} >"$root/trial.sh"
# Whatever the result, the machine is switched off.
cat >"$root/etc/systemd/system/trial.service" <<'UNIT'
[Unit]
SuccessAction=poweroff
FailureAction=poweroff
[Service]
ExecStart=/bin/bash /trial.sh
[Install]
WantedBy=multi-user.target
UNIT
rm -f "$root/trial.log"
chroot "$root" systemctl enable -q trial.service
timeout 180 systemd-nspawn --quiet --boot --directory "$root" --machine "canopy-trial-$$" --register=no --keep-unit --private-network \
  >"$root.log" 2>&1 </dev/null || true
cat "$root/trial.log"
tail -n 1 "$root/trial.log" | grep -qx PASSED
