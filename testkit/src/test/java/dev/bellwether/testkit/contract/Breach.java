// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import dev.bellwether.spi.KvBackend;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** One way to be wrong, and the laws whose tests must each see it. */
record Breach(String name, List<Law> laws, UnaryOperator<KvBackend> alteration) {
    static Breach of(String name, UnaryOperator<KvBackend> alteration, Law... laws) {
        return new Breach(name, List.of(laws), alteration);
    }

    static List<Breach> all() {
        return Stream.of(
                        EntryBreaches.ALL,
                        CommitBreaches.ALL,
                        LeaseBreaches.ALL,
                        LineBreaches.ALL,
                        QueueBreaches.ALL,
                        DeliveryBreaches.ALL,
                        ClientBreaches.ALL)
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
