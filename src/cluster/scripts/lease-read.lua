-- Reads both keys so that no value blocks them for ever: one of another type is deleted, a fence that is no whole number that Lua
-- can count on from is none, and a lease counts while its form is right and its number is that of the fence.
local function read(key)
  local value = redis.pcall('GET', key)
  if type(value) ~= 'table' then return value or '' end
  if not string.find(value.err, 'WRONGTYPE', 1, true) then error(value.err) end
  redis.call('DEL', key)
  return ''
end
local own = string.match(read(KEYS[2]), '^%d+$')
local fence = own and #own <= 16 and tonumber(own) < 9007199254740991 and tonumber(own) or nil
local holder, number = string.match(read(KEYS[1]), '^([%w_-]+):(%d+)$')
if fence and tonumber(number) ~= fence then holder = nil end
