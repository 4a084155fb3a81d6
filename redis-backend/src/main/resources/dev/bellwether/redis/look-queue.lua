-- SPDX-License-Identifier: Apache-2.0
-- The figures of a queue, without touching it.
-- keys   r d x g k s, as ARGV[1] says
-- reply  {now us, ready, delayed, grouped, running, dead, age us of the first ready message, paused, ageing ms}
-- why    counts of one moment add up
-- cost   8 commands, no write
--@include shared-time.lua
--@include shared-queue.lua
local k = {}
for i = 1, #ARGV[1] do k[string.sub(ARGV[1], i, i)] = KEYS[i] end
local Q = q_open(k)
local oldest = us -- among the first hundred: with priorities the first need not be the oldest
for _, id in ipairs(redis.call('ZRANGE', k.r, 0, 99)) do oldest = math.min(oldest, q_number(id)) end
return {us, redis.call('ZCARD', k.r), redis.call('ZCARD', k.d), redis.call('ZCARD', k.g), redis.call('ZCARD', k.x),
  redis.call('ZCARD', k.k), us - oldest, Q.paused and 1 or 0, Q.ageing}
