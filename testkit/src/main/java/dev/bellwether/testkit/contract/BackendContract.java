// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import dev.bellwether.spi.Acquisition;
import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.Check;
import dev.bellwether.spi.Claim;
import dev.bellwether.spi.ClaimRequest;
import dev.bellwether.spi.Commit;
import dev.bellwether.spi.CommitReply;
import dev.bellwether.spi.EntryMutation.Put;
import dev.bellwether.spi.Expiry;
import dev.bellwether.spi.Inspection;
import dev.bellwether.spi.KvBackend;
import dev.bellwether.spi.KvEntry;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.LeaseName;
import dev.bellwether.spi.LeaseRequest;
import dev.bellwether.spi.LeaseState;
import dev.bellwether.spi.Mutation;
import dev.bellwether.spi.Obstacle;
import dev.bellwether.spi.Outcome;
import dev.bellwether.spi.Owner;
import dev.bellwether.spi.Partition;
import dev.bellwether.spi.Power;
import dev.bellwether.spi.Query;
import dev.bellwether.spi.QueueName;
import dev.bellwether.spi.Reading;
import dev.bellwether.spi.RequestId;
import dev.bellwether.time.Deadline;
import dev.bellwether.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What all contracts share: a fresh backend for each test, names that no other test uses, and the verbs of the SPI as
 * blocking calls that keep a transcript for the message of a failure.
 *
 * <p>A backend passes when every contract of this package, extended with {@link #create()} alone, passes.
 */
public abstract class BackendContract {
    /** Longer than any test runs. */
    static final Duration LONG = Duration.ofMinutes(5);

    static final Duration MILLI = Duration.ofMillis(1);

    @RegisterExtension
    static final Transcript.Teller TELLER = new Transcript.Teller();

    private static final AtomicLong NUMBERS = new AtomicLong(UUID.randomUUID().getMostSignificantBits() >>> 16 << 8);

    private final Transcript transcript = new Transcript();
    private final String unique = "contract-" + Long.toString(fresh(), 36);
    private BackendUnderTest fixture;

    protected BackendContract() {}

    /** A fresh backend; called once for each test, which closes it. */
    protected abstract BackendUnderTest create();

    @BeforeEach
    final void open() {
        fixture = create();
    }

    @AfterEach
    final void closeFixture() {
        fixture.close();
    }

    final Transcript transcript() {
        return transcript;
    }

    final KvBackend backend() {
        return fixture.backend();
    }

    final boolean can(Power power) {
        return backend().capabilities().can(power);
    }

    // Names

    static long fresh() {
        return NUMBERS.incrementAndGet();
    }

    static Owner owner() {
        return new Owner(fresh(), 1);
    }

    static RequestId id() {
        return new RequestId(fresh(), 1);
    }

    static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    /** A name that no other test has, the same for the same label. */
    final Bytes name(String label) {
        return bytes(unique + label);
    }

    final Partition partition() {
        return new Partition(name(""));
    }

    final KvKey key(String label) {
        return new KvKey(partition(), name(label));
    }

    final LeaseName lease(String label) {
        return new LeaseName(partition(), name(label));
    }

    final QueueName queue(String label) {
        return new QueueName(partition(), name(label));
    }

    // Time

    final boolean exact() {
        return fixture.exactClock();
    }

    /** The unit of what a test lets run out. */
    final Duration term() {
        return fixture.shortTime();
    }

    final void pass(Duration length) {
        fixture.advance(length);
    }

    /** Lets the term run out; looks one millisecond before its end as well where the clock allows. */
    final void runOut(Duration term, Runnable before) {
        if (!exact()) {
            pass(term);
            return;
        }
        pass(term.minus(MILLI));
        before.run();
        pass(MILLI);
    }

    /** Whether the condition comes true by what the backend does on its own. */
    final boolean eventually(BooleanSupplier condition) {
        Deadline deadline = Deadline.after(Timer.system(), fixture.patience());
        pass(Duration.ZERO);
        while (!condition.getAsBoolean()) {
            if (deadline.isPast()) return false;
            Thread.onSpinWait();
            pass(exact() ? Duration.ZERO : MILLI);
        }
        return true;
    }

    // Verbs

    final <T> T await(Object request, CompletionStage<T> stage) {
        pass(Duration.ZERO);
        try {
            T reply = stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
            transcript.add(request, reply);
            return reply;
        } catch (ExecutionException e) {
            transcript.add(request, e.getCause());
            return fail("the request failed", e.getCause());
        } catch (TimeoutException e) {
            transcript.add(request, e);
            return fail("no reply within 10 seconds", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return fail("interrupted", e);
        }
    }

    final Reading read(Query query) {
        return await(query, backend().read(query));
    }

    final KvEntry read(KvKey key) {
        List<KvEntry> entries = read(new Query.Keys(List.of(key), false)).entries();
        assertThat(entries).as("one key, one entry").hasSize(1);
        return entries.get(0);
    }

    final CommitReply send(Commit commit) {
        return await(commit, backend().commit(commit));
    }

    static Commit commit(List<Check> checks, Mutation... mutations) {
        return new Commit(id(), checks, List.of(mutations));
    }

    static Commit commit(Mutation... mutations) {
        return commit(List.of(), mutations);
    }

    final CommitReply.Committed committed(Commit commit) {
        CommitReply reply = send(commit);
        assertThat(reply).as("the reply to " + commit).isInstanceOf(CommitReply.Committed.class);
        CommitReply.Committed committed = (CommitReply.Committed) reply;
        assertThat(committed.outcomes()).as("one outcome for each mutation").hasSameSizeAs(commit.mutations());
        return committed;
    }

    final CommitReply.Committed committed(Mutation... mutations) {
        return committed(commit(mutations));
    }

    /** Commits one mutation for its outcome. */
    final <T extends Outcome> T outcome(Class<T> type, Mutation mutation) {
        Outcome outcome = committed(mutation).outcomes().get(0);
        assertThat(outcome).as("the outcome of " + mutation).isInstanceOf(type);
        return type.cast(outcome);
    }

    final List<Obstacle> refused(Commit commit) {
        CommitReply reply = send(commit);
        assertThat(reply).as("the reply to " + commit).isInstanceOf(CommitReply.Conflict.class);
        return ((CommitReply.Conflict) reply).obstacles();
    }

    final List<Obstacle> refused(Mutation... mutations) {
        return refused(commit(mutations));
    }

    /** The only obstacle in the way of the commit. */
    final <T extends Obstacle> T obstacle(Class<T> type, Commit commit) {
        List<Obstacle> obstacles = refused(commit);
        assertThat(obstacles).as("what stood in the way of " + commit).hasSize(1);
        assertThat(obstacles.get(0)).isInstanceOf(type);
        return type.cast(obstacles.get(0));
    }

    final <T extends Obstacle> T obstacle(Class<T> type, Mutation mutation) {
        return obstacle(type, commit(mutation));
    }

    final Acquisition acquire(LeaseRequest request) {
        return await(request, backend().acquire(request));
    }

    final <T extends Acquisition> T acquire(Class<T> type, LeaseRequest request) {
        Acquisition answer = acquire(request);
        assertThat(answer).as("the answer to " + request).isInstanceOf(type);
        return type.cast(answer);
    }

    final Claim claim(ClaimRequest request) {
        Claim claim = await(request, backend().claim(request));
        assertThat(claim.settled()).as("one answer for each settlement").hasSameSizeAs(request.settle());
        assertThat(claim.handouts()).as("no more than asked for").hasSizeLessThanOrEqualTo(request.max());
        return claim;
    }

    final <R> R inspect(Inspection<R> what) {
        return await(what, backend().inspect(what));
    }

    final LeaseState holding(LeaseName lease) {
        return inspect(new Inspection.Holding(lease));
    }

    // Entries

    static Put put(KvKey key, String value) {
        return put(key, value, Expiry.NEVER);
    }

    static Put put(KvKey key, String value, Expiry expiry) {
        return new Put(key, bytes(value), expiry);
    }

    final KvEntry.Present present(KvKey key) {
        KvEntry entry = read(key);
        assertThat(entry).as("the entry of " + key.name()).isInstanceOf(KvEntry.Present.class);
        return (KvEntry.Present) entry;
    }

    final void assertValue(KvKey key, String value) {
        assertThat(present(key).value()).as("the value of " + key.name()).isEqualTo(bytes(value));
    }

    final KvEntry.Absent absent(KvKey key) {
        KvEntry entry = read(key);
        assertThat(entry).as("the entry of " + key.name()).isInstanceOf(KvEntry.Absent.class);
        return (KvEntry.Absent) entry;
    }

    // Refusals

    /** What a request that breaks a limit or a capability is answered with: at once, with a sentence. */
    static void assertRefusedAtOnce(Supplier<?> request) {
        Throwable failure = catchThrowable(request::get);
        assertThat(failure)
                .as("a request that breaks a limit or a capability")
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(failure)
                .message()
                .as("the sentence of the refusal")
                .isNotBlank()
                .contains(" ");
    }
}
