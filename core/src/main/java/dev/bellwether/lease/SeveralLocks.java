// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Power;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Several names, all or none, in the order of their bytes. */
record SeveralLocks(LockService service, List<OneLock> locks) implements Target {
    @Override
    public String label() {
        return locks.stream().map(OneLock::label).collect(Collectors.joining(", ", "all of ", ""));
    }

    @Override
    public Object identity() {
        return locks.stream().map(OneLock::lease).toList();
    }

    /** Whether one commit can take them. */
    boolean isOneStep() {
        if (service.engine().backend().capabilities().can(Power.CROSS_PARTITION)) return true;
        Set<Partition> partitions = new HashSet<>();
        for (OneLock lock : locks) {
            LeaseName lease = lock.lease();
            partitions.add(lease.partition());
        }
        return partitions.size() == 1;
    }

    @Override
    public CompletableFuture<BoundLease> acquire(LockOptions options, Duration maxWait) {
        return new Gathering(this, options, maxWait).start();
    }

    @Override
    public CompletableFuture<Optional<BoundLease>> look(LockOptions options) {
        return new Gathering(this, options, Duration.ZERO).look();
    }
}
