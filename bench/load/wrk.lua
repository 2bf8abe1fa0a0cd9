-- Requests of wrk: pieces come from a file, one a line in hexadecimal, two lines a request; a key goes between them.
local pieces = {}
local count = 0
local run = os.getenv("BENCH_RUN")

function init()
  for line in io.lines(os.getenv("BENCH_PIECES")) do
    pieces[#pieces + 1] = line:gsub("..", function(hex) return string.char(tonumber(hex, 16)) end)
  end
end

function request()
  local at = (count % (#pieces / 2)) * 2
  count = count + 1
  return pieces[at + 1] .. run .. "-" .. count .. pieces[at + 2]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nBENCH {"requests":%d,"microseconds":%d,"status":%d,"lost":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
