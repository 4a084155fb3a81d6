// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.MessageId;
import dev.bellwether.spi.MessageState;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.QueueSettings;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Looks without touching: for administrators, never on a hot path. */
final class Looks {
    private static final String FIGURE_LETTERS = "rdxgks";
    private static final String MESSAGE_LETTERS = "rdxpakKg";

    /** The scan reads this many keys a step; fewer would be more trips, more would hold up the server. */
    private static final String SCAN_STEP = "1000";

    private static final Comparator<LeaseName> ORDER =
            Comparator.comparing((LeaseName lease) -> lease.partition().tag()).thenComparing(LeaseName::name);

    private final Runner runner;
    private final Link link;
    private final Doctor doctor;

    Looks(Runner runner, Link link, Doctor doctor) {
        this.runner = runner;
        this.link = link;
        this.doctor = doctor;
    }

    @SuppressWarnings("unchecked")
    <R> CompletionStage<R> inspect(Inspection<R> what) {
        return (CompletionStage<R>) answer(what);
    }

    private CompletionStage<?> answer(Inspection<?> what) {
        if (what instanceof Inspection.Holding holding) return holding(holding.lease());
        if (what instanceof Inspection.Leases leases) return leases(leases);
        if (what instanceof Inspection.Figures figures) return figures(figures.queue());
        if (what instanceof Inspection.Messages messages) return messages(messages);
        if (what instanceof Inspection.OneMessage one) return one(one);
        if (what instanceof Inspection.Store) return doctor.look();
        throw new IllegalArgumentException("a question that this backend does not know: " + what);
    }

    private CompletionStage<LeaseState> holding(LeaseName lease) {
        Request request = new Request(Script.LOOK_LEASE)
                .key(Keys.of(Keys.HOLDS, lease))
                .key(Keys.of(Keys.LINE, lease))
                .key(Keys.of(Keys.COUNTER, lease))
                .key(Keys.of(Keys.TICKETS, lease));
        return runner.run(request, false, "a look at " + lease.name(), true, row -> Leases.state(lease, row.row(1)));
    }

    private CompletionStage<List<LeaseState>> leases(Inspection.Leases what) {
        NavigableSet<LeaseName> found = new TreeSet<>(ORDER);
        CompletableFuture<List<LeaseState>> result = new CompletableFuture<>();
        scan(0, "0", what, found, result);
        return result;
    }

    /** Keeps the first names of the page while it walks over all keys of all nodes. */
    private void scan(
            int node,
            String cursor,
            Inspection.Leases what,
            NavigableSet<LeaseName> found,
            CompletableFuture<List<LeaseState>> result) {
        Call call = Call.of(CommandType.SCAN, words(cursor, "MATCH", "bw:[xl]{*", "COUNT", SCAN_STEP));
        call.stage().whenComplete((reply, failure) -> {
            if (failure != null) {
                result.completeExceptionally(ExceptionMapping.map(failure, "a scan of leases", true));
                return;
            }
            Runner.Row row = Runner.Row.of(reply);
            for (Object key : row.row(1).items()) keep(key, what, found);
            boolean more = !row.text(0).equals("0");
            if (more) scan(node, row.text(0), what, found, result);
            else if (node + 1 < link.nodes()) scan(node + 1, "0", what, found, result);
            else lookAt(found, what.limit(), result);
        });
        link.sendTo(node, call);
    }

    private static byte[][] words(String... words) {
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) bytes[i] = DirectLink.ascii(words[i]);
        return bytes;
    }

    private static void keep(@Nullable Object key, Inspection.Leases what, NavigableSet<LeaseName> found) {
        Keys.Parsed parsed = key instanceof byte[] bytes ? Keys.parse(bytes) : null;
        if (parsed == null || !parsed.name().startsWith(what.prefix())) return;
        LeaseName lease = parsed.lease();
        if (what.after() != null && ORDER.compare(lease, what.after()) <= 0) return;
        found.add(lease);
        // Some may turn out to be neither held nor waited for; a few more than the page make up for them.
        if (found.size() > what.limit() + 64) found.pollLast();
    }

    private void lookAt(NavigableSet<LeaseName> found, int limit, CompletableFuture<List<LeaseState>> result) {
        List<CompletionStage<LeaseState>> looks = new ArrayList<>(found.size());
        for (LeaseName lease : found) looks.add(holding(lease));
        CompletionStage<Void> all = CompletableFuture.allOf(
                looks.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
        all.whenComplete((done, failure) -> {
            if (failure != null) {
                result.completeExceptionally(ExceptionMapping.map(failure, "a look at leases", true));
                return;
            }
            result.complete(looks.stream()
                    .map(look -> look.toCompletableFuture().join())
                    .filter(state -> !state.holds().isEmpty()
                            || state.waiting() > 0
                            || !state.quiet().isZero())
                    .limit(limit)
                    .toList());
        });
    }

    private static Request queueRequest(Script script, QueueName queue, String letters) {
        Request request = new Request(script);
        for (int i = 0; i < letters.length(); i++) request.key(Keys.of(Keys.QUEUE + letters.charAt(i), queue));
        return request.arg(letters);
    }

    private CompletionStage<Inspection.QueueFigures> figures(QueueName queue) {
        Request request = queueRequest(Script.LOOK_QUEUE, queue, FIGURE_LETTERS);
        return runner.run(
                request,
                false,
                "a look at " + queue.name(),
                true,
                row -> new Inspection.QueueFigures(
                        row.number(1),
                        row.number(2),
                        row.number(3),
                        row.number(4),
                        row.number(5),
                        Lengths.micros(row.number(6)),
                        new QueueSettings(row.number(7) == 1, Duration.ofMillis(row.number(8)))));
    }

    private CompletionStage<List<Inspection.Letter>> messages(Inspection.Messages what) {
        if (what.state() == MessageState.GONE) return CompletableFuture.completedFuture(List.of());
        Request request = queueRequest(Script.LOOK_MESSAGES, what.queue(), MESSAGE_LETTERS)
                .arg(letter(what.state()))
                .arg(what.limit())
                .arg(what.after() == null ? "" : what.after().value());
        return runner.run(request, false, "a look at " + what.queue().name(), true, Looks::letters);
    }

    private CompletionStage<Optional<Inspection.Letter>> one(Inspection.OneMessage what) {
        Request request = queueRequest(Script.LOOK_MESSAGES, what.queue(), MESSAGE_LETTERS)
                .arg("1")
                .arg(what.id().value());
        return runner.run(
                request,
                false,
                "a look at " + what.queue().name(),
                true,
                row -> letters(row).stream().findFirst());
    }

    private static String letter(MessageState state) {
        return switch (state) {
            case READY -> "R";
            case DELAYED -> "D";
            case GROUPED -> "G";
            case RUNNING -> "X";
            case DEAD -> "K";
            case GONE -> throw new IllegalArgumentException("what is gone cannot be listed");
        };
    }

    private static List<Inspection.Letter> letters(Runner.Row row) {
        List<Inspection.Letter> letters = new ArrayList<>(row.size() - 1);
        for (int i = 1; i < row.size(); i++) {
            Runner.Row item = row.row(i);
            MessageState state = Commits.state(item.text(1));
            letters.add(new Inspection.Letter(
                    new MessageId(item.text(0)),
                    state,
                    Bytes.wrap(item.bytes(2)),
                    item.integer(3),
                    item.integer(4),
                    item.integer(5),
                    item.number(6),
                    Lengths.micros(item.number(7)),
                    state == MessageState.DEAD ? Optional.of(item.text(8)) : Optional.empty(),
                    Bytes.wrap(item.bytes(9)),
                    item.number(10)));
        }
        return letters;
    }
}
