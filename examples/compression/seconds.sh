#!/usr/bin/env bash
# seconds.sh LEVEL [MEGABITS [FILE]]: the seconds that it takes to compress FILE with zstd at LEVEL and
# to send the result over a link of the given megabits per second (4). Compressing is measured, sending
# is computed. Without FILE, a log of 2 MB is created once.
set -euo pipefail
export LC_ALL=C

level=${1:?usage: seconds.sh LEVEL [MEGABITS [FILE]]}
megabits=${2:-4}
file=${3:-}
if [[ -z $file ]]; then
  here=$(cd "$(dirname "$0")" && pwd)
  folder=${OUT:-$here/../../out/compression}
  file=$folder/log.json
  if [[ ! -e $file ]]; then
    mkdir -p "$folder"
    "$here/make_file.sh" "$file.part"
    mv "$file.part" "$file"
  fi
fi

start=$EPOCHREALTIME
bytes=$(zstd -q -c "-$level" -- "$file" | wc -c)
end=$EPOCHREALTIME
awk -v start="$start" -v end="$end" -v bytes="$bytes" -v megabits="$megabits" \
  'BEGIN { printf "%.4f\n", end - start + bytes * 8 / (megabits * 1e6) }'
