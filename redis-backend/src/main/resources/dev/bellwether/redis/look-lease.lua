-- SPDX-License-Identifier: Apache-2.0
-- One lease as it stands, without touching it.
-- keys   x holds, q line, f token counter, t tickets
-- reply  {now us, state as of shared-lease.lua}
-- why    holds, line and counter of one moment
-- cost   4 to 6 commands, no write
--@include shared-time.lua
--@include shared-lease.lua
return {us, lease_state(lease_open({x = KEYS[1], q = KEYS[2], f = KEYS[3], t = KEYS[4]}))}
