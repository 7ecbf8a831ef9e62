#!/usr/bin/env bash
# Adds an optimizer, an event, a kind of parameter and a store to a copy of the tree, as CONTRIBUTING.md says: their own
# files, and one line each where they are listed. Then builds a program that uses all four, and runs it.
# usage: run.sh SOURCE_DIR
# CANOPY_EXTENSION_KEEP=1 keeps the copy and its build.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 SOURCE_DIR" >&2; exit 2; }
source_dir=$(cd "$1" && pwd)
own="$source_dir/tests/extension"
work=$(mktemp -d)
before="$work/before" # the tree as it is
copy="$work/canopy"

clean_up() {
  if [ "${CANOPY_EXTENSION_KEEP:-0}" = 1 ]; then
    echo "kept: $work"
  else
    rm -rf "$work"
  fi
}
trap clean_up EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The lines by which a file of the copy differs from another one.
changed_lines() { diff "$1" "$2" | grep -c '^>' || true; }

# edit WHAT FILE SCRIPT: the one line outside its own files that something takes, made by sed.
edit() {
  local what=$1 file=$2 script=$3 lines
  grep -qF "One line in \`$file\`" "$copy/CONTRIBUTING.md" ||
    fail "CONTRIBUTING.md does not say that $what takes one line in $file"
  cp "$copy/$file" "$work/unedited"
  sed -i "$script" "$copy/$file"
  lines=$(changed_lines "$work/unedited" "$copy/$file")
  [ "$lines" -ne 0 ] || fail "$file: the place for $what was not found"
  [ "$lines" -eq 1 ] || fail "$what takes $lines lines in $file, and CONTRIBUTING.md says one"
  echo "$what: 1 line in $file"
}

# --- a copy, with the four in it --------------------------------------------------------------------------------------

for tree in "$before" "$copy"; do
  mkdir "$tree"
  (cd "$source_dir" && git ls-files -z | tar --create --null --files-from=-) | tar --extract --directory="$tree"
done
(cd "$own/added" && find . -type f) | while read -r file; do
  [ ! -e "$copy/$file" ] || fail "$file is there already"
done
cp -r "$own/added/." "$copy"

edit "an optimizer" src/family/list.hpp '/^#define CANOPY_FAMILY(entry) /a\  entry(alternate) \\'

# The struct of an event and its fields are its own; they stand before the list of all events.
awk '/^}  \/\/ namespace canopy/ { inside = 0 } inside; /^namespace canopy {/ { inside = 1 }' "$own/remark.hpp" |
  sed 1d >"$work/struct"
[ -s "$work/struct" ] || fail "tests/extension/remark.hpp: there is no struct in the namespace canopy"
event=include/canopy/event.hpp
awk -v struct="$work/struct" '
  /^\/\/\/ Any of these\./ { while ((getline line < struct) > 0) print line }
  { print }' "$before/$event" >"$copy/$event"
[ "$(changed_lines "$before/$event" "$copy/$event")" -eq "$(wc -l <"$work/struct")" ] ||
  fail "$event: the place for the struct of an event was not found"
edit "an event" $event '/^using Event =/,/>;$/ s/>;$/, Remarked>;/'

edit "a kind of parameter" include/canopy/domain.hpp 's/^\( *using Kinds = OneOfKinds<.*\)>;$/\1, PowerOfTwo>;/'

edit "a store" src/stores/list.hpp '/^#define CANOPY_STORES(entry) /a\  entry(lines) \\'

# Nothing else differs: neither other sources nor lists of files.
differing=$(cd "$work" && { diff -rq before canopy || true; } | grep -c '^Files') || true
[ "$differing" -eq 4 ] || fail "$differing files of the tree were edited, and not 4"

# --- a program that uses them -----------------------------------------------------------------------------------------

cat >>"$copy/CMakeLists.txt" <<'CMAKE'
add_executable(uses_all tests/extension/uses_all.cpp)
target_link_libraries(uses_all PRIVATE canopy_stores canopy_family canopy_insight canopy_flags)
CMAKE
cmake -S "$copy" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCANOPY_WARNINGS_AS_ERRORS=ON >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "the copy cannot be configured"; }
cmake --build "$work/build" --target uses_all >"$work/build.log" 2>&1 ||
  { cat "$work/build.log"; fail "the copy cannot be built"; }
mkdir "$work/studies"
"$work/build/uses_all" "$work/studies" || fail "not all that was added works"
