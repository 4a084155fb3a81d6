// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.model;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.Reading;
import java.util.concurrent.CompletionStage;

/** One call of the SPI as a value. */
public sealed interface Request<R> {
    /** Sends it to a backend. */
    CompletionStage<R> sendTo(KvBackend backend);

    record Read(Query query) implements Request<Reading> {
        @Override
        public CompletionStage<Reading> sendTo(KvBackend backend) {
            return backend.read(query);
        }
    }

    record Change(Commit commit) implements Request<CommitReply> {
        @Override
        public CompletionStage<CommitReply> sendTo(KvBackend backend) {
            return backend.commit(commit);
        }
    }

    record Acquire(LeaseRequest lease) implements Request<Acquisition> {
        @Override
        public CompletionStage<Acquisition> sendTo(KvBackend backend) {
            return backend.acquire(lease);
        }
    }

    record Consume(ClaimRequest claim) implements Request<Claim> {
        @Override
        public CompletionStage<Claim> sendTo(KvBackend backend) {
            return backend.claim(claim);
        }
    }

    record Look<R>(Inspection<R> what) implements Request<R> {
        @Override
        public CompletionStage<R> sendTo(KvBackend backend) {
            return backend.inspect(what);
        }
    }
}
