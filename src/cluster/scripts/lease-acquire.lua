-- After lease-read. The fencing number is at least the server's time in milliseconds, so that it grows also when the server has lost
-- what it held, and with it the last number. A node that asks although it holds the lease has given it up.
if holder and holder ~= ARGV[1] then return false end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local next = string.format('%.0f', math.max((fence or 0) + 1, nowMs))
redis.call('SET', KEYS[2], next)
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. next, 'PX', ARGV[2])
return tonumber(next)
