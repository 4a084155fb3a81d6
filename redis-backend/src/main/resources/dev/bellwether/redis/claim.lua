-- SPDX-License-Identifier: Apache-2.0
-- Settles deliveries one by one, puts back what lapsed, promotes what is due, then hands out or registers for a wake-up.
-- keys   as ARGV[1] says, letters of shared-queue.lua and c, this consumer's last claim
-- args   letters, request id 16 or empty, max, lease ms, idle ms, consumer (channel, space, name), memory ms,
--        settlements of shared-queue.lua
-- reply  {now us, settled as 0 and 1, next due us (-1 nothing), {buried id...}, {id, delivery, failures, crashes,
--        payload}...}, or {now us, 'L'}: nothing changed, ask again with all letters
-- why    between looking for work and registering, work could arrive; between taking and marking, a crash could lose
-- cost   13 to 15 commands whatever the batch; at most 50 reaped, 100 promoted, 256 taken
-- full   works in a full store: begins with a removal
--@include shared-time.lua
--@include shared-queue.lua
local k = {}
for i = 1, #ARGV[1] do k[string.sub(ARGV[1], i, i)] = KEYS[i] end
local request, max, lease, idle, consumer = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local memory, lastclaim = tonumber(ARGV[7]), k.c
k.c = nil

local function handouts(reply, list)
  local ids = {}
  for i, h in ipairs(list) do ids[i] = h[1] end
  if #ids == 0 then return reply end
  local payloads = redis.call('HMGET', k.p, unpack(ids))
  for i, h in ipairs(list) do
    if payloads[i] then
      h[5] = payloads[i]
      reply[#reply + 1] = h
    end
  end
  return reply
end

if request ~= '' then
  local raw = redis.call('GET', lastclaim)
  local c = raw and cmsgpack.unpack(string.sub(raw, 2))
  if c and c[1] == request then return handouts({us, c[2], c[3], c[4]}, c[5]) end
end

local ops, ids, rare = {}, {}, false
local i = 8
while i <= #ARGV do
  ops[#ops + 1], i = q_read_settlement(i)
  ids[#ids + 1] = ops[#ops][2]
end
local Q = q_open(k)
local lapsed = redis.call('ZRANGEBYSCORE', k.x, '-inf', q_text(us), 'LIMIT', 0, 51 + #ids)
for _, id in ipairs(lapsed) do ids[#ids + 1] = id end
if #ids > 0 then q_prefetch(Q, ids) end
if not k.K then
  for _, id in ipairs(ids) do
    local rec = Q.rec[id]
    if rec[8] ~= '' or rec[9] ~= '' then rare = true end
  end
  for _, id in ipairs(lapsed) do
    if Q.rec[id][3] + 1 > Q.rec[id][6] then rare = true end
  end
  for _, op in ipairs(ops) do
    if op[1] == 'b' then rare = true end
  end
  if rare then return {us, 'L'} end
end

redis.call('ZREM', k.w, max > 0 and consumer or '') -- first a removal, so that all below works in a full store
local settled = {}
for n, op in ipairs(ops) do
  local may = q_may_settle(Q, op)
  if may then q_settle(Q, op) end
  settled[n] = may and '1' or '0'
end
settled = table.concat(settled)

-- Reap: what ran past its lease goes back, or dies.
local buried, more, reaped = {}, false, 0
for _, id in ipairs(lapsed) do
  local deadline = Q.run[id]
  if deadline and deadline <= us then
    if reaped == 50 then more = true; break end
    reaped = reaped + 1
    local rec = Q.rec[id]
    rec[3] = rec[3] + 1
    if rec[3] > rec[6] then
      q_bury(Q, id, 'crashed', '')
      buried[#buried + 1] = id
    else
      redis.call('ZREM', k.x, id)
      Q.run[id] = nil
      rec[5] = us + rec[7] * 1000
      q_save(Q, id)
      q_place(Q, id, rec[5])
    end
  end
end
-- Promote: what became due is ready.
local due = redis.call('ZRANGEBYSCORE', k.d, '-inf', q_text(us), 'LIMIT', 0, 101, 'WITHSCORES')
local out, ready = {}, {}
for n = 1, math.min(#due, 200), 2 do
  out[#out + 1] = due[n]
  ready[#ready + 1] = q_score(Q, due[n], tonumber(due[n + 1])); ready[#ready + 1] = due[n]
end
if #due > 200 then more = true end
if #out > 0 then
  redis.call('ZREM', k.d, unpack(out))
  redis.call('ZADD', k.r, unpack(ready))
end
local list = {}
if max > 0 and not Q.paused then
  local taken = redis.call('ZPOPMIN', k.r, max)
  local got, running, records = {}, {}, {}
  for n = 1, #taken, 2 do got[#got + 1] = taken[n] end
  if #got > 0 then
    local raws = redis.call('HMGET', k.a, unpack(got))
    for n, id in ipairs(got) do
      local rec = q_decode(id, raws[n], false)
      rec[1] = rec[1] + 1
      rec[4] = 0
      if rec.stored then records[#records + 1] = id; records[#records + 1] = q_encode(rec) end
      running[#running + 1] = q_text(us + lease * 1000); running[#running + 1] = id
      list[n] = {id, rec[1], rec[2], rec[3]}
    end
    redis.call('ZADD', k.x, unpack(running))
    if #records > 0 then redis.call('HSET', k.a, unpack(records)) end
  end
end
local left = redis.call('ZCARD', k.r)
if left > 0 and not Q.paused then q_wake(Q, 1) end
if #list == 0 and idle > 0 and max > 0 then
  redis.call('ZADD', k.w, q_text(ms + idle), consumer)
  if redis.call('PTTL', k.w) < idle then redis.call('PEXPIRE', k.w, q_text(idle + 1)) end
end
local wait = -1
local early = q_earliest(k.d)
local ending = q_earliest(k.x)
if ending and (not early or ending < early) then early = ending end
if (left > 0 and not Q.paused) or more then wait = 0
elseif early then wait = math.max(early - us, 0) end
if request ~= '' and (#list > 0 or #ops > 0) then
  local c = cmsgpack.pack({request, settled, wait, buried, list})
  redis.call('SET', lastclaim, '\1' .. c, 'PX', memory)
end
return handouts({us, settled, wait, buried}, list)
