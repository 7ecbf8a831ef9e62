#!/usr/bin/env bash
# compare.sh PORT ROUNDS DEFAULT OTHER...: in every round, sets maxmemory-samples to each of the values
# and measures. Prints the hit ratios and their differences from DEFAULT's, with 95 % intervals. It
# does not use canopy: it is an independent check.
set -euo pipefail

if (($# < 4)) || (($2 < 2)); then
  echo "usage: compare.sh PORT ROUNDS DEFAULT OTHER... (2 rounds or more)" >&2
  exit 2
fi
port=$1 rounds=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)

for ((i = 0; i < rounds; ++i)); do
  for samples in "$@"; do
    redis-cli -p "$port" -e config set maxmemory-samples "$samples" >/dev/null
    sleep 0.7 # until the effect of the previous setting is gone
    echo "$samples $("$here/hit_rate.sh" "$port" 0.5)"
  done
done | awk -v settings=$# -v rounds="$rounds" '
  { column = (NR - 1) % settings; name[column] = $1; ratio[column, int((NR - 1) / settings)] = $2 }
  function interval(column, sign,  i, values, mean, squares, half) {   # of the ratios less those of
    for (i = 0; i < rounds; ++i) {                                     # the first, if sign is 1
      values[i] = ratio[column, i] - sign * ratio[0, i]
      mean += values[i] / rounds
    }
    for (i = 0; i < rounds; ++i) squares += (values[i] - mean) ^ 2
    half = student[rounds <= 10 ? rounds - 1 : 10] * sqrt(squares / (rounds - 1) / rounds)
    return sprintf("%7.4f  %7.4f .. %7.4f", mean, mean - half, mean + half)
  }
  END {
    split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23", student, " ")
    print "samples  hit ratio   95 % interval    less that of " name[0] "   95 % interval"
    for (i = 0; i < settings; ++i) {
      printf "%7d    %s%s\n", name[i], interval(i, 0), (i ? "        " interval(i, 1) : "")
    }
  }'
