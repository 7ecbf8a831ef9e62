#!/usr/bin/env bash
# apply.sh WORKER_PROCESSES WORKER_CONNECTIONS GZIP_COMP_LEVEL SENDFILE: writes nginx.conf, reloads, and waits until the
# new workers serve. If nginx rejects the file, nothing changes.
set -euo pipefail

folder=${NGINX_FOLDER:?is set by run.sh}
mark="$*"
gzip=on
if (($3 == 0)); then gzip=off; fi
cat >"$folder/new.conf" <<TEXT
worker_processes $1;
daemon off;
pid $folder/pid;
error_log $folder/error.log;
events { worker_connections $2; }
http {
  types { text/plain txt; }
  access_log off;
  client_body_temp_path $folder/tmp; proxy_temp_path $folder/tmp; fastcgi_temp_path $folder/tmp;
  uwsgi_temp_path $folder/tmp; scgi_temp_path $folder/tmp;
  sendfile $4;
  gzip $gzip;
  gzip_comp_level $(($3 == 0 ? 1 : $3));
  gzip_types text/plain;
  server {
    listen 127.0.0.1:$(cat "$folder/port");
    root $folder/pages;
    location = /setting { return 200 "$mark"; }
  }
}
TEXT
nginx -q -t -e "$folder/error.log" -c "$folder/new.conf"
mv "$folder/new.conf" "$folder/nginx.conf"
if [[ ! -s $folder/pid ]]; then exit; fi # not started yet
old=$(pgrep -P "$(cat "$folder/pid")" | sort) || true
nginx -e "$folder/error.log" -c "$folder/nginx.conf" -s reload
for ((i = 0; i < 100; ++i)); do # until the last old worker has ended
  now=$(pgrep -P "$(cat "$folder/pid")" | sort) || true
  if [[ -n $now && -z $(comm -12 <(echo "$old") <(echo "$now")) ]]; then
    [[ $(./ask.sh) == "$mark" ]] && exit
  fi
  sleep 0.05
done
echo "apply.sh: nginx has not applied the setting" >&2
exit 1
