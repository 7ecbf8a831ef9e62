#!/usr/bin/env bash
# Installs the package, builds the README's quick start against it as a project of its own, and
# compares what it and the tool print with what the README says they print.
# usage: run.sh SOURCE_DIR BUILD_DIR CMAKE CXX
set -euo pipefail
source_dir=$1 build_dir=$2 cmake=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first fenced block of a language under the heading "Quick start".
block() {
  awk -v language="$1" '
    /^## / { inside = /^## Quick start/ }
    inside && $0 == "```" language && !done { copying = 1; next }
    copying && /^```/ { copying = 0; done = 1 }
    copying { print }' "$source_dir/README.md"
}

"$cmake" --install "$build_dir" --prefix "$work/prefix" >"$work/install.log"
mkdir "$work/app"
block cpp >"$work/app/main.cpp"
block cmake >"$work/app/CMakeLists.txt"
block text >"$work/expected.txt"
for file in app/main.cpp app/CMakeLists.txt expected.txt; do
  [ -s "$work/$file" ] || { echo "README.md: no block for $file"; exit 1; }
done

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
cat >"$work/study/main.cpp" <<'CPP'
#include <canopy/stores.hpp>
#include <canopy/study_session.hpp>
#include <cstdio>

int main() {
  const canopy::StudySpecification specification{.space = canopy::Space{{"x", canopy::Real{0.0, 1.0}}}};
  canopy::StudySession session(canopy::open_store("studies.db", canopy::Store::Mode::create), [&](canopy::Store& store) {
    return canopy::Study::open(store, specification, {.name = "mine", .fork = {}});
  });
  for (int i = 0; i < 100; ++i) {
    const canopy::Status status = session.perform([](canopy::Study& study) {
      const canopy::Pull pull = study.ask(1);
      return study.tell(pull.ticket, pull.arm[0]);
    });
    if (status != canopy::Status::ok) return 1;
  }
  std::printf("%llu events\n", static_cast<unsigned long long>(session.perform([](canopy::Study& s) { return s.events(); })));
}
CPP
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
readme_section() { awk -v heading="## $1" '/^## / { inside = $0 == heading } inside' "$source_dir/README.md"; }
readme_section "From any language" | awk '/^```toml/ { copying = 1; next } /^```/ { copying = 0 } copying' \
  >"$work/study.toml"
readme_section "From any language" | sed -n 's/^<- //p' >"$work/expected.txt"
readme_section "From any language" | sed -n 's/^-> //p' |
  "$work/prefix/bin/canopy" pipe "$work/study.toml" | diff -u "$work/expected.txt" -

# The table of `canopy simulate`, but for the time.
without_time() { sed -e '/^ns per step/d' -e 's/ *$//'; }
readme_section "At the terminal" | awk '/^\$ build/ { copying = 1; next } /^```/ { copying = 0 } copying' |
  without_time >"$work/expected.txt"
command=$(readme_section "At the terminal" | sed -n 's,^\$ build/,,p')
(cd "$work/prefix/bin" && eval "./$command") | without_time | diff -u "$work/expected.txt" -

# The study of `canopy tune`.
readme_section "Tune a live system" | awk '/^```toml/ { copying = 1; next } /^```/ { copying = 0 } copying' \
  >"$work/demo.toml"
readme_section "Tune a live system" | awk '/^\$ build/ { copying = 1; next } /^```/ { copying = 0 } copying' \
  >"$work/expected.txt"
(cd "$work" && prefix/bin/canopy tune demo.toml) | diff -u "$work/expected.txt" -
echo "the README's programs print what it says"
