-- Writes only for the holder of the newest fencing number, and all of it or nothing. Answers the id, and what others have offered since the last
-- time. An empty answer asks to start anew.
local fence = redis.pcall('GET', KEYS[1])
if fence ~= ARGV[1] then return false end
local last = redis.pcall('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
if last.err and string.find(last.err, 'WRONGTYPE', 1, true) then
  redis.call('DEL', KEYS[2])
  last = {}
end
if last.err then error(last.err) end
if #last == 0 and ARGV[2] ~= '1' then return {} end
local before = #last > 0 and last[1][1] or '0-0'
local fields = { 'before', before, 'anew', ARGV[2], 'state', ARGV[3], 'silent', ARGV[5], 'polled', ARGV[7] }
local id = redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', unpack(fields))
if ARGV[4] ~= '' then redis.call('SET', KEYS[3], id .. ' ' .. ARGV[4]) end
local answer, offers = { id }, redis.pcall('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 16)
for _, offer in ipairs(offers) do answer[#answer + 1] = offer[2][2] end
redis.call('DEL', KEYS[4])
return answer
