-- SPDX-License-Identifier: Apache-2.0
-- Stores a value and releases the lease under which it was computed: the short form of commit[Put, Release].
-- keys   v entry, x holds, q line
-- args   owner 16, expiry kind, expiry number, value
-- reply  {now us, version} or {now us, 'L'}: nothing changed, send the commit
-- why    a value computed under a lost lease must never be stored
-- cost   4 commands and TIME, 2 writes
--@include shared-time.lua
--@include shared-entry.lua
local raw = redis.call('GET', KEYS[2])
if not raw or redis.call('EXISTS', KEYS[3]) == 1 then return {us, 'L'} end
local v = cmsgpack.unpack(string.sub(raw, 2))
if #v ~= 5 or v[5][1] ~= ARGV[1] or v[5][6] <= us or v[2] > us then return {us, 'L'} end
local before = entry_parse(redis.call('GETRANGE', KEYS[1], 0, 17))
local expires = entry_expiry(ARGV[2], ARGV[3], before)
if expires < 0 then return {us, 'L'} end
local version = math.max(us, before.version + 1)
entry_store(KEYS[1], 0, version, expires, ARGV[4])
redis.call('DEL', KEYS[2])
return {us, version}
