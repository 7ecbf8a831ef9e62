#!/usr/bin/env bash
# Installs the packages that building ("build"), testing ("test"), linting ("lint"), Debian packages ("deb"), trying a release
# ("dist"), the demo ("demo"), the site ("docs") or the Python package ("python") need. Quick and quiet if nothing is missing.
#
# "unpack FOLDER PYTHON" is for pip, which must not install system packages: it unpacks the packages for building the
# Python module into a folder, without root.
set -euo pipefail

# each line: a Debian package, then a header, a command, a file (an absolute path, may have *) or a Python module whose
# presence shows that it is installed
build_needs="
g++ c++
cmake cmake
ninja-build ninja
gnuplot-nox gnuplot
libopenmpi-dev mpicxx
openmpi-bin mpirun
libgtest-dev gtest/gtest.h
librapidcheck-dev rapidcheck.h
libbenchmark-dev benchmark/benchmark.h
libcli11-dev CLI/CLI.hpp
libtomlplusplus-dev toml++/toml.h
nlohmann-json3-dev nlohmann/json.hpp
libfmt-dev fmt/format.h
librandom123-dev Random123/philox.h
libtbb-dev tbb/parallel_for.h
libsqlite3-dev sqlite3.h
libpq-dev postgresql/libpq-fe.h
libboost1.81-dev boost/math/distributions/students_t.hpp
libssl-dev openssl/ssl.h
libspdlog-dev spdlog/spdlog.h
nodejs node
npm npm
"
test_needs="
sqlite3 sqlite3
openssl openssl
redis-server redis-server
libhiredis-dev hiredis/hiredis.h
zstd zstd
postgresql /usr/lib/postgresql/*/bin/postgres
nginx /usr/sbin/nginx
wrk wrk
prometheus prometheus
chromium /usr/bin/chromium
procps pgrep
clang clang++
"
python_needs="
python3-venv python:ensurepip
python3-dev python3-config
"
module_needs="
libboost1.81-dev boost/math/distributions/students_t.hpp
libcli11-dev CLI/CLI.hpp
librandom123-dev Random123/philox.h
libtomlplusplus-dev toml++/toml.h
nlohmann-json3-dev nlohmann/json.hpp
libfmt-dev fmt/format.h
libsqlite3-dev sqlite3.h
libpq-dev postgresql/libpq-fe.h
"
demo_needs="
python3 python3
"
docs_needs="
python3-venv python:ensurepip
npm npm
doxygen doxygen
"
deb_needs="
dpkg-dev dpkg-shlibdeps
file file
"
dist_needs="
debootstrap debootstrap
systemd-container systemd-nspawn
buildah buildah
"
lint_needs="
clang-format clang-format
clang-tidy clang-tidy
"

case "${1:-}" in
  build) needs=$build_needs ;;
  lint) needs=$lint_needs ;;
  demo) needs=$demo_needs ;;
  deb) needs=$deb_needs ;;
  dist) needs=$dist_needs ;;
  test) needs=$test_needs ;;
  python) needs=$python_needs ;;
  docs) needs=$docs_needs ;;
  unpack) needs=$module_needs folder=$2 python=$3 ;;
  *) echo "usage: $0 build|test|lint|deb|dist|demo|docs|python, or $0 unpack FOLDER PYTHON" >&2; exit 2 ;;
esac

# Entries with a slash inside or a .h are headers: one run of the preprocessor lists the missing ones.
absent=$(awk '$2 ~ /^[^\/].*\/|\.h$/ {printf "#if !__has_include(<%s>)\n%s\n#endif\n", $2, $1}' <<<"$needs" |
  c++ -std=c++20 -E -P ${folder:+-I "$folder/usr/include"} -x c++ - 2>/dev/null || awk '{print $1}' <<<"$needs")

missing=()
while read -r package proof; do
  case "$proof" in
    "") ;;
    /*) compgen -G "$proof" >/dev/null || missing+=("$package") ;;
    */* | *.h) grep -qxF -- "$package" <<<"$absent" && missing+=("$package") ;;
    python:*) python3 -c "import ${proof#python:}" 2>/dev/null || missing+=("$package") ;;
    *) command -v "$proof" >/dev/null 2>&1 || missing+=("$package") ;;
  esac
done <<<"$needs"
if [ -n "${python:-}" ]; then  # its own headers, if it is Debian's
  header=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include") + "/Python.h")')
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [ -e "$header" ] || [ -e "$folder/usr/include/python$version/Python.h" ] || missing+=("libpython$version-dev")
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  [ -z "${folder:-}" ] || { echo "setup: apt-get is missing, cannot fetch: ${missing[*]}"; exit 1; }
  cat >&2 <<TEXT
setup: this is neither Debian nor Ubuntu, so please install what is missing yourself.
setup: not found, by their Debian names: ${missing[*]}
TEXT
  exit 1
fi

# Boost's package is named after its version.
boost_of_this_release() {
  for i in "${!missing[@]}"; do
    if [ "${missing[$i]}" = libboost1.81-dev ] && ! apt-cache "$@" show libboost1.81-dev >/dev/null 2>&1; then
      missing[$i]=$(apt-cache "$@" depends libboost-dev 2>/dev/null | awk '/Depends: libboost/ {print $2; exit}')
    fi
  done
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

if [ -n "${folder:-}" ]; then
  echo "setup: unpacking ${missing[*]} for this build"
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/archives"
  here=(-o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Debug::NoLocking=1
        -o "APT::Sandbox::User=$(id -un)")
  apt-get "${here[@]}" update -qq >"$log" 2>&1 || true
  boost_of_this_release "${here[@]}"
  case " ${missing[*]} " in  # the library is in a separate package
    *" libsqlite3-dev "*) mapfile -t -O "${#missing[@]}" missing < <(apt-cache "${here[@]}" depends libsqlite3-dev |
      awk '/Depends: libsqlite3-[0-9]/ {print $2}') ;;
  esac
  if ! (cd "$folder/archives" && apt-get "${here[@]}" download -qq "${missing[@]}") >>"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: apt-get download ${missing[*]} failed" >&2
    exit 1
  fi
  for archive in "$folder"/archives/*.deb; do dpkg-deb --extract "$archive" "$folder"; done
  rm -rf "$folder/archives" "$folder/lists" "$folder/cache"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    cat >&2 <<TEXT
setup: packages are missing, and installing them needs root (there is no sudo). As root, run:
setup:   apt-get install ${missing[*]}
TEXT
    exit 1
  fi
  as_root=(sudo)
fi

export DEBIAN_FRONTEND=noninteractive
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq >"$log" 2>&1 || true
boost_of_this_release
if ! "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup: apt-get install ${missing[*]} failed" >&2
  exit 1
fi
