#!/usr/bin/env bash
# Collects a release: what `make deb`, `make wheel` and `make tarball` built, the sources for pip, an SBOM of each, and checksums.
# usage: dist.sh FOLDER, which has the tarball already
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(cd "$1" && pwd)
version=$(sed -n 's/^project(canopy VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tools=build/wheels/tools

find "$folder" -mindepth 1 ! -name "canopy-$version-linux-*.tar.gz" -delete
cp build/deb/*_"$version"_*.deb build/wheels/repaired/canopy_tune-"$version"-*.whl "$folder"

"$tools/bin/pip" install --quiet --disable-pip-version-check build 'scikit-build-core>=0.10' 'nanobind>=2.4' \
  'cyclonedx-python-lib[json-validation]'
"$tools/bin/python" -m build --sdist --no-isolation --outdir "$folder" . >"$folder/../sdist.log" 2>&1 || { cat "$folder/../sdist.log"; exit 1; }

export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
scripts/sbom.py --build build/portable --target canopy --name canopy --out "$folder/canopy-$version-tarball.cdx.json"
scripts/sbom.py --build build --target canopy --shared --name canopy --out "$folder/canopy-$version-deb.cdx.json"
scripts/sbom.py --build build/wheels/cmake --target _canopy --target canopy_tool --name canopy-tune \
  --out "$folder/canopy_tune-$version-wheel.cdx.json"
"$tools/bin/python" scripts/check_sbom.py "$folder"/*.cdx.json

(cd "$folder" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS . && sha256sum --check --quiet SHA256SUMS)
(cd "$folder" && du -h -- *)
