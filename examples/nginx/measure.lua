-- The requests of wrk, and the line that it prints after its own table.
wrk.headers["Accept-Encoding"] = "gzip"

-- wrk is as near as can be, but the clients are not: all answers together go through a line of 500 Mbit/s. It carries
-- a limited number of answers of this size, even if nginx could send more.
local line = 62.5e6 -- bytes a second

function done(summary, latency)
  local errors = summary.errors
  local wrong = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local sent = summary.requests / (summary.duration / 1e6)
  local carried = math.min(sent, line * summary.requests / math.max(1, summary.bytes))
  io.write(string.format('{"reward": %.1f, "sent": %.1f, "p99_ms": %.1f, "errors": %d}\n', carried, sent,
    latency:percentile(99) / 1e3, wrong))
end
