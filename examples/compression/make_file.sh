#!/usr/bin/env bash
# make_file.sh FILE [MEGABYTES]: writes a web server's log of this size (2), one JSON object per line.
# It has its own random number generator, so the file is always the same.
set -euo pipefail

file=${1:?usage: make_file.sh FILE [MEGABYTES]}
megabytes=${2:-2}

LC_ALL=C awk -v bytes=$((megabytes * 1000000)) '
  function random(n) {                                          # 0 .. n - 1
    state = (state * 16807) % 2147483647
    return int(n * state / 2147483647)
  }
  function skewed(n) { return int(random(n) * random(n) / n) }  # the same, small ones more often
  function word(  i, text) {
    for (i = 3 + random(7); i > 0; --i) {
      text = text substr("etaoinshrdlucmfwypvbgkjqxz", 1 + skewed(26), 1)
    }
    return text
  }
  function phrase(  i, text) {
    text = words[skewed(2000)]
    for (i = 3 + random(6); i > 0; --i) text = text " " words[skewed(2000)]
    return text
  }
  BEGIN {
    state = 1
    for (w = 0; w < 2000; ++w) words[w] = word()
    for (p = 0; p < 10000; ++p) phrases[p] = phrase()
    split("GET GET GET GET POST PUT DELETE", methods, " ")
    split("200 200 200 200 200 304 404 500", codes, " ")
    while (written < bytes) {
      clock += random(40)
      line = sprintf("{\"time\":%d.%03d", 1700000000 + int(clock / 1000), clock % 1000)
      line = line ",\"client\":\"10." skewed(16) "." skewed(256) "." skewed(256) "\""
      line = line ",\"method\":\"" methods[1 + random(7)] "\",\"path\":\""
      for (i = 1 + random(3); i > 0; --i) line = line "/" words[skewed(400)]
      line = line "\",\"code\":" codes[1 + random(8)] ",\"bytes\":" skewed(20000) ",\"note\":\""
      line = line phrases[skewed(10000)] ", " phrases[skewed(10000)] ", " phrases[skewed(10000)]
      line = line "\"}"
      written += length(line) + 1
      print line
    }
  }' >"$file"
