#!/usr/bin/env bash
# run.sh [--short]: tunes a service by its own metrics, scraped by a private Prometheus.
# --short: a few pulls, for a test.
# CANOPY: the tool; OUT: the folder for the results. Status 77: a program is missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
canopy=$(realpath -m -- "${CANOPY:-$here/../../build/canopy}")
out=$(realpath -m -- "${OUT:-$here/../../out/prometheus}")
short=''
case ${1:-} in
  '') ;;
  --short) short=yes ;;
  *) echo "usage: run.sh [--short]" >&2; exit 2 ;;
esac

for tool in prometheus python3 setpriv; do
  if ! command -v "$tool" >/dev/null; then
    echo "run.sh: $tool is missing; on Debian or Ubuntu: apt install prometheus python3" >&2
    exit 77
  fi
done
if [[ ! -x $canopy ]]; then
  echo "run.sh: no $canopy; run make build, or set CANOPY to the tool" >&2
  exit 1
fi

mkdir -p "$out"
work=$(mktemp -d)
service='' prometheus='' child=''
stop() {
  for process in $child $prometheus $service; do # in this order, so that canopy can still set a good setting
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

get() { # prints the answer of an address; fails if there is none
  python3 -c 'import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1], timeout=5).read().decode())' "$1" 2>/dev/null
}
answers() { # waits until a process answers at an address; false if it has ended, for example because the port is taken
  for ((i = 0; i < 100; ++i)); do
    kill -0 "$1" 2>/dev/null || return 1
    get "$2" >/dev/null && return
    sleep 0.1
  done
  return 1
}

# Each in a separate session, so that Ctrl-C does not reach it. They end with this script, however that ends.
for ((attempt = 0; attempt < 10; ++attempt)); do
  port=$((20000 + RANDOM % 10000))
  setsid setpriv --pdeathsig TERM python3 "$here/service.py" "$port" 2>>"$work/log" &
  service=$!
  answers "$service" "http://127.0.0.1:$port/config" && break
  kill "$service" 2>/dev/null || true
  service=''
done
cat >"$work/prometheus.yml" <<YAML
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: service
    static_configs:
      - targets: ["127.0.0.1:$port"]
YAML
for ((attempt = 0; attempt < 10 && ${#service} > 0; ++attempt)); do
  port_of_prometheus=$((20000 + RANDOM % 10000))
  setsid setpriv --pdeathsig TERM prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
    --web.listen-address="127.0.0.1:$port_of_prometheus" >>"$work/log" 2>&1 &
  prometheus=$!
  answers "$prometheus" "http://127.0.0.1:$port_of_prometheus/-/ready" && break
  kill "$prometheus" 2>/dev/null || true
  prometheus=''
done
if [[ -z $service || -z $prometheus ]]; then
  echo "run.sh: the service or Prometheus does not start:" >&2
  tail -n 5 "$work/log" >&2
  exit 1
fi

settings=()
[[ -z $short ]] || settings=(-e 's/^pulls = 60/pulls = 5/; s/^pulls = 2/pulls = 1/; /^confirm_pulls/d; s/"4s"/"3s"/')
sed "${settings[@]}" -e "s/:8000/:$port/; s/:9090/:$port_of_prometheus/" "$here/study.toml" >"$out/study.toml"
for ((i = 0; i < 100; ++i)); do # wait for two scrapes
  [[ $(get "http://127.0.0.1:$port_of_prometheus/api/v1/query?query=count_over_time(up%5B10s%5D)%3E1") == *value* ]] && break
  sleep 0.1
done
"$canopy" tune "$out/study.toml" --dry-run
echo
rm -f "$out"/prometheus.db*
status=0
setsid setpriv --pdeathsig TERM "$canopy" tune "$out/study.toml" --store "$out/prometheus.db" >"$out/tune.txt" &
child=$!
wait "$child" || status=$?
child=''
cat "$out/tune.txt"

# Asks the service itself.
has=$(get "http://127.0.0.1:$port/config" | tr -d ' ')
said=$(sed -n 's/^left at *\({[^}]*}\).*/\1/p' "$out/tune.txt")
echo
echo "the service has $has"
if [[ $has != "$said" ]]; then
  echo "run.sh: this is not the setting that canopy reported" >&2
  exit 1
fi
echo "as canopy reported"
if ((status != 0)); then exit "$status"; fi
echo
"$canopy" report prometheus --store "$out/prometheus.db" --out "$out/prometheus.html"
