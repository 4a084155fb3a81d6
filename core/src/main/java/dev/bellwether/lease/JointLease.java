// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.lease;

import dev.bellwether.engine.CommitPart;
import dev.bellwether.error.LeaseLostException;
import dev.bellwether.spi.Check;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The lease of several locks: held as long as each of them is. */
final class JointLease extends BoundLease {
    private final String name;
    private final List<BoundLease> parts;
    private final CompletableFuture<Tenure.Ending> ending = new CompletableFuture<>();
    private volatile boolean released;

    JointLease(LockService service, String name, List<BoundLease> parts, LockOptions options) {
        super(service, options);
        this.name = name;
        this.parts = List.copyOf(parts);
        for (BoundLease part : parts) part.loss.reactAtOnce(this::lostOne);
    }

    private void lostOne(LeaseLostException cause) {
        loss.tell(new LeaseLostException(
                name + " is no longer held as a whole: " + cause.getMessage(), cause.reason(), cause));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fence() {
        return parts.stream().mapToLong(BoundLease::fence).max().orElseThrow();
    }

    @Override
    public Duration remaining() {
        return parts.stream()
                .map(BoundLease::remaining)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public boolean isHeld() {
        return parts.stream().allMatch(BoundLease::isHeld);
    }

    @Override
    CompletableFuture<Tenure.Ending> surrender() {
        released = true;
        List<CompletableFuture<Tenure.Ending>> all =
                parts.stream().map(BoundLease::surrender).toList();
        CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).thenRun(() -> ending.complete(worst(all)));
        return ending;
    }

    private static Tenure.Ending worst(List<CompletableFuture<Tenure.Ending>> all) {
        List<Tenure.Ending> endings = all.stream().map(CompletableFuture::join).toList();
        if (endings.contains(Tenure.Ending.LOST)) return Tenure.Ending.LOST;
        return endings.contains(Tenure.Ending.UNKNOWN) ? Tenure.Ending.UNKNOWN : Tenure.Ending.RELEASED;
    }

    @Override
    CompletableFuture<Boolean> prolong() {
        CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
        for (BoundLease part : parts) all = all.thenCombine(part.prolong(), Boolean::logicalAnd);
        return all;
    }

    @Override
    void expireIfDue() {
        parts.forEach(BoundLease::expireIfDue);
    }

    @Override
    boolean wasReleased() {
        return released;
    }

    @Override
    void bindTo(Thread thread) {
        parts.forEach(part -> part.bindTo(thread));
    }

    @Override
    void whenEnded(Runnable reaction) {
        ending.thenRun(reaction);
        loss.reactAtOnce(cause -> reaction.run());
    }

    @Override
    public List<Check> checks() {
        return parts.stream().flatMap(part -> part.checks().stream()).toList();
    }

    @Override
    public void begin() {
        for (int i = 0; i < parts.size(); i++) {
            try {
                parts.get(i).begin();
            } catch (RuntimeException lost) {
                parts.subList(0, i).forEach(part -> part.ended(CommitPart.Ending.REFUSED));
                throw lost;
            }
        }
    }

    @Override
    public void ended(CommitPart.Ending how) {
        parts.forEach(part -> part.ended(how));
    }
}
