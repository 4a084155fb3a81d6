-- SPDX-License-Identifier: Apache-2.0
-- One queue. Q.k maps a letter to a key; letters that the caller does not need are nil.
--   r ready by score   d delayed by due us   x running by deadline us   p id -> payload   a id -> record
--   w waiting consumers by end ms   n last number   s settings   k dead by time of death us   K id -> dead letter
--   u dedup key -> id, end   e dedup keys by end us   g behind the head of a group   h group -> head id
-- record: {deliveries, failures, crashes, spent 0|1, due us, max crashes, crash delay ms, group, dedup key,
-- joined its group anew at us or 0}; written it says more than the default. An id is 16 digits, then b and the band if that is not 0.
-- Each live id is in exactly one of r d x g, and in p.
local function q_open(k)
  local Q = {k = k, ageing = 30000, paused = false, rec = {}, run = {}}
  for letter, key in pairs(k) do
    if letter == 'r' or letter == 'd' or letter == 'x' or letter == 'k' or letter == 'e' or letter == 'g' then
      redis.call('ZCARD', key)
    elseif letter == 'p' then Q.live = redis.call('HLEN', key)
    elseif letter == 'w' then Q.waiting = redis.call('ZCARD', key)
    elseif letter == 'n' then Q.number = tonumber(redis.call('GET', key) or 0)
    elseif letter == 's' then
      local s = redis.call('GET', key)
      if s then
        s = cmsgpack.unpack(string.sub(s, 2))
        Q.paused = s[1] == 1; Q.ageing = s[2]
      end
    else redis.call('HLEN', key)
    end
  end
  return Q
end

local function q_number(id) return tonumber(string.sub(id, 1, 16)) end

local function q_band(id) return tonumber(string.match(id, 'b(%d+)$') or 0) end

local function q_text(n) return string.format('%.0f', n) end

local function q_score(Q, id, due) return q_text(math.floor(due / 1000) + q_band(id) * Q.ageing) end

local function q_decode(id, raw, running)
  if raw then
    local rec = cmsgpack.unpack(string.sub(raw, 2))
    rec.stored = true
    return rec
  end
  return {running and 1 or 0, 0, 0, 0, q_number(id), 3, 1000, '', '', 0}
end

local function q_encode(rec)
  return '\1' .. cmsgpack.pack({rec[1], rec[2], rec[3], rec[4], rec[5], rec[6], rec[7], rec[8], rec[9], rec[10]})
end

-- Reads the records and deadlines of these messages at once.
local function q_prefetch(Q, ids)
  for from = 1, #ids, 512 do
    local slice = {unpack(ids, from, math.min(from + 511, #ids))}
    local raws = redis.call('HMGET', Q.k.a, unpack(slice))
    local ends = redis.call('ZMSCORE', Q.k.x, unpack(slice))
    for i, id in ipairs(slice) do
      Q.run[id] = ends[i] and tonumber(ends[i]) or nil
      Q.rec[id] = q_decode(id, raws[i], ends[i])
    end
  end
end

local function q_save(Q, id)
  redis.call('HSET', Q.k.a, id, q_encode(Q.rec[id]))
  Q.rec[id].stored = true
end

local function q_current(Q, id, delivery)
  local rec = Q.rec[id]
  return (rec.stored or Q.run[id]) and rec[4] == 0 and rec[1] == delivery and delivery > 0
end

-- Ordered within the group by when it joined, which is its number unless it came back from the dead.
local function q_member(rec, id)
  local joined = rec[10] > 0 and rec[10] or q_number(id)
  return struct.pack('>I2', #rec[8]) .. rec[8] .. string.format('%016.0f', joined) .. id
end

-- R ready, D delayed, X running, G grouped, K dead, - gone
local function q_where(Q, id)
  local k = Q.k
  if Q.run[id] or redis.call('ZSCORE', k.x, id) then return 'X' end
  if redis.call('ZSCORE', k.r, id) then return 'R' end
  if redis.call('ZSCORE', k.d, id) then return 'D' end
  local rec = Q.rec[id]
  if rec and rec[8] ~= '' and redis.call('ZSCORE', k.g, q_member(rec, id)) then return 'G' end
  if redis.call('ZSCORE', k.k, id) then return 'K' end
  return '-'
end

local function q_tell(Q, member) redis.call('PUBLISH', string.match(member, '^%S+'), 'D' .. Q.k.r) end

-- Takes up to so many waiting consumers off the list and tells them.
local function q_wake(Q, count)
  if Q.waiting == 0 or count <= 0 then return end
  redis.call('ZREMRANGEBYSCORE', Q.k.w, '-inf', q_text(ms))
  local woken = redis.call('ZPOPMIN', Q.k.w, math.min(count, 8))
  for i = 1, #woken, 2 do q_tell(Q, woken[i]) end
end

local function q_earliest(key)
  local z = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return z[2] and tonumber(z[2])
end

-- The earliest delayed moment moved forward: one consumer sets its timer anew, and stays on the list.
local function q_rearm(Q, before)
  if Q.waiting == 0 then return end
  local now = q_earliest(Q.k.d)
  if not now or (before and before <= now) then return end
  redis.call('ZREMRANGEBYSCORE', Q.k.w, '-inf', q_text(ms))
  local first = redis.call('ZRANGE', Q.k.w, 0, 0)
  if first[1] then q_tell(Q, first[1]) end
end

-- Into ready or delayed by its due moment; answers whether it became ready.
local function q_place(Q, id, due, score)
  if due > us then
    redis.call('ZADD', Q.k.d, q_text(due), id)
    return false
  end
  redis.call('ZADD', Q.k.r, score or q_score(Q, id, due), id)
  return true
end

-- The head of a group is gone for good: the next of the group takes its place.
local function q_next(Q, id)
  local group = Q.rec[id][8]
  if group == '' or redis.call('HGET', Q.k.h, group) ~= id then return end
  local prefix = struct.pack('>I2', #group) .. group
  local found = redis.call('ZRANGEBYLEX', Q.k.g, '[' .. prefix .. '0', '(' .. prefix .. ':', 'LIMIT', 0, 1)[1]
  if not found then
    redis.call('HDEL', Q.k.h, group)
    return
  end
  local nextid = string.sub(found, #prefix + 17)
  redis.call('ZREM', Q.k.g, found)
  redis.call('HSET', Q.k.h, group, nextid)
  if not Q.rec[nextid] then q_prefetch(Q, {nextid}) end
  if q_place(Q, nextid, Q.rec[nextid][5]) then q_wake(Q, 1) else q_rearm(Q, nil) end
end

local function q_out(Q, id)
  if redis.call('ZREM', Q.k.x, id) == 0 and redis.call('ZREM', Q.k.r, id) == 0 then redis.call('ZREM', Q.k.d, id) end
  Q.run[id] = nil
end

local function q_forget(Q, id)
  redis.call('HDEL', Q.k.p, id)
  if Q.rec[id].stored then redis.call('HDEL', Q.k.a, id) end
end

local function q_release_dedup(Q, id)
  local key = Q.rec[id][9]
  if key == '' then return end
  local held = redis.call('HGET', Q.k.u, key)
  if held and cmsgpack.unpack(string.sub(held, 2))[1] == id then
    redis.call('HDEL', Q.k.u, key)
    redis.call('ZREM', Q.k.e, key)
  end
end

local function q_bury(Q, id, reason, detail)
  local rec = Q.rec[id]
  local payload = redis.call('HGET', Q.k.p, id) or ''
  q_out(Q, id)
  local letter = cmsgpack.pack({q_encode(rec), reason, detail, us})
  redis.call('HSET', Q.k.K, id, '\1' .. struct.pack('>I4', #letter) .. letter .. payload)
  redis.call('ZADD', Q.k.k, q_text(us), id)
  q_forget(Q, id)
  q_release_dedup(Q, id)
  q_next(Q, id)
end

local function q_letter(raw)
  local length = struct.unpack('>I4', raw, 2)
  local letter = cmsgpack.unpack(string.sub(raw, 6, 5 + length))
  return letter, string.sub(raw, 6 + length)
end

-- op: {kind, id, delivery, ...}: a ack | t retry delay failed | b bury reason detail | e extend lease
local function q_settle(Q, op)
  local kind, id = op[1], op[2]
  local rec = Q.rec[id]
  if kind == 'a' then
    q_out(Q, id)
    q_forget(Q, id)
    q_next(Q, id)
  elseif kind == 't' then
    local delay, failed = op[4], op[5] == 1
    if failed then rec[2] = rec[2] + 1 end
    rec[4] = 1
    q_out(Q, id)
    local score = nil
    if delay == 0 and not failed and rec[5] <= us then
      score = q_score(Q, id, rec[5])
    else
      rec[5] = us + delay * 1000
    end
    q_save(Q, id)
    local before = q_earliest(Q.k.d)
    if q_place(Q, id, us + delay * 1000, score) then q_wake(Q, 1) else q_rearm(Q, before) end
  elseif kind == 'b' then
    rec[4] = 1
    q_bury(Q, id, op[4], op[5])
  else
    redis.call('ZADD', Q.k.x, 'XX', q_text(us + op[4] * 1000), id)
    Q.run[id] = us + op[4] * 1000
  end
end

local function q_may_settle(Q, op)
  return q_current(Q, op[2], op[3]) and (op[1] ~= 'e' or Q.run[op[2]] ~= nil)
end

-- Reads one settlement from ARGV at i: kind, id, delivery, then what the kind needs.
local function q_read_settlement(i)
  local kind = ARGV[i]
  local op = {kind, ARGV[i + 1], tonumber(ARGV[i + 2])}
  if kind == 'a' then return op, i + 3 end
  if kind == 't' then op[4] = tonumber(ARGV[i + 3]); op[5] = tonumber(ARGV[i + 4]); return op, i + 5 end
  if kind == 'b' then op[4] = ARGV[i + 3]; op[5] = ARGV[i + 4]; return op, i + 5 end
  op[4] = tonumber(ARGV[i + 3])
  return op, i + 4
end
