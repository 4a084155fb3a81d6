-- SPDX-License-Identifier: Apache-2.0
-- Entry record: format 1, flags (1 = tombstone), version 8, expiresAt in ms 8 (0 = never), value. See wire-format.md.
local function entry_parse(head)
  if #head < 18 then return {present = false, version = 0, expires = 0} end
  local format, flags, version, expires = struct.unpack('>BBI8I8', head)
  if format ~= 1 then error('an entry of format ' .. format .. ', written by a newer version') end
  if expires > 0 and ms >= expires then return {present = false, version = 0, expires = 0} end
  return {present = flags == 0, version = version, expires = expires}
end

local function entry_store(key, flags, version, expires, value)
  local record = struct.pack('>BBI8I8', 1, flags, version, expires) .. value
  if expires > 0 then redis.call('SET', key, record, 'PXAT', string.format('%.0f', expires))
  else redis.call('SET', key, record) end
end

-- The moment an entry ends: 0 is never, -1 is already past. kind: n never, k keep, a after ms, t at ms.
local function entry_expiry(kind, number, before)
  if kind == 'n' then return 0 end
  if kind == 'k' then return before.present and before.expires or 0 end
  local at = tonumber(number)
  if kind == 'a' then at = ms + at end
  if at <= ms then return -1 end
  return math.min(at, 4611686018427387)
end
