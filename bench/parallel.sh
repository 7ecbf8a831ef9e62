#!/usr/bin/env bash
# Measures how well sixteen equal units of work use two cores: threads of `canopy experiment`, ranks of `canopy-mpi experiment`.
# Times whole commands, including figures. usage: parallel.sh BUILD
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/equal.toml" <<TOML
name = "equal"
steps = 6000000
runs = 16
[[comparison]]
name = "garland"
environment = { name = "garland" }
[[comparison.algorithm]]
name = "thoo"
TOML

seconds() {  # of a command
  local start end
  start=$(date +%s.%N)
  "$@" > /dev/null 2>&1
  end=$(date +%s.%N)
  awk -v a="$start" -v b="$end" 'BEGIN {print b - a}'
}
efficiency() {  # name, seconds of one, seconds of two
  awk -v name="$1" -v one="$2" -v two="$3" \
    'BEGIN {printf "%-44s%8.2f s%8.2f s%6.0f %%   goal: at least 90 %%\n", name, one, two, 100 * one / (2 * two)}'
}
threads() {
  seconds "$build/canopy" experiment "$folder/equal.toml" --out "$folder/out" --fresh --threads "$1"
}
ranks() {
  seconds mpirun --allow-run-as-root --oversubscribe -n "$1" "$build/canopy-mpi" experiment "$folder/equal.toml" \
    --out "$folder/out" --fresh
}

printf '%-44s%10s%10s\n' "Sixteen equal units of 6e6 steps" one two
efficiency "  threads" "$(threads 1)" "$(threads 2)"
[ ! -x "$build/canopy-mpi" ] || efficiency "  MPI ranks" "$(ranks 1)" "$(ranks 2)"
