// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation.Count;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;

/** Arithmetic in 64 bits. */
final class Counting {
    private Counting() {}

    static long stored(Bytes value) {
        return Counter.decode(value).orElseThrow();
    }

    static boolean overflows(long stored, Count count) {
        return count.op() == Op.ADD && count.overflow() == Overflow.FAIL && leavesTheRange(stored, count.operand());
    }

    static long next(long stored, Count count) {
        if (count.op() == Op.MIN) return Math.min(stored, count.operand());
        if (count.op() == Op.MAX) return Math.max(stored, count.operand());
        if (count.overflow() == Overflow.SATURATE && leavesTheRange(stored, count.operand())) {
            return count.operand() > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        return stored + count.operand();
    }

    private static boolean leavesTheRange(long stored, long operand) {
        long sum = stored + operand;
        return ((stored ^ sum) & (operand ^ sum)) < 0;
    }
}
