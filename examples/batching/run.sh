#!/usr/bin/env bash
# run.sh [--pulls N] [--short]: tunes the batch of a service that stores events, with and without
# knowing the rate of events, and compares the two on other traffic.
# CANOPY: the tool; OUT: the folder for the results.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
canopy=$(realpath -m -- "${CANOPY:-$here/../../build/canopy}")
OUT=$(realpath -m -- "${OUT:-$here/../../out/batching}")
export OUT
pulls=300
confirm_pulls=120
windows=120
while (($# > 0)); do
  case $1 in
    --pulls) pulls=${2:?--pulls needs a number}; shift 2 ;;
    --short) pulls=40; confirm_pulls=16; windows=12; shift ;;
    *) echo "usage: run.sh [--pulls N] [--short]" >&2; exit 2 ;;
  esac
done

if ! python3 -c 'import sqlite3' 2>/dev/null; then
  echo "run.sh: python3 with sqlite3 is missing; on Debian or Ubuntu: apt install python3" >&2
  exit 77
fi
if [[ ! -x $canopy ]]; then
  echo "run.sh: no $canopy; run make build, or set CANOPY to the tool" >&2
  exit 1
fi

cd "$here" # the folder of study.toml
mkdir -p "$OUT"
rm -f "$OUT"/batching.db*
sed -e "s/^pulls = .*/pulls = $pulls/" -e "s/^confirm_pulls = .*/confirm_pulls = $confirm_pulls/" -e "s|^policy_file = .*|policy_file = \"$OUT/policy.json\"|" -e "s|^\[system\]|&\nfolder = \"$here\"|" \
  study.toml >"$OUT/study.toml"
sed -e '/^\[\[context\]\]/,/^$/d' -e '/^\[baseline\]/,/^$/d' -e '/^confirm_pulls/d' \
  -e '/^policy_file/d' -e 's/^name = "batching"/name = "no-context"/' \
  "$OUT/study.toml" >"$OUT/no-context.toml"

for study in no-context study; do
  python3 writer.py begin "$OUT" tuning
  "$canopy" tune "$OUT/$study.toml" --store "$OUT/batching.db"
  echo
done

"$canopy" policy batching --store "$OUT/batching.db"
"$canopy" policy batching --store "$OUT/batching.db" --code python >"$OUT/policy.py"
fixed=$("$canopy" best no-context --store "$OUT/batching.db" --json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["arm"]["batch"])')
echo
python3 compare.py "$OUT" "$fixed" "$windows"
