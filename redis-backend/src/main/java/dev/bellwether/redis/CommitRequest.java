// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.EntryMutation;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseMutation;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.Message;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.QueueMutation;
import dev.bellwether.spi.QueueName;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A commit as commit.lua takes it: every place once, operations by number. */
final class CommitRequest {
    /** Of shared-queue.lua; what any operation but an enqueue may need. */
    static final String ALL_LETTERS = "rdxpawnskKuegh";

    private static final String ENQUEUE_LETTERS = "rdpwns";

    private final Commit commit;
    private final Partition partition;
    private final Map<LeaseName, Integer> leases = new LinkedHashMap<>();
    private final Map<QueueName, Integer> queues = new LinkedHashMap<>();
    private final Map<QueueName, Set<Character>> letters = new LinkedHashMap<>();
    private final Map<KvKey, Integer> entries = new LinkedHashMap<>();

    CommitRequest(Commit commit, Partition partition) {
        this.commit = commit;
        this.partition = partition;
        commit.checks().forEach(this::enlist);
        commit.mutations().forEach(this::enlist);
    }

    LeaseName lease(int number) {
        return at(leases, number);
    }

    QueueName queue(int number) {
        return at(queues, number);
    }

    KvKey entry(int number) {
        return at(entries, number);
    }

    private static <K> K at(Map<K, Integer> places, int number) {
        for (Map.Entry<K, Integer> place : places.entrySet()) {
            if (place.getValue() == number) return place.getKey();
        }
        throw new IllegalStateException("a reply about place " + number + " of " + places.size());
    }

    private void enlist(Check check) {
        if (check instanceof Check.Is is) number(entries, is.key());
        else if (check instanceof Check.Vacant vacant) number(entries, vacant.key());
        else if (check instanceof Check.Held held) number(leases, held.lease());
        else if (check instanceof Check.Current current)
            enlist(current.receipt().queue(), ALL_LETTERS);
    }

    private void enlist(Mutation mutation) {
        if (mutation instanceof EntryMutation entry) {
            number(entries, entry.key());
        } else if (mutation instanceof LeaseMutation lease) {
            number(leases, lease.lease());
        } else if (mutation instanceof QueueMutation.Enqueue enqueue) {
            enlist(enqueue.queue(), ENQUEUE_LETTERS);
            for (Message message : enqueue.messages()) {
                if (!plain(message)) enlist(enqueue.queue(), "a");
                if (message.group() != null) enlist(enqueue.queue(), "gh");
                if (message.dedup() != null) enlist(enqueue.queue(), ALL_LETTERS);
            }
        } else if (mutation instanceof QueueMutation.Tune tune) {
            enlist(tune.queue(), "sw");
            enlist(tune.queue(), "r");
        } else if (mutation instanceof QueueMutation queue) {
            enlist(queue.queue(), ALL_LETTERS);
        }
    }

    private static boolean plain(Message message) {
        return message.delay().isZero()
                && message.group() == null
                && message.dedup() == null
                && message.crashes().equals(Message.CrashPolicy.DEFAULT);
    }

    private void enlist(QueueName queue, String more) {
        number(queues, queue);
        Set<Character> known = letters.computeIfAbsent(queue, name -> new LinkedHashSet<>());
        for (int i = 0; i < more.length(); i++) known.add(more.charAt(i));
    }

    private static <K> void number(Map<K, Integer> places, K place) {
        if (!places.containsKey(place)) places.put(place, places.size() + 1);
    }

    private static <K> int of(Map<K, Integer> places, K place) {
        Integer number = places.get(place);
        if (number == null) throw new IllegalStateException("a place that was not enlisted: " + place);
        return number;
    }

    Request encode(Duration memory) {
        Request request = new Request(Script.COMMIT);
        if (commit.id() != null) request.key(Keys.request(partition, commit.id()));
        request.arg(commit.id() == null ? 0 : Lengths.millis(memory));
        request.arg(leases.size()).arg(queues.size());
        for (LeaseName lease : leases.keySet()) {
            request.key(Keys.of(Keys.HOLDS, lease)).key(Keys.of(Keys.LINE, lease));
            request.key(Keys.of(Keys.COUNTER, lease)).key(Keys.of(Keys.TICKETS, lease));
        }
        letters.forEach((queue, needed) -> {
            StringBuilder word = new StringBuilder();
            for (char letter : needed) {
                word.append(letter);
                request.key(Keys.of(Keys.QUEUE + letter, queue));
            }
            request.arg(word.toString());
        });
        for (KvKey entry : entries.keySet()) request.key(Keys.of(Keys.ENTRY, entry));
        request.arg(commit.checks().size());
        for (Check check : commit.checks()) add(request, check);
        for (Mutation mutation : commit.mutations()) add(request, mutation);
        return request;
    }

    private void add(Request request, Check check) {
        if (check instanceof Check.Is is) {
            request.arg("i")
                    .arg(of(entries, is.key()))
                    .arg(is.version().value())
                    .arg(is.orGet());
        } else if (check instanceof Check.Vacant vacant) {
            request.arg("v").arg(of(entries, vacant.key())).arg(vacant.orGet());
        } else if (check instanceof Check.Held held) {
            request.arg("h").arg(of(leases, held.lease())).arg(Keys.owner(held.owner()));
        } else if (check instanceof Check.Current current) {
            request.arg("c").arg(of(queues, current.receipt().queue()));
            request.arg(current.receipt().id().value()).arg(current.receipt().delivery());
        } else {
            throw new IllegalArgumentException("a check that this backend does not know: " + check);
        }
    }

    private void add(Request request, Mutation mutation) {
        if (mutation instanceof EntryMutation entry) addEntry(request, entry);
        else if (mutation instanceof LeaseMutation lease) addLease(request, lease);
        else if (mutation instanceof QueueMutation queue) addQueue(request, queue);
        else throw new IllegalArgumentException("a mutation that this backend does not know: " + mutation);
    }

    private void addEntry(Request request, EntryMutation mutation) {
        int number = of(entries, mutation.key());
        if (mutation instanceof EntryMutation.Put put) {
            request.arg("P").arg(number).arg(raw(put.value()));
            Entries.addExpiry(request, put.expiry());
        } else if (mutation instanceof EntryMutation.Delete delete) {
            request.arg("D").arg(number).arg(Lengths.millis(delete.remember()));
        } else if (mutation instanceof EntryMutation.Touch touch) {
            request.arg("T").arg(number);
            Entries.addExpiry(request, touch.expiry());
        } else if (mutation instanceof EntryMutation.Count count) {
            request.arg("C")
                    .arg(number)
                    .arg(
                            switch (count.op()) {
                                case ADD -> "a";
                                case MIN -> "m";
                                case MAX -> "x";
                            });
            request.arg(ByteBuffer.allocate(8).putLong(count.operand()).array());
            request.arg(
                    switch (count.overflow()) {
                        case FAIL -> "f";
                        case SATURATE -> "s";
                        case WRAP -> "w";
                    });
            Entries.addExpiry(request, count.expiry());
        }
    }

    private void addLease(Request request, LeaseMutation mutation) {
        int number = of(leases, mutation.lease());
        if (mutation instanceof LeaseMutation.Take take) {
            int flags = take.request().evenIfQuiet() ? 1 : 0;
            request.arg("A").arg(number).arg(Leases.wish(take.request(), flags));
        } else if (mutation instanceof LeaseMutation.Renew renew) {
            request.arg("N").arg(number).arg(Keys.owner(renew.owner())).arg(Lengths.millis(renew.ttl()));
            request.arg(renew.reinstate() == null ? 0 : renew.reinstate().first());
            request.arg(renew.reinstate() == null ? 0 : renew.reinstate().last());
            request.arg(renew.share().weight()).arg(renew.share().capacity());
        } else if (mutation instanceof LeaseMutation.Release release) {
            request.arg("R").arg(number).arg(Keys.owner(release.owner()));
            request.arg(Lengths.millis(release.quiet().time()))
                    .arg(raw(release.quiet().note()));
        } else if (mutation instanceof LeaseMutation.Leave leave) {
            request.arg("L").arg(number).arg(Keys.owner(leave.owner()));
        } else if (mutation instanceof LeaseMutation.Break force) {
            request.arg("B").arg(number).arg(force.token() == null ? "" : Long.toString(force.token()));
            request.arg(force.atOnce());
        }
    }

    private void addQueue(Request request, QueueMutation mutation) {
        int number = of(queues, mutation.queue());
        if (mutation instanceof QueueMutation.Enqueue enqueue) {
            request.arg("E").arg(number);
            request.arg(Math.min(enqueue.bound(), 1L << 52))
                    .arg(enqueue.messages().size());
            for (Message message : enqueue.messages()) addMessage(request, message);
        } else if (mutation instanceof QueueMutation.Move move) {
            request.arg("M").arg(number).arg(move.id().value()).arg(Lengths.millis(move.delay()));
        } else if (mutation instanceof QueueMutation.Remove remove) {
            request.arg("X").arg(number).arg(remove.id().value());
        } else if (mutation instanceof QueueMutation.Tune tune) {
            request.arg("S").arg(number).arg(tune.settings().paused());
            request.arg(Lengths.millis(tune.settings().ageing()));
        } else if (mutation instanceof QueueMutation.Settlement settlement) {
            request.arg("s").arg(number);
            addSettlement(request, settlement);
        }
    }

    private static void addMessage(Request request, Message message) {
        boolean policy = !message.crashes().equals(Message.CrashPolicy.DEFAULT);
        String flags = (message.band() > 0 ? "b" : "")
                + (policy ? "c" : "")
                + (message.group() != null ? "g" : "")
                + (message.dedup() != null ? "u" : "");
        request.arg(raw(message.payload())).arg(Lengths.millis(message.delay())).arg(flags);
        if (message.band() > 0) request.arg(message.band());
        if (policy) {
            request.arg(message.crashes().maxCrashes());
            request.arg(Lengths.millis(message.crashes().delay()));
        }
        if (message.group() != null) request.arg(raw(message.group()));
        if (message.dedup() != null) {
            request.arg(raw(message.dedup().key()))
                    .arg(Lengths.millis(message.dedup().window()));
            request.arg(message.dedup().mode() == Message.Dedup.Mode.REPLACE ? "r" : "i");
        }
    }

    /** As q_read_settlement reads it. */
    static void addSettlement(Request request, QueueMutation.Settlement settlement) {
        String id = settlement.receipt().id().value();
        int delivery = settlement.receipt().delivery();
        if (settlement instanceof QueueMutation.Ack) {
            request.arg("a").arg(id).arg(delivery);
        } else if (settlement instanceof QueueMutation.Retry retry) {
            request.arg("t")
                    .arg(id)
                    .arg(delivery)
                    .arg(Lengths.millis(retry.delay()))
                    .arg(retry.failed());
        } else if (settlement instanceof QueueMutation.Bury bury) {
            request.arg("b").arg(id).arg(delivery).arg(bury.reason()).arg(raw(bury.detail()));
        } else if (settlement instanceof QueueMutation.Extend extend) {
            request.arg("e").arg(id).arg(delivery).arg(Lengths.millis(extend.lease()));
        } else {
            throw new IllegalArgumentException("a settlement that this backend does not know: " + settlement);
        }
    }

    static byte[] raw(Bytes bytes) {
        return bytes.toArray();
    }

    List<QueueName> queueNames() {
        return new ArrayList<>(queues.keySet());
    }
}
