#!/usr/bin/env bash
# run.sh [--pulls N] [--seed S]: tunes maxmemory-samples of a private Redis under traffic.
# run.sh --curve [--seed S]: does not tune, but prints the hit ratio at every setting.
# CANOPY: the tool; OUT: the folder for the results.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
canopy=$(realpath -m -- "${CANOPY:-$here/../../build/canopy}")
out=$(realpath -m -- "${OUT:-$here/../../out/redis}")
pulls=400 seed=1 curve=''
while (($# > 0)); do
  case $1 in
    --pulls) pulls=${2:?--pulls needs a number}; shift 2 ;;
    --seed) seed=${2:?--seed needs a number}; shift 2 ;;
    --curve) curve=yes; shift ;;
    *) echo "usage: run.sh [--pulls N] [--seed S] | --curve [--seed S]" >&2; exit 2 ;;
  esac
done

for tool in redis-server redis-cli cmake; do
  if ! command -v "$tool" >/dev/null; then
    echo "run.sh: $tool is missing; on Debian or Ubuntu: apt install redis-server libhiredis-dev cmake g++" >&2
    exit 1
  fi
done
if [[ -z $curve && ! -x $canopy ]]; then
  echo "run.sh: no $canopy; run make build, or set CANOPY to the tool" >&2
  exit 1
fi

cd "$here" # the folder of study.toml
mkdir -p "$out"
if [[ ! $out/build/traffic -nt traffic.cpp ]]; then
  cmake -S . -B "$out/build" >"$out/build.log"
  cmake --build "$out/build" >>"$out/build.log"
fi

work=$(mktemp -d)
server='' traffic='' child=''
stop() {
  for process in $child $traffic $server; do # in this order, so that canopy can still set its best setting
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
run() { # runs a command in a separate session, which Ctrl-C does not reach: `stop` ends it, once and in order
  setsid "$@" &
  child=$!
  wait "$child"
  child=''
}

# The server listens on a free port of the loopback interface and stores nothing.
started() { # true once the server answers; false if it has ended, for example because the port is taken
  for ((i = 0; i < 100; ++i)); do
    kill -0 "$server" 2>/dev/null || return 1
    [[ $(redis-cli -p "$port" info server 2>/dev/null) == *"process_id:$server"$'\r'* ]] && return
    sleep 0.05
  done
  return 1
}
for ((attempt = 0; attempt < 10; ++attempt)); do
  port=$((20000 + RANDOM % 10000))
  setsid redis-server --port "$port" --bind 127.0.0.1 --dir "$work" --logfile "$work/log" \
    --save '' --appendonly no --maxmemory-policy allkeys-lfu &
  server=$!
  started && break
  kill "$server" 2>/dev/null || true
  server=''
done
if [[ -z $server ]]; then
  echo "run.sh: redis-server does not start:" >&2
  tail -n 5 "$work/log" >&2
  exit 1
fi

# Memory for about 1500 keys, in addition to that of an empty server of this version.
empty=$(redis-cli -p "$port" info memory | tr -d '\r' | sed -n 's/^used_memory://p')
redis-cli -p "$port" -e config set maxmemory $((empty + 1850000)) >/dev/null
setsid "$out/build/traffic" --port "$port" --seed "$seed" &
traffic=$!
sleep 1.5
echo "redis-server on port $port, $(redis-cli -p "$port" dbsize) keys, hit ratio $(./hit_rate.sh "$port" 0.2)"

if [[ -n $curve ]]; then
  run ./compare.sh "$port" 4 5 1 2 3 4 6 7 8 9 10 11 12 13 14 15 16
  exit
fi

sed -e "s/ 7001/ $port/; s/^pulls = .*/pulls = $pulls/" -e "s|^\[system\]|&\nfolder = \"$here\"|" study.toml >"$work/study.toml"
rm -f "$out"/redis.db*
run "$canopy" tune "$work/study.toml" --store "$out/redis.db"

if ((pulls >= 200)); then # too slow for a short test
  best=$("$canopy" best redis --store "$out/redis.db" --json | sed -n 's/.*"samples": *\([0-9]*\).*/\1/p' | head -n 1)
  echo
  run ./compare.sh "$port" 5 5 "$best"
fi
echo
"$canopy" report redis --store "$out/redis.db" --out "$out/redis.html"
