#!/usr/bin/env bash
# ask.sh: the setting of the server, as the server reports it.
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/$(cat "${NGINX_FOLDER:?is set by run.sh}/port")"
printf 'GET /setting HTTP/1.0\r\n\r\n' >&3
sed '1,/^\r$/d' <&3
