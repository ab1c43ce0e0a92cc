-- Counts requests in one go, each unless its window is used up. Everything is decided by the server's clock, so that nodes whose clocks disagree
-- count in the same window. A clock that steps back, as when a replica takes over, opens no spent window again: the newest window that the asking
-- node or one of the counters knows of stays the current one.
--
-- A counter's value is its window and its count, so that it needs no clock to be right and is right whatever is left from before; that of a key also
-- the newest board position that was served to it. One that is none, or of a leader from the future, is as good as absent. All counters of a call
-- carry one hash tag: in cluster mode they lie in one slot.
--
-- KEYS: the counters. ARGV: of the call, in one value because a server that wants a password first takes ten only: the length of a window in ms;
-- the newest window the node knows, 0 for none; the window its counts are of; its board position, zeros for none; how many windows a newer one may
-- be ahead of the clock; how many ms a fence may be. For each counter its limit, the count the node saw last, how many the node admitted by itself
-- that are not counted here, and 1 where it is a key's. Answers the window, the server's clock in ms, and for each counter what was counted before
-- this request, and the position served before.
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local call = {}
for value in string.gmatch(ARGV[1], '%d+') do call[#call + 1] = tonumber(value) end
local windowMs, newestWindow, nodeWindow, ownFence, ownNumber, windowsHeldBackMax, fenceAheadMsMax = unpack(call)
local clockWindow = math.floor(nowMs / windowMs)
local window = clockWindow
local function see(other)
  if other > window and other - clockWindow <= windowsHeldBackMax then window = other end
end
see(newestWindow)
local windows, counts, positions = {}, {}, {}
local values = redis.call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
  local of, count, rest = string.match(values[i] or '', '^(%d+):(%d+)(.*)$')
  if of then
    windows[key], counts[key] = tonumber(of), tonumber(count)
    see(windows[key])
    local fence, number = string.match(rest, '^:(%d+):(%d+)$')
    fence, number = tonumber(fence), tonumber(number)
    if fence and fence <= nowMs + fenceAheadMsMax and number < 2^53 then positions[key] = { fence, number } end
  end
end
for key, of in pairs(windows) do
  if of ~= window then counts[key] = nil end
end
local answer, changed = { window, nowMs }, {}
for i, key in ipairs(KEYS) do
  local at = 4 * i - 2
  local limit, seen, admitted = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local used = counts[key] or 0
  if nodeWindow == window then used = math.max(used, seen) + admitted end
  local position = positions[key] or { 0, 0 }
  answer[3 * i], answer[3 * i + 1], answer[3 * i + 2] = used, position[1], position[2]
  if used < limit then used = used + 1 end
  if used ~= counts[key] then
    counts[key] = used
    changed[key] = true
  end
  local isFurther = ownFence > position[1] or (ownFence == position[1] and ownNumber > position[2])
  if ARGV[at + 3] == '1' and isFurther then
    positions[key] = { ownFence, ownNumber }
    changed[key] = true
  end
end
for key in pairs(changed) do
  local value, position = string.format('%d:%d', window, counts[key]), positions[key]
  if position then value = value .. string.format(':%.0f:%.0f', position[1], position[2]) end
  redis.call('SET', key, value, 'PX', 2 * windowMs)
end
return answer
