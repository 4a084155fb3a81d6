// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.net;

import dev.bellwether.time.Threads;
import dev.bellwether.time.Timer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy between a client and a server on this machine, whose faults are switched on and off by a test or drawn from
 * a seed. Works on chunks of bytes as they come and knows no protocol. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int CHUNK = 16 << 10;
    private static final long FROZEN_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ServerSocket listening;
    private final int target;
    private final ThreadFactory threads = Threads.named("fault-proxy");
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Timer timer = Timer.system();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Faults faults = Faults.NONE;
    private Random dice = new Random(0);
    private boolean closed;

    private FaultProxy(ServerSocket listening, int target) {
        this.listening = listening;
        this.target = target;
    }

    /** Listens on a free loopback port and forwards to another. */
    public static FaultProxy to(int port) {
        try {
            FaultProxy proxy = new FaultProxy(new ServerSocket(0, 64, InetAddress.getLoopbackAddress()), port);
            proxy.threads.newThread(proxy::accept).start();
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("no loopback port to be had", e);
        }
    }

    /** Where clients connect. */
    public int port() {
        return listening.getLocalPort();
    }

    /** How many connections were made so far. */
    public long connections() {
        return accepted.get();
    }

    /** From now on these faults, drawn from this seed, on all connections. */
    public void set(Faults now, long seed) {
        lock.lock();
        try {
            faults = now;
            dice = new Random(seed);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void set(Faults now) {
        set(now, 0);
    }

    /** No more faults; what a frozen proxy holds back goes on its way. */
    public void heal() {
        set(Faults.NONE);
    }

    /** Ends all present connections with a reset (RST): the kernel tells both sides at once. */
    public void reset() {
        for (Pair pair : pairs) pair.end(true);
    }

    /** Ends all present connections in good order (FIN). */
    public void hangUp() {
        for (Pair pair : pairs) pair.end(false);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                accepted.incrementAndGet();
                join(client);
            } catch (IOException closing) {
                if (listening.isClosed()) return;
            }
        }
    }

    private void join(Socket client) throws IOException {
        Socket server = new Socket();
        try {
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_MILLIS);
        } catch (IOException unreachable) {
            client.close();
            server.close();
            return;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Pair pair = new Pair(client, server);
        pairs.add(pair);
        threads.newThread(() -> pair.pump(client, server, true)).start();
        threads.newThread(() -> pair.pump(server, client, false)).start();
    }

    /** What is to happen to a chunk. */
    private enum Fate {
        PASS,
        DROP,
        RESET
    }

    /** Waits while frozen or delayed, then draws. */
    private Fate fateOf(boolean request) throws InterruptedException {
        lock.lock();
        try {
            long until = timer.nanoTime() + faults.delayNanos(dice);
            while (!closed) {
                boolean frozen = faults.isFrozen(request);
                long left = until - timer.nanoTime();
                if (!frozen && left <= 0) break;
                var unused = changed.awaitNanos(frozen ? FROZEN_LOOK_NANOS : left);
            }
            if (faults.drops(request, dice)) return Fate.DROP;
            return faults.resets(dice) ? Fate.RESET : Fate.PASS;
        } finally {
            lock.unlock();
        }
    }

    private final class Pair {
        private final Socket client;
        private final Socket server;

        Pair(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void pump(Socket from, Socket to, boolean request) {
            byte[] chunk = new byte[CHUNK];
            boolean torn = false;
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    Fate fate = fateOf(request);
                    if (fate == Fate.DROP) torn = true;
                    if (fate == Fate.RESET || (torn && fate == Fate.PASS)) {
                        end(true); // TCP never lets later bytes through where earlier ones are missing
                        return;
                    }
                    if (fate == Fate.PASS) out.write(chunk, 0, n);
                }
                end(false);
            } catch (IOException ended) {
                end(false);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                end(true);
            }
        }

        void end(boolean abruptly) {
            pairs.remove(this);
            for (Socket socket : new Socket[] {client, server}) {
                try {
                    if (abruptly && !socket.isClosed()) socket.setSoLinger(true, 0);
                    socket.close();
                } catch (IOException gone) {
                    failures.incrementAndGet(); // the other one still has to be closed
                }
            }
        }
    }

    /** Ends all connections and stops listening; idempotent. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot stop listening", e);
        }
        reset();
    }

    /**
     * What goes wrong. Probabilities are per chunk of bytes, which for small requests is a request or a batch of them.
     *
     * @param least shortest delay of a chunk
     * @param most longest delay of a chunk
     * @param dropRequests share of chunks to the server that vanish; the next chunk that would pass resets the
     *     connection, since TCP never delivers with a gap
     * @param dropReplies the same for chunks to the client
     * @param resets share of chunks at which the connection is reset instead
     * @param frozenRequests nothing goes to the server, and nothing is told: half of a silent partition
     * @param frozenReplies nothing goes to the client
     */
    public record Faults(
            Duration least,
            Duration most,
            double dropRequests,
            double dropReplies,
            double resets,
            boolean frozenRequests,
            boolean frozenReplies) {
        public static final Faults NONE = new Faults(Duration.ZERO, Duration.ZERO, 0, 0, 0, false, false);

        /** Both directions stand still while the connections stay open: what a cut cable looks like. */
        public static Faults frozen() {
            return new Faults(Duration.ZERO, Duration.ZERO, 0, 0, 0, true, true);
        }

        /** Requests arrive and take effect; no reply comes back. */
        public static Faults silentReplies() {
            return new Faults(Duration.ZERO, Duration.ZERO, 0, 1, 0, false, false);
        }

        /** Requests vanish. */
        public static Faults lostRequests() {
            return new Faults(Duration.ZERO, Duration.ZERO, 1, 0, 0, false, false);
        }

        public static Faults delays(Duration least, Duration most) {
            return new Faults(least, most, 0, 0, 0, false, false);
        }

        /** This share of chunks resets its connection. */
        public static Faults resets(double share) {
            return new Faults(Duration.ZERO, Duration.ZERO, 0, 0, share, false, false);
        }

        boolean isFrozen(boolean request) {
            return request ? frozenRequests : frozenReplies;
        }

        long delayNanos(Random dice) {
            long span = most.toNanos() - least.toNanos();
            return least.toNanos() + (span > 0 ? (long) (dice.nextDouble() * span) : 0);
        }

        boolean drops(boolean request, Random dice) {
            double share = request ? dropRequests : dropReplies;
            return share > 0 && dice.nextDouble() < share;
        }

        boolean resets(Random dice) {
            return resets > 0 && dice.nextDouble() < resets;
        }
    }
}
