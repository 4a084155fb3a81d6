-- SPDX-License-Identifier: Apache-2.0
-- All mutations if every check holds, else nothing, and everything that stood in the way.
-- keys   [m remembered request], four for each lease (x q f t), those of each queue by its letters, entries
-- args   memory ms (0: no id), number of leases, number of queues, letters of each queue,
--        number of checks, then checks and mutations, each a letter and what it needs (see Commits.java)
-- reply  {now us, 'C', version, outcome...} or {now us, 'X', obstacle...}; outcomes and obstacles are arrays
-- why    this is what atomic means
-- cost   per operation 2 to 5 commands; entries and leases are read once, decided in memory, written at the end
-- full   what adds goes first and is refused cleanly; a commit that only takes away begins with a removal
--@include shared-time.lua
--@include shared-entry.lua
--@include shared-lease.lua
--@include shared-acquire.lua
--@include shared-queue.lua
--@include shared-enqueue.lua
local memory = tonumber(ARGV[1])
local next_key, at = 0, 4
local function key()
  next_key = next_key + 1
  return KEYS[next_key]
end
local function arg()
  at = at + 1
  return ARGV[at - 1]
end
local function num()
  return tonumber(arg())
end

local memo = memory > 0 and key()
if memo then
  local raw = redis.call('GET', memo)
  if raw then
    local reply = cmsgpack.unpack(string.sub(raw, 2))
    reply[1] = us
    return reply
  end
end
local leases, queues, entries = {}, {}, {}
for i = 1, tonumber(ARGV[2]) do leases[i] = lease_open({x = key(), q = key(), f = key(), t = key()}) end
for i = 1, tonumber(ARGV[3]) do
  local letters, k = arg(), {}
  for n = 1, #letters do k[string.sub(letters, n, n)] = key() end
  queues[i] = q_open(k)
end
local first_entry = next_key
local function entry(i)
  local e = entries[i]
  if not e then
    local name = KEYS[first_entry + i]
    e = entry_parse(redis.call('GETRANGE', name, 0, 17))
    e.key = name
    entries[i] = e
  end
  return e
end
local function value_of(e) return string.sub(redis.call('GET', e.key) or '', 19) end

local obstacles, outcomes, index = {}, {}, -1
local puts, deletes, changed, highest, adds = {}, {}, {}, 0, false
local plans, settlements, letters = {}, {}, {}
local function refuse(...) obstacles[#obstacles + 1] = {index, ...} end
local function differs(e, i, get)
  if e.present and get then refuse('D', i, e.version, 1, e.expires, value_of(e))
  else refuse('D', i, e.version, e.present and 1 or 0, e.expires) end
end
local function stale(q, op, i) refuse('S', q, op[2], op[3], q_where(queues[q], op[2]), i) end
local function replace(e)
  highest = math.max(highest, e.version)
  changed[#changed + 1] = e
end

-- 64-bit arithmetic in two halves of 32 bits, since a double is exact only up to 2^53.
local HALF = 4294967296
local function biased(hi) return (hi + 2147483648) % HALF end
local function count(e, op, operand, overflow)
  if not e.present then return operand end
  local value = value_of(e)
  if #value ~= 9 or string.byte(value) ~= 192 then return nil, 'the value is no counter' end
  local ahi, alo = struct.unpack('>I4I4', value, 2)
  local bhi, blo = struct.unpack('>I4I4', operand)
  if op ~= 'a' then
    local less = biased(ahi) < biased(bhi) or (ahi == bhi and alo < blo)
    if (op == 'm') == less then return string.sub(value, 2) end
    return operand
  end
  local lo = alo + blo
  local hi = ahi + bhi
  if lo >= HALF then lo = lo - HALF; hi = hi + 1 end
  hi = hi % HALF
  local top = 2147483648
  if (ahi >= top) == (bhi >= top) and (hi >= top) ~= (ahi >= top) then
    if overflow == 'f' then return nil, 'the counter would leave 64 bits' end
    if overflow == 's' then
      if ahi >= top then return struct.pack('>I4I4', top, 0) end
      return struct.pack('>I4I4', top - 1, HALF - 1)
    end
  end
  return struct.pack('>I4I4', hi, lo)
end

local op = {}
-- checks
op.i = function()
  local i, version, get = num(), num(), num()
  local e = entry(i)
  if not e.present or e.version ~= version then differs(e, i, get == 1) end
end
op.v = function()
  local i, get = num(), num()
  local e = entry(i)
  if e.present then differs(e, i, get == 1) end
end
op.h = function()
  local i, owner = num(), arg()
  if not lease_hold_of(leases[i], owner) then refuse('N', i, lease_state(leases[i])) end
end
op.c = function()
  local i, id, delivery = num(), arg(), num()
  q_prefetch(queues[i], {id})
  if not q_current(queues[i], id, delivery) then stale(i, {'c', id, delivery}) end
end
-- entries
op.P = function()
  local i, value, kind, number = num(), arg(), arg(), arg()
  local e = entry(i)
  replace(e)
  local expires = entry_expiry(kind, number, e)
  if expires < 0 then deletes[#deletes + 1] = {e, 0}
  else puts[#puts + 1] = {e, expires, value} end
  return {'.'}
end
op.D = function()
  local i, remember = num(), num()
  local e = entry(i)
  if e.present or remember > 0 then replace(e) end
  deletes[#deletes + 1] = {e, remember}
  return {'D', e.present and 1 or 0}
end
op.T = function()
  local i, kind, number = num(), arg(), arg()
  local e = entry(i)
  if not e.present then return refuse('U', 'there is no value whose expiry could change') end
  replace(e)
  local expires = entry_expiry(kind, number, e)
  if expires < 0 then deletes[#deletes + 1] = {e, 0}
  else puts[#puts + 1] = {e, expires, value_of(e)} end
  return {'.'}
end
op.C = function()
  local i, how, operand, overflow, kind, number = num(), arg(), arg(), arg(), arg(), arg()
  local e = entry(i)
  local result, reason = count(e, how, operand, overflow)
  if not result then return refuse('U', reason) end
  replace(e)
  local expires = entry_expiry(kind, number, e)
  if expires < 0 then deletes[#deletes + 1] = {e, 0}
  else puts[#puts + 1] = {e, expires, '\192' .. result} end
  return {'C', result}
end
-- leases
op.A = function()
  local i, R, flags = num(), {}, 0
  R.owner, R.ttl, R.weight, R.cap, R.tokens, R.retain, flags = struct.unpack('>c16I7I4I4I2I7B', arg())
  R.forced = flags % 2 == 1
  local L = leases[i]
  local state = lease_state(L)
  local answer = lease_acquire(L, R)
  if answer[1] == 'R' then return refuse('U', answer[2]) end
  if answer[1] ~= 'G' then return refuse('T', i, state) end
  adds = true
  L.adds = true
  return {'T', answer[2], answer[3]}
end
op.N = function()
  local i, owner, ttl, first, last, weight, cap = num(), arg(), num(), num(), num(), num(), num()
  local L = leases[i]
  local state = lease_state(L)
  local waiting = lease_renew(L, owner, ttl, first > 0 and first or nil, last, weight, cap)
  if not waiting then return refuse('N', i, state) end
  return {'N', waiting}
end
op.R = function()
  local i, owner, quiet, note = num(), arg(), num(), arg()
  local L = leases[i]
  local state = lease_state(L)
  if not lease_release(L, owner, quiet, note) then return refuse('N', i, state) end
  return {'.', lease_waiting(L)}
end
op.L = function()
  local i, owner = num(), arg()
  lease_leave(leases[i], owner)
  return {'.'}
end
op.B = function()
  local i, token, atonce = num(), arg(), num()
  local L = leases[i]
  local state = lease_state(L)
  if not lease_break(L, token ~= '' and tonumber(token) or nil, atonce == 1) then return refuse('N', i, state) end
  return {'.'}
end
-- queues
op.E = function()
  local i, bound, size = num(), num(), num()
  local messages = {}
  for n = 1, size do messages[n], at = q_read_message(at) end
  local Q = queues[i]
  local plan = q_plan(Q, messages)
  local room = math.max(bound - Q.live, 0)
  if Q.live + plan.fresh > bound then return refuse('F', i, room) end
  plans[#plans + 1] = {Q, plan, index}
  adds = adds or plan.fresh > 0
  return {'E'}
end
local function settlement(kind)
  return function()
    local i, s = num(), nil
    s, at = q_read_settlement(at)
    q_prefetch(queues[i], {s[2]})
    if not q_may_settle(queues[i], s) then return stale(i, s) end
    settlements[#settlements + 1] = {queues[i], s}
    return {'.'}
  end
end
op.s = settlement()
op.M = function()
  local i, id, delay = num(), arg(), num()
  q_prefetch(queues[i], {id})
  local where = q_where(queues[i], id)
  if where == 'X' or where == '-' then return refuse('U', where == 'X' and 'the message is running' or 'there is no such message') end
  letters[#letters + 1] = {queues[i], id, where, delay}
  return {'.'}
end
op.X = function()
  local i, id = num(), arg()
  q_prefetch(queues[i], {id})
  local where = q_where(queues[i], id)
  if where == 'X' or where == '-' then return refuse('U', where == 'X' and 'the message is running' or 'there is no such message') end
  letters[#letters + 1] = {queues[i], id, where}
  return {'.'}
end
op.S = function()
  local i, paused, ageing = num(), num(), num()
  queues[i].tune = {paused, ageing}
  return {'.'}
end

local checks = tonumber(arg())
while at <= #ARGV do
  index = index + 1
  local outcome = op[arg()]()
  if index >= checks then outcomes[#outcomes + 1] = outcome or {'.'} end
end
if #obstacles > 0 then return {us, 'X', unpack(obstacles)} end

-- From here on nothing is refused but by a full store, at the first write.
local version = math.max(us, highest + 1)
for _, p in ipairs(puts) do entry_store(p[1].key, 0, version, p[2], p[3]) end
local begun = #puts > 0
for _, p in ipairs(plans) do
  outcomes[p[3] - checks + 1][2] = q_add(p[1], p[2])
  begun = true
end
for _, L in ipairs(leases) do
  if L.adds then lease_close(L, false); begun = true end
end
for _, d in ipairs(deletes) do
  redis.call('DEL', d[1].key)
  if d[2] > 0 then entry_store(d[1].key, 1, version, ms + d[2], '') end
end
for _, L in ipairs(leases) do
  if not L.adds then lease_close(L, true) end
end
for _, s in ipairs(settlements) do
  if not begun then redis.call('ZREM', s[1].k.r, ''); begun = true end
  q_settle(s[1], s[2])
end

local function leave_group(Q, id)
  redis.call('ZREM', Q.k.g, q_member(Q.rec[id], id))
end
local function remove_letter(Q, id, where)
  if where == 'K' then
    redis.call('ZREM', Q.k.k, id)
    redis.call('HDEL', Q.k.K, id)
    return
  end
  if where == 'G' then leave_group(Q, id) else q_out(Q, id) end
  q_forget(Q, id)
  q_release_dedup(Q, id)
  q_next(Q, id)
end
local function revive(Q, id, due)
  local letter, payload = q_letter(redis.call('HGET', Q.k.K, id))
  redis.call('ZREM', Q.k.k, id)
  redis.call('HDEL', Q.k.K, id)
  redis.call('HSET', Q.k.p, id, payload)
  local rec = q_decode(id, letter[1], false)
  rec[2] = 0; rec[3] = 0; rec[5] = due; rec[9] = ''; rec[10] = math.max(us, Q.number)
  Q.rec[id] = rec
  q_save(Q, id)
  if rec[8] ~= '' then
    if redis.call('HEXISTS', Q.k.h, rec[8]) == 1 then
      redis.call('ZADD', Q.k.g, 0, q_member(rec, id))
      return
    end
    redis.call('HSET', Q.k.h, rec[8], id)
  end
  if q_place(Q, id, due) then q_wake(Q, 1) end
end
local function move_letter(Q, id, where, delay)
  local due = us + delay * 1000
  if where == 'K' then return revive(Q, id, due) end
  Q.rec[id][5] = due
  q_save(Q, id)
  if where == 'G' then return end
  local before = q_earliest(Q.k.d)
  q_out(Q, id)
  if q_place(Q, id, due) then q_wake(Q, 1) else q_rearm(Q, before) end
end
for _, l in ipairs(letters) do
  if not begun then redis.call('ZREM', l[1].k.r, ''); begun = true end
  if l[4] then move_letter(l[1], l[2], l[3], l[4]) else remove_letter(l[1], l[2], l[3]) end
end
for _, Q in ipairs(queues) do
  if Q.tune then
    redis.call('SET', Q.k.s, '\1' .. cmsgpack.pack(Q.tune))
    if Q.paused and Q.tune[1] == 0 then q_wake(Q, 8) end
  end
end
local reply = {us, 'C', version, unpack(outcomes)}
if memo then redis.call('SET', memo, '\1' .. cmsgpack.pack(reply), 'PX', memory) end
return reply
