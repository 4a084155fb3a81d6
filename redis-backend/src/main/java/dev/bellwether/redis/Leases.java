// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.StoreTime;
import dev.bellwether.spi.Tokens;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Acquires leases, and knows their state as scripts tell it. */
final class Leases {
    private static final int EVEN_IF_QUIET = 1;
    private static final int WITH_COUNTER = 2;
    private static final int WITH_TICKETS = 4;
    private static final int WITH_ENTRY = 8;
    private static final int IN_LINE = 16;

    private final Runner runner;
    private final Crowd contended;
    private final byte[] inbox;

    Leases(Runner runner, Crowd contended, String inbox) {
        this.runner = runner;
        this.contended = contended;
        this.inbox = DirectLink.ascii(inbox);
    }

    CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return acquire(request, contended.contains(request.lease()));
    }

    private CompletionStage<Acquisition> acquire(LeaseRequest request, boolean lined) {
        boolean tracked = request.line() == null;
        CompletableFuture<Acquisition> result = new CompletableFuture<>();
        String what = "the acquisition of " + request.lease().name();
        runner.run(encode(request, lined), tracked, what, false, row -> row).whenComplete((row, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (row.wantsMore() && !lined) {
                contended.add(request.lease());
                Runner.pass(acquire(request, true), result);
            } else {
                complete(result, request, row, lined, what);
            }
        });
        return result;
    }

    private void complete(
            CompletableFuture<Acquisition> result, LeaseRequest request, Runner.Row row, boolean lined, String what) {
        try {
            Acquisition answer = decode(request, row);
            if (lined && answer instanceof Acquisition.Granted granted && granted.waiting() == 0) {
                contended.remove(request.lease());
            }
            result.complete(answer);
        } catch (RuntimeException defect) {
            result.completeExceptionally(ExceptionMapping.map(defect, what, false));
        }
    }

    private Request encode(LeaseRequest wish, boolean lined) {
        LeaseName lease = wish.lease();
        boolean counter = lined || wish.line() != null || wish.retain().compareTo(java.time.Duration.ZERO) > 0;
        int flags = (wish.evenIfQuiet() ? EVEN_IF_QUIET : 0)
                | (counter ? WITH_COUNTER : 0)
                | (lined ? WITH_TICKETS : 0)
                | (wish.unless() != null ? WITH_ENTRY : 0)
                | (wish.line() != null ? IN_LINE : 0);
        Request request =
                new Request(Script.ACQUIRE).key(Keys.of(Keys.HOLDS, lease)).key(Keys.of(Keys.LINE, lease));
        if (counter) request.key(Keys.of(Keys.COUNTER, lease));
        if (lined) request.key(Keys.of(Keys.TICKETS, lease));
        if (wish.unless() != null) request.key(Keys.of(Keys.ENTRY, wish.unless().key()));
        request.arg(wish(wish, flags));
        if (wish.line() != null && lined) request.arg(line(wish.line()));
        if (wish.unless() != null) request.arg(wish.unless().seen().value());
        return request;
    }

    /** As shared-acquire.lua unpacks it. */
    static byte[] wish(LeaseRequest wish, int flags) {
        ByteBuffer buffer = ByteBuffer.allocate(41).put(Keys.owner(wish.owner()));
        Lengths.putSeven(buffer, Lengths.millis(wish.ttl()));
        buffer.putInt(wish.share().weight()).putInt(wish.share().capacity()).putShort((short) wish.tokens());
        Lengths.putSeven(buffer, Lengths.millis(wish.retain()));
        return buffer.put((byte) flags).array();
    }

    private byte[] line(LeaseRequest.Line line) {
        ByteBuffer buffer = ByteBuffer.allocate(21 + inbox.length);
        Lengths.putSeven(buffer, Lengths.millis(line.ticket()));
        Lengths.putSeven(buffer, Lengths.millis(line.grant()));
        Lengths.putSeven(buffer, Lengths.millis(line.patience()));
        return buffer.put(inbox).array();
    }

    private static Acquisition decode(LeaseRequest request, Runner.Row row) {
        StoreTime now = StoreTime.exact(row.number(0));
        return switch (row.text(1)) {
            case "G" -> new Acquisition.Granted(new Tokens(row.number(2), row.number(3)), row.integer(4), now);
            case "F" -> found(request, row.bytes(2), now);
            case "B" -> new Acquisition.Busy(row.number(2), Lengths.micros(row.number(3)), row.integer(4), now);
            case "H" ->
                new Acquisition.Hushed(Bytes.wrap(row.bytes(2)), row.number(3), Lengths.micros(row.number(4)), now);
            case "E" -> new Acquisition.Ended(now);
            case "R" -> new Acquisition.Refused(row.text(2), now);
            default -> throw new IllegalStateException("an answer that this version does not know: " + row.text(1));
        };
    }

    private static Acquisition found(LeaseRequest request, byte[] record, StoreTime now) {
        if (request.unless() == null) throw new IllegalStateException("an entry was found that nobody asked for");
        KvEntry entry = Entries.decode(request.unless().key(), record, now);
        if (entry instanceof KvEntry.Present present) return new Acquisition.Found(present, now);
        throw new IllegalStateException("an absent entry was found");
    }

    /** {@code {waiting, quiet us, last token, {owner, first, last, weight, held us, remaining us, confirmed}...}}. */
    static LeaseState state(LeaseName lease, Runner.Row row) {
        List<LeaseState.Hold> holds = new ArrayList<>(row.size() - 3);
        for (int i = 3; i < row.size(); i++) {
            Runner.Row hold = row.row(i);
            holds.add(new LeaseState.Hold(
                    Keys.owner(hold.bytes(0)),
                    new Tokens(hold.number(1), hold.number(2)),
                    hold.integer(3),
                    Lengths.micros(hold.number(4)),
                    Lengths.micros(hold.number(5)),
                    hold.number(6) == 1));
        }
        return new LeaseState(lease, holds, row.integer(0), Lengths.micros(row.number(1)), row.number(2));
    }
}
