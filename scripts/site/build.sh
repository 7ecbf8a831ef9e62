#!/usr/bin/env bash
# build.sh: builds the documentation site in build/site; fails if a link is broken.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/setup.sh docs
mkdir -p build/docs
test -x build/docs/venv/bin/python || python3 -m venv build/docs/venv
build/docs/venv/bin/pip install --quiet --disable-pip-version-check -r scripts/site/requirements.txt

# The site loads nothing from other sites: the scripts for diagrams and search and the font are files of the site.
fetch() { # PACKAGE VERSION FILE NAME: downloads a file of an npm package to build/docs/files
  local to=build/docs/files/$2-$4
  test ! -e "$to" || return 0
  mkdir -p build/docs/files
  local archive
  archive=build/docs/$(npm pack --silent --pack-destination build/docs "$1@$2")
  tar -xzOf "$archive" "package/$3" >"$to.part"
  mv "$to.part" "$to"
  rm "$archive"
}
fetch mermaid 11.12.0 dist/mermaid.min.js mermaid.min.js
fetch iframe-worker 1.0.4 shim/index.js iframe-worker.js
fetch @fontsource-variable/inter 5.3.0 files/inter-latin-wght-normal.woff2 inter.woff2

# The first page of the C++ API shows the first program of the documents in C++.
program=docs/cpp.md
test -e $program || program=README.md
block() { # LANGUAGE FILE: the first block of a language
  awk -v fence="\`\`\`$1" '$0 == fence && !done {copying = 1; next} /^```/ && copying {exit} copying' $program | grep '' >"build/docs/$2" ||
    { echo "$program has no block of $1"; exit 1; }
}
block cpp main.cpp
block cmake CMakeLists.txt
rm -rf build/docs/cpp
doxygen scripts/site/Doxyfile

test -x "${PYTHON:-build/python/bin/python}" ||
  echo "The Python package is not installed (make python): the Python reference lacks the compiled module." >&2
NO_MKDOCS_2_WARNING=1 build/docs/venv/bin/mkdocs build --strict 2>&1 | sed '/^INFO/d'  # --quiet would not count warnings
echo "build/site/index.html"
