// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.error.LeaseLostException;
import dev.bellwether.lock.Election;
import dev.bellwether.lock.Lease;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest.Share;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** For one thread, like every builder. */
final class CandidacyBuilder implements Election.Builder {
    private final LockService service;
    private final String name;
    private final LeaseName lease;
    private LockOptions options = LockOptions.DEFAULT.inOrder();
    private Consumer<? super Lease> onElected = term -> {};
    private Consumer<? super LeaseLostException> onRevoked = loss -> {};

    CandidacyBuilder(LockService service, String name, LeaseName lease) {
        this.service = service;
        this.name = name;
        this.lease = lease;
    }

    @Override
    public Election.Builder lease(Duration length) {
        options = options.withLease(length);
        return this;
    }

    @Override
    public Election.Builder onElected(Consumer<? super Lease> reaction) {
        onElected = Objects.requireNonNull(reaction);
        return this;
    }

    @Override
    public Election.Builder onRevoked(Consumer<? super LeaseLostException> reaction) {
        onRevoked = Objects.requireNonNull(reaction);
        return this;
    }

    @Override
    public Election join() {
        service.ensureOpen();
        Candidacy candidacy =
                new Candidacy(service, LineKey.of(name, lease, Share.WHOLE, options), options, onElected, onRevoked);
        service.joined(candidacy);
        candidacy.stand();
        return candidacy;
    }
}
