# measure.sh TTL SHARDS: requests per second of the simulated cache.
exec awk -v ttl="$1" -v shards="$2" -v seed="$(od -An -N4 -tu4 /dev/urandom)" '
  BEGIN {
    srand(seed)
    if (shards > 44 && rand() < (shards - 44) / 16) {
      print "shard " shards ": cannot allocate memory" > "/dev/stderr"
      exit 1
    }
    hits = ttl / (ttl + 25)
    fresh = 1 / (1 + (ttl / 700) ^ 1.4)
    parallel = shards / 20 * exp(1 - shards / 20)
    noise = sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand())
    printf "%.0f\n", 3000 + 9000 * hits * fresh * (0.3 + 0.7 * parallel) + 700 * noise
  }'
