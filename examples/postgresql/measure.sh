#!/usr/bin/env bash
# measure.sh: runs a second of the shop's traffic and a report at the same time. Prints transactions per second, the
# latency that one transaction in a hundred exceeds, and the number of failed transactions. Fails if a query or the
# report fails.
set -euo pipefail

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
psql -qX -v ON_ERROR_STOP=1 -o /dev/null -f report.sql 2>"$log/report" &
report=$!
status=0
pgbench -n -c 4 -T 1 -f lookup.sql@9 -f mail.sql@1 -l --log-prefix="$log/transactions" postgres \
  >"$log/out" 2>"$log/errors" || status=$?
if ! wait "$report" || ((status != 0)); then
  grep -hiE 'error|fatal|out of memory' "$log/report" "$log/errors" | head -n 3 >&2 || true
  exit 1
fi
tps=$(awk '/^tps = / { print $3 }' "$log/out")
failed=$(awk '/^number of failed transactions/ { print $5 }' "$log/out")
sort -n -k 3,3 "$log"/transactions* | awk -v tps="$tps" -v failed="${failed:-0}" '
  { latency[NR] = $3 / 1000 }
  END {
    if (NR == 0) { print "measure.sh: no transaction was completed" > "/dev/stderr"; exit 1 }
    rank = int(0.99 * NR) + 1
    if (rank > NR) rank = NR
    printf "{\"reward\": %s, \"p99_ms\": %.1f, \"errors\": %d}\n", tps, latency[rank], failed
  }'
