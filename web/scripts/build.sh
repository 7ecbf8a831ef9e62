#!/bin/sh
# Builds the page into a folder, with a source file that embeds it: build.sh FOLDER. If the npm packages cannot be
# fetched, the source file embeds no page, and the next build tries again.
set -eu
out=$1
cd "$(dirname "$0")/.."
mkdir -p "$out"

# Only one build at a time: two would overwrite each other's packages.
exec 9>"${TMPDIR:-/tmp}/canopy-page-$(id -u).lock"
flock 9

stamp=node_modules/.package-lock.json  # npm writes it last
if [ ! -e "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
  if ! npm ci --no-audit --no-fund > "$out/npm.log" 2>&1; then
    cat "$out/npm.log" >&2
    echo "canopy: npm could not fetch the packages to build the live page; canopy is built without the page" >&2
    cp ../src/service/no_page.cpp "$out/page_files.cpp"
    touch -d @0 "$out/page_files.cpp"
    exit 0
  fi
  touch "$stamp"
fi
CANOPY_PAGE_OUT=$out/files npm run --silent build > "$out/build.log" 2>&1 || { cat "$out/build.log" >&2; exit 1; }
mv "$out/files/page_files.cpp" "$out/page_files.cpp"
