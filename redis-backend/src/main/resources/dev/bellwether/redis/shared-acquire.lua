-- SPDX-License-Identifier: Apache-2.0
-- The rules of acquire, after the entry of `unless` was judged. R: owner, ttl, weight, cap, tokens, retain, forced,
-- line {ticket, grant, patience, inbox} or nil. Answers {kind, ...}: G granted, B busy, H hushed, E ended, R refused.
local function lease_busy(L, place)
  local first, token = 0, 0
  for _, h in ipairs(L.holds) do
    if first == 0 or h[6] < first then first = h[6] end
    if token == 0 then token = h[2] end
  end
  return {'B', token, first == 0 and 0 or first - us, place}
end

local function lease_place(L, R)
  for i, w in ipairs(L.tickets) do
    if w.owner == R.owner then return i - 1, w end
  end
  if L.beyond > 0 then
    local rank = redis.call('ZRANK', L.k.q, R.owner)
    local raw = rank and redis.call('HGET', L.k.t, R.owner)
    if raw then
      local w = cmsgpack.unpack(string.sub(raw, 2))
      w.owner = R.owner
      w.arrival = tonumber(redis.call('ZSCORE', L.k.q, R.owner))
      return rank - #L.gone, w
    end
  end
end

-- Keeps or takes a place; the ticket is written by lease_line.
local function lease_queue(L, R)
  local place, w = lease_place(L, R)
  local line = R.line
  local ends = us + line[1] * 1000
  if not w then
    local last = L.tickets[#L.tickets]
    if L.beyond > 0 then last = {arrival = tonumber(redis.call('ZRANGE', L.k.q, -1, -1, 'WITHSCORES')[2])} end
    w = {owner = R.owner, arrival = last and math.max(us, last.arrival + 1) or us}
    place = lease_waiting(L)
    L.ticket = w
    w[1] = ends
  elseif (w[1] - us) * 2 < line[1] * 1000 then
    L.ticket = w
    w[1] = ends
  end
  if L.ticket then
    w[2] = R.weight; w[3] = R.cap; w[4] = R.ttl; w[5] = R.tokens; w[6] = R.retain
    w[7] = line[2]; w[8] = line[3]; w[9] = line[4]
  end
  return place
end

local function lease_acquire(L, R)
  local h = lease_hold_of(L, R.owner)
  if h then
    if not lease_barred(h) then h[6] = math.max(h[6], us + R.ttl * 1000) end
    if h[7] % 2 == 0 then h[7] = h[7] + 1 end
    L.changed = true
    lease_pass(L)
    return {'G', h[2], h[3], lease_waiting(L)}
  end
  if L.counted and L.owner == R.owner then
    lease_drop_ticket(L, R.owner)
    return {'E'}
  end
  if #L.holds > 0 and L.cap ~= R.cap then
    return {'R', 'the capacity is ' .. string.format('%.0f', L.cap) .. ' while somebody holds it, not '
      .. string.format('%.0f', R.cap)}
  end
  if #L.holds >= 1024 then return {'R', 'more than 1024 holders of one lease'} end
  if L.quiet > us and not R.forced then return {'H', L.note, L.hushed, L.quiet - us} end
  local head = L.tickets[1]
  local first = (not head and L.beyond == 0) or (head and (head.owner == R.owner or us < head.arrival + head[8] * 1000))
  if lease_fits(L, R.weight, R.cap) and first then
    lease_drop_ticket(L, R.owner)
    L.quiet = 0; L.note = ''; L.hushed = 0
    local from, to = lease_grant(L, R.owner, R.weight, R.cap, R.ttl, R.tokens, R.retain, 1)
    lease_pass(L)
    return {'G', from, to, lease_waiting(L)}
  end
  lease_pass(L)
  h = lease_hold_of(L, R.owner)
  if h then -- the pass came as far as this owner's own ticket
    h[6] = us + R.ttl * 1000
    h[7] = 1
    return {'G', h[2], h[3], lease_waiting(L)}
  end
  return lease_busy(L, R.line and lease_queue(L, R) or -1)
end

-- Writes the ticket that lease_queue prepared. In a full store there is no place in line: -1.
local function lease_line(L, R)
  local w, k = L.ticket, L.k
  local added = redis.pcall('ZADD', k.q, string.format('%.0f', w.arrival), w.owner)
  if type(added) == 'table' and added.err then return false end
  local record = cmsgpack.pack({w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]})
  redis.call('HSET', k.t, w.owner, '\1' .. record)
  if redis.call('PTTL', k.q) < R.line[1] then
    local life = string.format('%.0f', R.line[1] + 1)
    redis.call('PEXPIRE', k.q, life)
    redis.call('PEXPIRE', k.t, life)
  end
  return true
end
