-- SPDX-License-Identifier: Apache-2.0
-- Releases the only hold of a name for which nobody waits: the short form of commit[Release].
-- keys   x holds, q line
-- args   owner 16
-- reply  {now us} or {now us, 'L'}: nothing changed, send the commit
-- why    between comparing the owner and deleting, another could be granted
-- cost   3 commands and TIME, 1 write
--@include shared-time.lua
local raw = redis.call('GET', KEYS[1])
if not raw or redis.call('EXISTS', KEYS[2]) == 1 then return {us, 'L'} end
local v = cmsgpack.unpack(string.sub(raw, 2))
if #v ~= 5 or v[5][1] ~= ARGV[1] or v[5][6] <= us or v[2] > us then return {us, 'L'} end
redis.call('DEL', KEYS[1])
return {us}
