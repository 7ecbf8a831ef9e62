#!/usr/bin/env bash
# hit_rate.sh PORT [SECONDS]: the share of gets that hit during the next SECONDS (0.05).
set -euo pipefail

port=${1:?usage: hit_rate.sh PORT [SECONDS]}
seconds=${2:-0.05}

before=$(redis-cli -p "$port" -e info stats)
sleep "$seconds"
after=$(redis-cli -p "$port" -e info stats)
awk -F: '
  $1 == "keyspace_hits" { hits = $2 - hits }        # in the end: the second count minus the first
  $1 == "keyspace_misses" { misses = $2 - misses }
  END {
    if (hits + misses == 0) { print "hit_rate.sh: no traffic" > "/dev/stderr"; exit 1 }
    printf "%.5f\n", hits / (hits + misses)
  }' <<<"$before"$'\n'"$after"
