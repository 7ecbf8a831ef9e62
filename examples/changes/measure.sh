# measure.sh TTL: hits of a simulated cache in a hundred requests. After 600 measurements a deployment
# halves the best time to live; after 1200 measurements more load costs every setting 15 hits.
pulls=$(($(cat pulls 2> /dev/null || echo 0) + 1))
echo "$pulls" > pulls
exec awk -v ttl="$1" -v pulls="$pulls" -v seed="$(od -An -N4 -tu4 /dev/urandom)" '
  BEGIN {
    srand(seed)
    best = pulls <= 600 ? 60 : 30
    load = pulls <= 1200 ? 0 : 15
    noise = sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand())
    printf "%.2f\n", 80 - 40 * ((ttl - best) / 60) ^ 2 - load + 4 * noise
  }'
