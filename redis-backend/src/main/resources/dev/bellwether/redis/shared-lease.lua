-- SPDX-License-Identifier: Apache-2.0
-- One lease as a state in memory: lease_open reads, the rules change the table, lease_close writes what changed. Thus a
-- script can decide about everything before its first write.
-- record x: {capacity, quiet until us, note, token before the quiet, hold...}; record f: {last token, last owner}
-- keys: x holds and quiet, q line by arrival, f token counter, t tickets; f and t are nil where the caller needs none.
-- hold: {owner, first, last, weight, since us, deadline us, flags (1 confirmed, 2 barred)}
-- ticket: {end us, weight, capacity, ttl, tokens, retain, grant, patience, inbox}, lengths in ms; .owner, .arrival us
local function lease_tickets(L)
  local z = redis.call('ZRANGE', L.k.q, 0, 63, 'WITHSCORES')
  local ids = {}
  for i = 1, #z, 2 do ids[#ids + 1] = z[i] end
  local records = redis.call('HMGET', L.k.t, unpack(ids))
  for i, id in ipairs(ids) do
    local w = records[i] and cmsgpack.unpack(string.sub(records[i], 2))
    if w and w[1] > us then
      w.owner = id
      w.arrival = tonumber(z[2 * i])
      L.tickets[#L.tickets + 1] = w
    else
      L.gone[#L.gone + 1] = id
    end
  end
  L.beyond = L.lined - #ids
end

local function lease_open(k)
  local L = {k = k, holds = {}, used = 0, cap = 0, quiet = 0, note = '', hushed = 0, last = 0, owner = '', tick = 0, counted = false,
    tickets = {}, beyond = 0, gone = {}, say = {}}
  local raw = redis.call('GET', k.x)
  if raw then
    local v = cmsgpack.unpack(string.sub(raw, 2))
    if v[2] > us then L.quiet = v[2]; L.note = v[3]; L.hushed = v[4] end
    for i = 5, #v do
      if v[i][6] > us then
        L.holds[#L.holds + 1] = v[i]
        L.used = L.used + v[i][4]
      end
    end
    if #L.holds > 0 then L.cap = v[1] end
  end
  local c = k.f and redis.call('GET', k.f)
  if c then
    c = cmsgpack.unpack(string.sub(c, 2))
    L.last = c[1]; L.owner = c[2]; L.counted = true
  end
  L.lined = redis.call('ZCARD', k.q)
  if k.t then redis.call('HLEN', k.t) end
  if L.lined > 0 and k.t then lease_tickets(L) end
  return L
end

local function lease_waiting(L) return #L.tickets + L.beyond end

local function lease_hold_of(L, owner)
  for i, h in ipairs(L.holds) do
    if h[1] == owner then return h, i end
  end
end

local function lease_barred(h) return h[7] >= 2 end

-- {waiting, quiet us, last token, {owner, first, last, weight, held us, remaining us, confirmed}...}
local function lease_state(L)
  local state = {lease_waiting(L), math.max(L.quiet - us, 0), L.counted and L.last or L.hushed}
  for _, h in ipairs(L.holds) do
    state[#state + 1] = {h[1], h[2], h[3], h[4], us - h[5], h[6] - us, h[7] % 2}
  end
  return state
end

local function lease_grant(L, owner, weight, cap, length, tokens, retain, flags)
  local first = math.max(L.last + 1, L.tick + 1, us)
  L.tick = first + tokens - 1
  if retain > 0 then
    L.last = L.tick; L.owner = owner; L.counted = true
    L.retain = retain
  end
  L.cap = cap
  L.used = L.used + weight
  L.holds[#L.holds + 1] = {owner, first, L.tick, weight, us, us + length * 1000, flags}
  L.changed = true
  return first, L.tick
end

local function lease_end(L, i)
  L.used = L.used - L.holds[i][4]
  table.remove(L.holds, i)
  L.changed = true
end

local function lease_drop_ticket(L, owner)
  for i, w in ipairs(L.tickets) do
    if w.owner == owner then
      table.remove(L.tickets, i)
      L.gone[#L.gone + 1] = owner
      return
    end
  end
  if L.beyond > 0 and redis.call('ZSCORE', L.k.q, owner) then
    L.gone[#L.gone + 1] = owner
    L.beyond = L.beyond - 1
  end
end

local function lease_fits(L, weight, cap)
  if #L.holds == 0 then return weight <= cap end
  return cap == L.cap and weight <= cap - L.used
end

local function lease_say(L, w) L.say[#L.say + 1] = {w[9], 'P' .. w.owner .. L.k.x} end

-- Hands the name to the heads of the line whose patience is spent, or tells the first one that it may come.
local function lease_pass(L)
  for _ = 1, 64 do
    local w = L.tickets[1]
    if not w or L.quiet > us or not lease_fits(L, w[2], w[3]) then return end
    lease_say(L, w)
    if us < w.arrival + w[8] * 1000 then return end
    lease_grant(L, w.owner, w[2], w[3], w[7], w[5], w[6], 0)
    table.remove(L.tickets, 1)
    L.gone[#L.gone + 1] = w.owner
  end
end

local function lease_close(L, removing)
  local k = L.k
  if removing then redis.call('ZREM', k.q, '') end -- a removal that removes nothing: what follows works in a full store
  if L.changed then
    local last = L.quiet
    for _, h in ipairs(L.holds) do last = math.max(last, h[6]) end
    if last <= us then
      redis.call('DEL', k.x)
    else
      local record = cmsgpack.pack({L.cap, L.quiet, L.note, L.hushed, unpack(L.holds)})
      redis.call('SET', k.x, '\1' .. record, 'PXAT', string.format('%.0f', math.ceil(last / 1000)))
    end
  end
  if L.retain then
    redis.call('SET', k.f, '\1' .. cmsgpack.pack({L.last, L.owner}), 'PX', string.format('%.0f', L.retain))
  elseif L.bumped then
    redis.call('SET', k.f, '\1' .. cmsgpack.pack({L.last, L.owner}), 'KEEPTTL')
  end
  if #L.gone > 0 then
    redis.call('ZREM', k.q, unpack(L.gone))
    redis.call('HDEL', k.t, unpack(L.gone))
  end
  for _, s in ipairs(L.say) do redis.call('PUBLISH', s[1], s[2]) end
end

-- Rules of the lease mutations; each answers nil where it is refused.
local function lease_release(L, owner, quiet, note)
  local h, i = lease_hold_of(L, owner)
  if not h then return nil end
  lease_end(L, i)
  if quiet > 0 then
    L.quiet = us + quiet * 1000; L.note = note; L.hushed = h[3]
  else
    lease_pass(L)
  end
  return true
end

local function lease_leave(L, owner)
  lease_drop_ticket(L, owner)
  local h, i = lease_hold_of(L, owner)
  if h then lease_end(L, i) end
  lease_pass(L)
end

local function lease_renew(L, owner, ttl, first, last, weight, cap)
  local h = lease_hold_of(L, owner)
  if h then
    if lease_barred(h) then return nil end
    h[6] = us + ttl * 1000
    L.changed = true
    return lease_waiting(L)
  end
  if not first or L.quiet > us or not lease_fits(L, weight, cap) or (L.counted and L.last > last) then return nil end
  lease_drop_ticket(L, owner)
  L.cap = cap; L.used = L.used + weight
  L.holds[#L.holds + 1] = {owner, first, last, weight, us, us + ttl * 1000, 1}
  L.last = last; L.owner = owner; L.counted = true
  L.retain = 86400000
  L.changed = true
  return lease_waiting(L)
end

local function lease_break(L, token, atonce)
  local found = false
  for i = #L.holds, 1, -1 do
    local h = L.holds[i]
    if not token or (h[2] <= token and token <= h[3]) then
      found = true
      if atonce then lease_end(L, i)
      elseif not lease_barred(h) then h[7] = h[7] + 2; L.changed = true end
    end
  end
  if token and not found then return nil end
  if not token and L.quiet > us then L.quiet = 0; L.note = ''; L.hushed = 0; L.changed = true end
  if L.counted then L.last = L.last + 1; L.owner = ''; L.bumped = true end
  if atonce then lease_pass(L) end
  return true
end
