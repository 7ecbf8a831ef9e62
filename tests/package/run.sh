#!/usr/bin/env bash
# Installs the package, builds the programs of docs/cpp.md against it as projects of their own, and compares what they and
# the tool print with what README and docs say they print.
# usage: run.sh SOURCE_DIR BUILD_DIR CMAKE CXX
set -euo pipefail
source_dir=$1 build_dir=$2 cmake=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block FILE HEADING LANGUAGE: the first fenced block of a language in a section of a document.
block() {
  awk -v heading="## $2" -v fence="\`\`\`$3" '
    /^## / { inside = $0 == heading }
    inside && $0 == fence && !done { copying = 1; next }
    copying && /^```/ { copying = 0; done = 1 }
    copying { print }' "$source_dir/$1" | grep '' || { echo "$1: no block of $3 in the section $2" >&2; exit 1; }
}

"$cmake" --install "$build_dir" --prefix "$work/prefix" >"$work/install.log"
mkdir "$work/app"
block docs/cpp.md "Quick start" cpp >"$work/app/main.cpp"
block docs/cpp.md "Quick start" cmake >"$work/app/CMakeLists.txt"
block docs/cpp.md "Quick start" text >"$work/expected.txt"

"$cmake" -S "$work/app" -B "$work/app/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/app/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$work/app/build/app" >"$work/actual.txt"
diff -u "$work/expected.txt" "$work/actual.txt"

# The examples, as projects of their own.
for example in policy_search own_algorithm; do
  "$cmake" -S "$source_dir/examples/$example" -B "$work/$example" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; exit 1; }
  "$cmake" --build "$work/$example" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
done

# An algorithm and an environment that canopy does not know, in a simulation and in an experiment.
awk '/^```text/ { copying = 1; next } /^```/ { copying = 0 } copying' "$source_dir/examples/own_algorithm/README.md" \
  >"$work/expected.txt"
"$work/own_algorithm/own_algorithm" "$work/out" | diff -u "$work/expected.txt" -

# Studies from C++.
mkdir "$work/study"
block docs/cpp.md "The same tuner, durable" cpp >"$work/study/main.cpp"
cat >"$work/study/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(study CXX)
find_package(canopy REQUIRED COMPONENTS studies)
add_executable(study main.cpp)
target_link_libraries(study canopy::studies)
CMAKE
"$cmake" -S "$work/study" -B "$work/study/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/study/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
(cd "$work/study" && build/study | grep -qx "200 events" && build/study | grep -qx "400 events")

# The conversation with `canopy pipe`: what follows "-> " goes in, what follows "<- " comes out.
block docs/pipe.md "A first conversation" toml >"$work/study.toml"
block docs/pipe.md "A first conversation" json >"$work/conversation"
sed -n 's/^-> //p' "$work/conversation" | "$work/prefix/bin/canopy" pipe "$work/study.toml" |
  diff -u <(sed -n 's/^<- //p' "$work/conversation") -

# What follows a line "$ build/canopy ..." is what that command prints.
shown() { block "$1" "$2" console | sed 1d; }
command_of() { block "$1" "$2" console | sed -n '1s,^\$ build/,,p'; }

# The table of `canopy simulate`, but for the time.
without_time() { sed -e '/^ns per step/d' -e 's/ *$//'; }
(cd "$work/prefix/bin" && eval "./$(command_of docs/experiments.md "One optimizer on one environment")") | without_time |
  diff -u <(shown docs/experiments.md "One optimizer on one environment" | without_time) -

# The study of `canopy tune`.
block README.md "Tune a live system" toml >"$work/demo.toml"
(cd "$work" && eval "prefix/bin/$(command_of README.md "Tune a live system")") | diff -u <(shown README.md "Tune a live system") -
echo "the programs of README and docs print what these say"
