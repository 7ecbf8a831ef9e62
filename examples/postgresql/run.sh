#!/usr/bin/env bash
# run.sh [--short]: tunes a private PostgreSQL under the traffic of a shop. --short: a few pulls, for a test.
# CANOPY: the tool; OUT: the folder for the results. Status 77: a program is missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
canopy=$(realpath -m -- "${CANOPY:-$here/../../build/canopy}")
out=$(realpath -m -- "${OUT:-$here/../../out/postgresql}")
short=''
case ${1:-} in
  '') ;;
  --short) short=yes ;;
  *) echo "usage: run.sh [--short]" >&2; exit 2 ;;
esac

shopt -s nullglob
for folder in /usr/lib/postgresql/*/bin; do PATH=$folder:$PATH; done # on Debian; the newest version comes first
for tool in initdb postgres psql pgbench prlimit setpriv; do
  if ! command -v "$tool" >/dev/null; then
    echo "run.sh: $tool is missing; on Debian or Ubuntu: apt install postgresql" >&2
    exit 77
  fi
done
if [[ ! -x $canopy ]]; then
  echo "run.sh: no $canopy; run make build, or set CANOPY to the tool" >&2
  exit 1
fi

cd "$here" # the folder of study.toml
mkdir -p "$out"
work=$(mktemp -d)
export PATH TMPDIR=$work PGHOST=$work PGUSER=postgres PGDATABASE=postgres
server='' child=''
stop() {
  for process in $child $server; do # in this order, so that canopy can still set a good setting
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# In a separate session, so that Ctrl-C does not reach it. It ends with this script, however that ends.
setsid setpriv --pdeathsig TERM ./server.sh "$work" &
server=$!
until pg_isready -q; do
  if ! kill -0 "$server" 2>/dev/null; then
    echo "run.sh: the server does not start:" >&2
    tail -n 5 "$work/log" >&2
    exit 1
  fi
  sleep 0.1
done
psql -qX -v ON_ERROR_STOP=1 -f schema.sql
echo "PostgreSQL $(psql -XAt -c 'show server_version'), process $(head -n 1 "$work/data/postmaster.pid"), socket in $work"
echo "at the defaults: $(./measure.sh)"

settings=()
[[ -z $short ]] || settings=(-e 's/^pulls = .*/pulls = 4/; s/^confirm_pulls = .*/confirm_pulls = 4/')
sed "${settings[@]}" -e "s|^\[system\]|&\nfolder = \"$here\"|" study.toml >"$work/study.toml"
rm -f "$out"/postgresql.db*
touch "$work/tuning"
for ((starts = 1; ; ++starts)); do
  status=0
  setsid setpriv --pdeathsig TERM "$canopy" tune "$work/study.toml" --store "$out/postgresql.db" >"$out/tune.txt" &
  child=$!
  wait "$child" || status=$?
  child=''
  ((status == 137 && starts < 5)) || break # killed, or out of memory: restart it, like a service manager
  echo "canopy was killed; the same command continues"
done
if ((status == 0)); then rm "$work/tuning"; fi
cat "$out/tune.txt"

# Asks the server itself.
has=$(psql -XAt -c "select format('work_mem = %s kB, random_page_cost = %s, effective_io_concurrency = %s',
  pg_size_bytes(current_setting('work_mem')) / 1024, current_setting('random_page_cost')::float8,
  current_setting('effective_io_concurrency'))")
said=$(sed -n 's/^left at *{"work_mem":\(.*\),"random_page_cost":\(.*\),"effective_io_concurrency":\(.*\)}.*/\1 \2 \3/p' "$out/tune.txt")
echo
echo "the server has $has"
read -r work_mem random_page_cost effective_io_concurrency <<<"$said"
same=$(psql -XAt -c "select current_setting('effective_io_concurrency')::integer = ${effective_io_concurrency:-0}
   and abs(current_setting('random_page_cost')::float8 - ${random_page_cost:-0}) < 0.001
   and pg_size_bytes(current_setting('work_mem')) = ${work_mem:-0} * 1024::bigint")
if [[ $same != t ]]; then
  echo "run.sh: this is not the setting that canopy reported" >&2
  exit 1
fi
echo "as canopy reported"
if ((status != 0)); then exit "$status"; fi
echo
"$canopy" report postgresql --store "$out/postgresql.db" --out "$out/postgresql.html"
