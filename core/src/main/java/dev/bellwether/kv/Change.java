// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.kv;

import dev.bellwether.error.RejectedException;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Counter;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.EntryMutation.Op;
import dev.bellwether.spi.EntryMutation.Overflow;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Mutation;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a transaction will do to one key, all its effects on that key merged into one. */
sealed interface Change {
    Mutation mutation(KvKey key);

    /** What stands there afterwards, if this stood there before. */
    Optional<Bytes> over(Optional<Bytes> before);

    record Store(Bytes value, Expiry expiry) implements Change {
        @Override
        public Mutation mutation(KvKey key) {
            return new EntryMutation.Put(key, value, expiry);
        }

        @Override
        public Optional<Bytes> over(Optional<Bytes> before) {
            boolean endsAtOnce =
                    expiry instanceof Expiry.After after && after.length().isZero();
            return endsAtOnce ? Optional.empty() : Optional.of(value);
        }
    }

    record Remove() implements Change {
        @Override
        public Mutation mutation(KvKey key) {
            return new EntryMutation.Delete(key, TypedStore.REMEMBER);
        }

        @Override
        public Optional<Bytes> over(Optional<Bytes> before) {
            return Optional.empty();
        }
    }

    record Count(Op op, long operand) implements Change {
        @Override
        public Mutation mutation(KvKey key) {
            return new EntryMutation.Count(key, op, operand, Overflow.FAIL, Expiry.KEEP);
        }

        @Override
        public Optional<Bytes> over(Optional<Bytes> before) {
            long number = before.isEmpty() ? operand : apply(op, number(before.get()), operand);
            return Optional.of(Counter.encode(number));
        }
    }

    /**
     * The change that counts after this one.
     *
     * @throws IllegalStateException if the two cannot be one without knowing what stands there
     */
    static Change counted(@Nullable Change before, Count count, String what) {
        if (before == null) return count;
        if (before instanceof Store store) {
            Optional<Bytes> stood = store.over(Optional.empty());
            return new Store(count.over(stood).orElseThrow(), stood.isPresent() ? store.expiry() : Expiry.NEVER);
        }
        if (before instanceof Remove) return new Store(Counter.encode(count.operand()), Expiry.NEVER);
        Count first = (Count) before;
        if (first.op() == count.op()) return new Count(first.op(), apply(first.op(), first.operand(), count.operand()));
        throw new IllegalStateException(what + ": " + first.op() + " and " + count.op()
                + " of one counter in one transaction depend on what stands there; read it and put the result");
    }

    private static long number(Bytes value) {
        return Counter.decode(value)
                .orElseThrow(() -> new RejectedException("what stands there is no counter: " + value, null));
    }

    private static long apply(Op op, long one, long other) {
        if (op == Op.MIN) return Math.min(one, other);
        if (op == Op.MAX) return Math.max(one, other);
        long sum = one + other;
        if (((one ^ sum) & (other ^ sum)) < 0) {
            throw new RejectedException(one + " and " + other + " add up to more than 64 bits; nothing happened", null);
        }
        return sum;
    }
}
