-- SPDX-License-Identifier: Apache-2.0
-- Grants a lease, or says why not and takes a place in line.
-- keys   x holds, q line, [f token counter], [t tickets], [v entry of `unless`], as the flags say
-- args   1 owner 16, ttl ms 7, weight 4, capacity 4, tokens 2, retain ms 7, flags 1
--          (1 even if quiet, 2 f, 4 t, 8 v, 16 in line)
--        2 with 4 and 16: ticket ms 7, grant ms 7, patience ms 7, inbox    next: with 8: version seen
-- reply  {now us, kind, ...}  G first last waiting | F record | B token remaining place | H note last remaining | E
--        | R reason | L: nothing changed, ask again with f and t
-- why    verdict, tokens and place in line are one decision; two askers must not both see the name free
-- cost   free and no line: 5 to 6 commands, 2 writes (1 when retain is 0)
--@include shared-time.lua
--@include shared-lease.lua
--@include shared-acquire.lua
local R, flags = {}, 0
R.owner, R.ttl, R.weight, R.cap, R.tokens, R.retain, flags = struct.unpack('>c16I7I4I4I2I7B', ARGV[1])
local function has(bit) return math.floor(flags / bit) % 2 == 1 end
R.forced = has(1)
local n, k = 2, {x = KEYS[1], q = KEYS[2]}
local function key()
  n = n + 1
  return KEYS[n]
end
if has(2) then k.f = key() end
if has(4) then k.t = key() end
local v = has(8) and key() or nil
local seen = v and tonumber(ARGV[#ARGV])
local waits = has(16)
if waits and k.t then
  local ticket, grant, patience, at = struct.unpack('>I7I7I7', ARGV[2])
  R.line = {ticket, grant, patience, string.sub(ARGV[2], at)}
end
if v then
  local head = redis.call('GETRANGE', v, 0, 17)
  if #head == 18 then
    local _, gone, version, expires = struct.unpack('>BBI8I8', head)
    if gone == 0 and version ~= seen and (expires == 0 or ms < expires) then
      return {us, 'F', redis.call('GET', v)}
    end
  end
end
local L = lease_open(k)
if L.lined > 0 and not k.t then return {us, 'L'} end
local answer = lease_acquire(L, R)
if waits and not k.t and answer[1] == 'B' then return {us, 'L'} end
if answer[1] == 'R' or answer[1] == 'H' then return {us, unpack(answer)} end
lease_close(L, false)
if L.ticket and not lease_line(L, R) then answer[4] = -1 end
return {us, unpack(answer)}
