#!/usr/bin/env bash
# run.sh [--short]: tunes a private nginx, which serves a text to 64 clients. --short: a few pulls, for a test.
# CANOPY: the tool; OUT: the folder for the results. Status 77: a program is missing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
canopy=$(realpath -m -- "${CANOPY:-$here/../../build/canopy}")
out=$(realpath -m -- "${OUT:-$here/../../out/nginx}")
short=''
case ${1:-} in
  '') ;;
  --short) short=yes ;;
  *) echo "usage: run.sh [--short]" >&2; exit 2 ;;
esac

export PATH=$PATH:/usr/sbin
for tool in nginx wrk pgrep setpriv; do
  if ! command -v "$tool" >/dev/null; then
    echo "run.sh: $tool is missing; on Debian or Ubuntu: apt install nginx wrk procps" >&2
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
export NGINX_FOLDER=$work
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

# The page: a list of articles, always the same.
mkdir "$work/pages"
awk 'BEGIN {
  srand(1)
  for (i = 0; i < 500; ++i) {
    while (length(word[i]) < 2 + 8 * rand()) word[i] = word[i] sprintf("%c", 97 + int(26 * rand()))
  }
  for (i = 1; i <= 400; ++i) {
    printf "<li class=\"article\"><a href=\"/articles/%d\">", i
    for (j = 0; j < 6; ++j) printf "%s ", word[int(500 * rand() ^ 2)]
    print "</a></li>"
  }
}' >"$work/pages/page.txt"
chmod 755 "$work" # a server started by root runs its workers as another user

started() { # true once the server answers; false if it has ended, for example because the port is taken
  for ((i = 0; i < 100; ++i)); do
    kill -0 "$server" 2>/dev/null || return 1
    [[ -s $work/pid ]] && ./ask.sh >/dev/null 2>&1 && return
    sleep 0.05
  done
  return 1
}
for ((attempt = 0; attempt < 10; ++attempt)); do
  echo $((20000 + RANDOM % 10000)) >"$work/port"
  ./apply.sh 1 512 0 off
  # In a separate session, so that Ctrl-C does not reach it. It ends with this script, however that ends.
  setsid setpriv --pdeathsig TERM nginx -e "$work/error.log" -c "$work/nginx.conf" 2>>"$work/log" &
  server=$!
  started && break
  kill "$server" 2>/dev/null || true
  server=''
done
if [[ -z $server ]]; then
  echo "run.sh: nginx does not start:" >&2
  tail -n 5 "$work/log" >&2
  exit 1
fi
echo "$(nginx -v 2>&1 | sed 's/^nginx version: //'), process $server, port $(cat "$work/port")"
echo "at the defaults: $(./measure.sh)"

settings=()
[[ -z $short ]] || settings=(-e 's/^pulls = .*/pulls = 8/; s/^confirm_pulls = .*/confirm_pulls = 4/')
sed "${settings[@]}" -e "s|^\[system\]|&\nfolder = \"$here\"|" study.toml >"$work/study.toml"
rm -f "$out"/nginx.db*
status=0
setsid setpriv --pdeathsig TERM "$canopy" tune "$work/study.toml" --store "$out/nginx.db" >"$out/tune.txt" &
child=$!
wait "$child" || status=$?
child=''
cat "$out/tune.txt"

# Asks the server itself.
has=$(./ask.sh)
said=$(sed -n 's/^left at *{"worker_processes":\(.*\),"worker_connections":\(.*\),"gzip_comp_level":\(.*\),"sendfile":"\(.*\)"}.*/\1 \2 \3 \4/p' "$out/tune.txt")
read -r processes connections level sendfile <<<"$has"
echo
echo "the server has worker_processes $processes, worker_connections $connections, gzip_comp_level $level, sendfile $sendfile"
if [[ $has != "$said" ]]; then
  echo "run.sh: this is not the setting that canopy reported" >&2
  exit 1
fi
echo "as canopy reported"
if ((status != 0)); then exit "$status"; fi
echo
"$canopy" report nginx --store "$out/nginx.db" --out "$out/nginx.html"
