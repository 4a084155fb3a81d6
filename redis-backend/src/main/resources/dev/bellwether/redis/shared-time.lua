-- SPDX-License-Identifier: Apache-2.0
-- The store's clock, read once: us in microseconds, ms in milliseconds. Exact in a double until the year 2255.
local clock = redis.call('TIME')
local us = clock[1] * 1000000 + clock[2]
local ms = math.floor(us / 1000)
