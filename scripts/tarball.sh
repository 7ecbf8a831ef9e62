#!/usr/bin/env bash
# Packs the portable tool (build/portable, by `cmake --preset portable`) into a tarball that can be unpacked anywhere.
# usage: tarball.sh BUILD_FOLDER FOLDER; the tarball is FOLDER/canopy-VERSION-linux-MACHINE.tar.gz
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
version=$(sed -n 's/^project(canopy VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=canopy-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component tool --strip --prefix "$work/$name" >/dev/null
"$work/$name/bin/canopy" --version

# Only the C library may be shared: everything else is linked in, or loaded on demand (libpq).
needed=$(objdump -p "$work/$name/bin/canopy" | awk '/NEEDED/ {print $2}')
if foreign=$(grep -vE '^(libc|libm|ld-linux-.*)\.so\.[0-9]+$' <<<"$needed"); then
  echo "tarball: bin/canopy needs shared libraries that another machine may not have:" $foreign >&2
  exit 1
fi
glibc=$(objdump -T "$work/$name/bin/canopy" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)

# The licences of what is linked into the program.
notices=$work/$name/share/doc/canopy/third-party
mkdir -p "$notices"
python3 scripts/sbom.py --build "$build" --target canopy --list | while IFS=$'\t' read -r library _ _ file; do
  cp "$file" "$notices/$(tr '/@' '__' <<<"$library").txt"
done

tar --create --gzip --file "$folder/$name.tar.gz" --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$(git log -1 --format=%ct 2>/dev/null || date +%s)" "$name"
echo "$name.tar.gz needs ${glibc/_/ } or later: $(du -h "$folder/$name.tar.gz" | cut -f1) packed," \
  "$(du -sh "$work/$name" | cut -f1) unpacked"
