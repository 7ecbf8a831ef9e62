#!/usr/bin/env bash
# run.sh [--pulls N]: tunes the level of zstd for the least seconds to compress and send a file.
# CANOPY: the tool; OUT: the folder for the results.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
canopy=$(realpath -m -- "${CANOPY:-$here/../../build/canopy}")
OUT=$(realpath -m -- "${OUT:-$here/../../out/compression}")
export OUT
pulls=400
while (($# > 0)); do
  case $1 in
    --pulls) pulls=${2:?--pulls needs a number}; shift 2 ;;
    *) echo "usage: run.sh [--pulls N]" >&2; exit 2 ;;
  esac
done

if ! command -v zstd >/dev/null; then
  echo "run.sh: zstd is missing; on Debian or Ubuntu: apt install zstd" >&2
  exit 1
fi
if [[ ! -x $canopy ]]; then
  echo "run.sh: no $canopy; run make build, or set CANOPY to the tool" >&2
  exit 1
fi

cd "$here" # the folder of study.toml
mkdir -p "$OUT"
echo "zstd's default, level 3: $(./seconds.sh 3) s" # makes the file as well
sed -e "s/^pulls = .*/pulls = $pulls/" -e "s|^\[system\]|&\nfolder = \"$here\"|" study.toml >"$OUT/study.toml"
rm -f "$OUT"/compression.db*
"$canopy" tune "$OUT/study.toml" --store "$OUT/compression.db"

echo
"$canopy" report compression --store "$OUT/compression.db" --out "$OUT/compression.html"
