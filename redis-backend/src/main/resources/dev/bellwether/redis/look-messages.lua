-- SPDX-License-Identifier: Apache-2.0
-- Messages of one state by pages, or one message, without touching them.
-- keys   r d x p a k K g, as ARGV[1] says
-- args   letters, R | D | X | G | K and limit and last id of the page before or empty; or 1 and an id
-- reply  {now us, {id, state, payload, deliveries, failures, crashes, enqueued us, due in us, reason, detail, died
--        us}...}
-- why    state, counts and payload of one moment
-- cost   3 commands and 5 for each message, no write
--@include shared-time.lua
--@include shared-queue.lua
local k = {}
for i = 1, #ARGV[1] do k[string.sub(ARGV[1], i, i)] = KEYS[i] end
local Q = q_open(k)

local function describe(id, where)
  if where == 'K' then
    local letter, payload = q_letter(redis.call('HGET', k.K, id))
    local rec = q_decode(id, letter[1], false)
    return {id, where, payload, rec[1], rec[2], rec[3], q_number(id), 0, letter[2], letter[3], letter[4]}
  end
  local rec = Q.rec[id]
  local due = rec[5]
  return {id, where, redis.call('HGET', k.p, id) or '', rec[1], rec[2], rec[3], q_number(id), math.max(due - us, 0), '',
    '', 0}
end

local reply = {us}
if ARGV[2] == '1' then
  q_prefetch(Q, {ARGV[3]})
  local where = q_where(Q, ARGV[3])
  if where ~= '-' then reply[2] = describe(ARGV[3], where) end
  return reply
end
local key = ({R = k.r, D = k.d, X = k.x, G = k.g, K = k.k})[ARGV[2]]
local limit, after, from = tonumber(ARGV[3]), ARGV[4], 0
local function id_of(member)
  if ARGV[2] ~= 'G' then return member end
  return string.sub(member, 19 + struct.unpack('>I2', member))
end
-- In order of enqueue where that can be told at little cost, else in the order of the state.
local small = redis.call('ZCARD', key) <= 2000
if after ~= '' and not small then
  local member = after
  if ARGV[2] == 'G' then
    q_prefetch(Q, {after})
    member = q_member(Q.rec[after], after)
  end
  local rank = redis.call('ZRANK', key, member)
  if rank then from = rank + 1; after = '' end
end
local found = {}
for n, member in ipairs(redis.call('ZRANGE', key, from, small and -1 or from + limit - 1)) do found[n] = id_of(member) end
if small then table.sort(found) end
local ids = {}
for _, id in ipairs(found) do
  if #ids < limit and (not small or after == '' or id > after) then ids[#ids + 1] = id end
end
if #ids > 0 then q_prefetch(Q, ids) end
for _, id in ipairs(ids) do reply[#reply + 1] = describe(id, ARGV[2]) end
return reply
