-- After lease-read. Also brings back what the server has lost of a lease that nobody else has taken since.
local mine = tonumber(ARGV[2])
if (fence and fence > mine) or (holder and (holder ~= ARGV[1] or tonumber(number) ~= mine)) then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PX', ARGV[3])
return 1
