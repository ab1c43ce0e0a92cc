-- For wrk: sends the requests given as "PATH KEY" arguments in turn and prints what came of it as one JSON line.
local requests = {}
local turn = 0

function init(args)
  local gzip = args[1] == "true"
  for index = 2, #args do
    local path, key = args[index]:match("^(%S+) (%S+)$")
    local headers = { ["X-EXCHANGE-APIKEY"] = key }
    if gzip then headers["Accept-Encoding"] = "gzip" end
    requests[index - 1] = wrk.format("GET", path, headers)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local errors = summary.errors
  local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"requests":%d,"seconds":%.6f,"bytesReceived":%d,"failures":%d,"p50Ms":%.4f,"p99Ms":%.4f}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, failures, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3))
end
