-- SPDX-License-Identifier: Apache-2.0
-- Enqueue in two steps: q_plan decides and writes nothing, q_add writes.
-- A message in ARGV: payload, delay ms, flags, then for each flag letter: b band | c max crashes, crash delay ms
-- | g group | u dedup key, window ms, mode (i or r)
local function q_read_message(i)
  local m = {payload = ARGV[i], delay = tonumber(ARGV[i + 1]), band = 0, crashes = 3, crashdelay = 1000, group = '',
    dedup = ''}
  local flags = ARGV[i + 2]
  i = i + 3
  for f = 1, #flags do
    local flag = string.sub(flags, f, f)
    if flag == 'b' then m.band = tonumber(ARGV[i]); i = i + 1
    elseif flag == 'c' then m.crashes = tonumber(ARGV[i]); m.crashdelay = tonumber(ARGV[i + 1]); i = i + 2
    elseif flag == 'g' then m.group = ARGV[i]; i = i + 1
    else m.dedup = ARGV[i]; m.window = tonumber(ARGV[i + 1]); m.mode = ARGV[i + 2]; i = i + 3 end
  end
  return m, i
end

local function q_plan(Q, messages)
  local fresh, taken = 0, {}
  local first = math.max(Q.number + 1, us)
  for _, m in ipairs(messages) do
    if m.dedup ~= '' then
      local id = taken[m.dedup]
      if not id then
        local raw = redis.call('HGET', Q.k.u, m.dedup)
        local held = raw and cmsgpack.unpack(string.sub(raw, 2))
        if held and held[2] > us then id = held[1] end
      end
      m.twin = id
    end
    if not m.twin then
      m.id = string.format('%016.0f', first + fresh) .. (m.band > 0 and 'b' .. q_text(m.band) or '')
      fresh = fresh + 1
      if m.dedup ~= '' then taken[m.dedup] = m.id end
    end
  end
  return {messages = messages, fresh = fresh, last = first + fresh - 1}
end

local function q_replace(Q, m)
  local id, k = m.twin, Q.k
  q_prefetch(Q, {id})
  local rec, where = Q.rec[id], q_where(Q, id)
  if where ~= 'R' and where ~= 'D' and where ~= 'G' then return 0 end
  redis.call('HSET', k.p, id, m.payload)
  rec[5] = us + m.delay * 1000
  q_save(Q, id)
  if where == 'G' then return 0 end
  q_out(Q, id)
  return q_place(Q, id, rec[5]) and where == 'D' and 1 or 0
end

local function q_sweep_dedup(Q, window)
  local old = redis.call('ZRANGEBYSCORE', Q.k.e, '-inf', q_text(us), 'LIMIT', 0, 32)
  if #old > 0 then
    redis.call('ZREM', Q.k.e, unpack(old))
    redis.call('HDEL', Q.k.u, unpack(old))
  end
  if redis.call('PTTL', Q.k.u) < window then
    redis.call('PEXPIRE', Q.k.u, q_text(window + 1000))
    redis.call('PEXPIRE', Q.k.e, q_text(window + 1000))
  end
end

local function q_flush(list, command, key)
  for from = 1, #list, 512 do redis.call(command, key, unpack(list, from, math.min(from + 511, #list))) end
end

local function q_add(Q, plan)
  local k = Q.k
  local before = plan.fresh > 0 and k.d and q_earliest(k.d)
  local payloads, records, ready, delayed, grouped, heads, dedups, ends = {}, {}, {}, {}, {}, {}, {}, {}
  local gained, window = 0, 0
  local lead = {}
  for _, m in ipairs(plan.messages) do
    if m.id then
      local id, due = m.id, us + m.delay * 1000
      payloads[#payloads + 1] = id; payloads[#payloads + 1] = m.payload
      if m.delay > 0 or m.crashes ~= 3 or m.crashdelay ~= 1000 or m.group ~= '' or m.dedup ~= '' then
        records[#records + 1] = id
        records[#records + 1] = q_encode({0, 0, 0, 0, due, m.crashes, m.crashdelay, m.group, m.dedup, 0})
      end
      if m.dedup ~= '' then
        dedups[#dedups + 1] = m.dedup
        dedups[#dedups + 1] = '\1' .. cmsgpack.pack({id, us + m.window * 1000})
        ends[#ends + 1] = q_text(us + m.window * 1000); ends[#ends + 1] = m.dedup
        window = math.max(window, m.window)
      end
      local behind = false
      if m.group ~= '' then
        behind = lead[m.group] or redis.call('HEXISTS', k.h, m.group) == 1
        if not behind then
          lead[m.group] = true
          heads[#heads + 1] = m.group; heads[#heads + 1] = id
        end
      end
      if behind then grouped[#grouped + 1] = 0; grouped[#grouped + 1] = q_member({[8] = m.group, [10] = 0}, id)
      elseif m.delay > 0 then delayed[#delayed + 1] = q_text(due); delayed[#delayed + 1] = id
      else ready[#ready + 1] = q_score(Q, id, due); ready[#ready + 1] = id; gained = gained + 1 end
    end
  end
  q_flush(payloads, 'HSET', k.p)
  q_flush(records, 'HSET', k.a)
  q_flush(ready, 'ZADD', k.r)
  q_flush(delayed, 'ZADD', k.d)
  q_flush(grouped, 'ZADD', k.g)
  q_flush(heads, 'HSET', k.h)
  q_flush(dedups, 'HSET', k.u)
  q_flush(ends, 'ZADD', k.e)
  if window > 0 then q_sweep_dedup(Q, window) end
  if plan.fresh > 0 then redis.call('SET', k.n, q_text(plan.last), 'PX', 86400000) end
  for _, m in ipairs(plan.messages) do
    if m.twin and m.mode == 'r' then gained = gained + q_replace(Q, m) end
  end
  q_wake(Q, gained)
  if k.d and (#delayed > 0) and gained == 0 then q_rearm(Q, before) end
  local ids = {}
  for i, m in ipairs(plan.messages) do ids[i] = m.twin and '=' .. m.twin or m.id end
  return ids
end
