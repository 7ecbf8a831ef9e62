#!/usr/bin/env bash
# measure.sh: a second of requests for a page of 37 kB on 64 connections. Prints requests a second (over a line of
# 500 Mbit/s, see measure.lua), the latency that one request in a hundred exceeds, and the number of failed requests.
set -euo pipefail

url=http://127.0.0.1:$(cat "${NGINX_FOLDER:?is set by run.sh}/port")/page.txt
wrk --threads 1 --connections 64 --duration 1s --timeout 2s --script measure.lua "$url" | grep '^{'
