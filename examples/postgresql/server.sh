#!/usr/bin/env bash
# server.sh FOLDER: runs a PostgreSQL in FOLDER, reachable only through a socket there, until SIGTERM. Like a service
# manager, it restarts the server RESTART_SECONDS (3) after a crash.
# While FOLDER/tuning exists, a restarted server has the defaults instead of the setting that was tried, because
# ALTER SYSTEM outlives a crash.
# A process of the server may use 56 MB more memory than at the start, like in a container with a limit. If it needs
# more, it is "out of memory".
set -euo pipefail

folder=${1:?usage: server.sh FOLDER}
as=() # PostgreSQL refuses to run as root
if ((EUID == 0)); then
  user=$(id -un postgres 2>/dev/null || echo nobody)
  as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups)
  chown "$user" "$folder"
  chmod 755 "$folder"
fi

server=''
stop() {
  [[ -z $server ]] || kill -INT "$server" 2>/dev/null || true # closes all connections, then ends
  [[ -z $server ]] || wait "$server" || true
}
trap stop EXIT
trap 'exit 0' INT TERM

if [[ ! -e $folder/data ]]; then
  "${as[@]}" initdb -D "$folder/data" -U postgres --auth=trust --no-sync --encoding=UTF8 --locale=C >"$folder/log" 2>&1
  cat >>"$folder/data/postgresql.conf" <<TEXT
listen_addresses = ''
unix_socket_directories = '$folder'
shared_buffers = 64MB
fsync = off                           # this database is temporary
max_parallel_workers_per_gather = 0
jit = off
TEXT
fi
while true; do
  if [[ -e $folder/tuning ]]; then : >"$folder/data/postgresql.auto.conf"; fi
  "${as[@]}" postgres -D "$folder/data" >>"$folder/log" 2>&1 &
  server=$!
  until pg_isready -q -h "$folder"; do
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  if size=$(awk '/^VmSize/ { print $2 * 1024 }' "/proc/$server/status" 2>/dev/null) && [[ -n $size ]]; then
    "${as[@]}" prlimit --pid "$server" --as=$((size + 56 * 1024 * 1024)) || true # its children inherit it
  fi
  wait "$server" || true
  server=''
  sleep "${RESTART_SECONDS:-3}" &
  wait $!
done
