// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.testkit.sim;

import dev.bellwether.time.Durations;
import java.time.Duration;

/** What may go wrong in a world, and how often. Immutable; probabilities lie between 0 and 1 and count each by itself. */
public final class Faults {
    final Duration quickest;
    final Duration usual;
    final Duration slowest;
    final Duration timeout;
    final Duration duplicateWithin;
    final Duration longestPause;
    final Duration longestGap;
    final Duration timerLateness;
    final double slow;
    final double unavailable;
    final double dropRequest;
    final double dropReply;
    final double duplicate;
    final double pause;
    final double loseHint;
    final double duplicateHint;
    final double spuriousHint;
    final double gap;
    final double skew;

    private Faults(Builder b) {
        quickest = b.quickest;
        usual = b.usual;
        slowest = b.slowest;
        timeout = b.timeout;
        duplicateWithin = b.duplicateWithin;
        longestPause = b.longestPause;
        longestGap = b.longestGap;
        timerLateness = b.timerLateness;
        slow = b.slow;
        unavailable = b.unavailable;
        dropRequest = b.dropRequest;
        dropReply = b.dropReply;
        duplicate = b.duplicate;
        pause = b.pause;
        loseHint = b.loseHint;
        duplicateHint = b.duplicateHint;
        spuriousHint = b.spuriousHint;
        gap = b.gap;
        skew = b.skew;
    }

    /** Delays between 0.1 and 1 ms and nothing else: requests overtake each other, all arrive once. */
    public static Faults none() {
        return builder().build();
    }

    /** A bad day: about one request in fifty meets a fault. */
    public static Faults mild() {
        return builder()
                .slow(0.01, Duration.ofSeconds(3))
                .unavailable(0.005)
                .dropRequest(0.005)
                .dropReply(0.005)
                .duplicate(0.01, Duration.ofSeconds(5))
                .hints(0.02, 0.02, 0.01)
                .gap(0.002, Duration.ofSeconds(2))
                .pause(0.001, Duration.ofSeconds(2))
                .clocks(0.002, Duration.ofMillis(2))
                .build();
    }

    /** A malicious one: about every third request meets a fault. */
    public static Faults wild() {
        return builder()
                .slow(0.08, Duration.ofSeconds(8))
                .unavailable(0.04)
                .dropRequest(0.06)
                .dropReply(0.08)
                .duplicate(0.10, Duration.ofSeconds(10))
                .hints(0.20, 0.10, 0.05)
                .gap(0.02, Duration.ofSeconds(4))
                .pause(0.01, Duration.ofSeconds(10))
                .clocks(0.004, Duration.ofMillis(10))
                .build();
    }

    /** No faults yet. */
    public static Builder builder() {
        return new Builder();
    }

    /** Not thread-safe. */
    public static final class Builder {
        private Duration quickest = Duration.ofNanos(100_000);
        private Duration usual = Duration.ofMillis(1);
        private Duration slowest = Duration.ofMillis(1);
        private Duration timeout = Duration.ofSeconds(2);
        private Duration duplicateWithin = Duration.ofSeconds(1);
        private Duration longestPause = Duration.ofSeconds(1);
        private Duration longestGap = Duration.ofSeconds(1);
        private Duration timerLateness = Duration.ZERO;
        private double slow;
        private double unavailable;
        private double dropRequest;
        private double dropReply;
        private double duplicate;
        private double pause;
        private double loseHint;
        private double duplicateHint;
        private double spuriousHint;
        private double gap;
        private double skew;

        private Builder() {}

        /** How long a message takes each way if nothing is wrong: between the two, evenly. */
        public Builder delay(Duration quickest, Duration usual) {
            this.quickest = quickest;
            this.usual = usual;
            return this;
        }

        /** A message, each way, takes up to this long; beyond the timeout it arrives all the same. */
        public Builder slow(double probability, Duration slowest) {
            this.slow = between0And1(probability);
            this.slowest = slowest;
            return this;
        }

        /** After this long without a reply a request ends as unknown; 2 s by default. */
        public Builder timeout(Duration timeout) {
            this.timeout = Durations.positive("the timeout", timeout);
            return this;
        }

        /** A request is refused before it was sent: {@code BackendUnavailableException}. */
        public Builder unavailable(double probability) {
            this.unavailable = between0And1(probability);
            return this;
        }

        /** A request never arrives: {@code OutcomeUnknownException} after the timeout. */
        public Builder dropRequest(double probability) {
            this.dropRequest = between0And1(probability);
            return this;
        }

        /** A request takes effect, and its reply never arrives: {@code OutcomeUnknownException} after the timeout. */
        public Builder dropReply(double probability) {
            this.dropReply = between0And1(probability);
            return this;
        }

        /** A request arrives a second time, at any moment within this length. */
        public Builder duplicate(double probability, Duration within) {
            this.duplicate = between0And1(probability);
            this.duplicateWithin = within;
            return this;
        }

        /** A hint is lost; comes twice; or a groundless one comes after a request of anybody. */
        public Builder hints(double lost, double duplicated, double spurious) {
            this.loseHint = between0And1(lost);
            this.duplicateHint = between0And1(duplicated);
            this.spuriousHint = between0And1(spurious);
            return this;
        }

        /** A client loses all hints for up to this long, and is told of the doubt afterwards. */
        public Builder gap(double probabilityForEachHint, Duration longest) {
            this.gap = between0And1(probabilityForEachHint);
            this.longestGap = longest;
            return this;
        }

        /** A process stops for up to this long before any of its tasks; what is due meanwhile runs late. */
        public Builder pause(double probabilityForEachTask, Duration longest) {
            this.pause = between0And1(probabilityForEachTask);
            this.longestPause = longest;
            return this;
        }

        /**
         * Clocks of processes run faster or slower than the store's by up to {@code skew}, which must stay below 0.005
         * so that any two differ by less than 1 %; timers fire up to {@code lateness} late; wall clocks differ by up to
         * five seconds.
         */
        public Builder clocks(double skew, Duration lateness) {
            if (skew < 0 || skew >= 0.005) throw new IllegalArgumentException("the skew is " + skew + "; below 0.005");
            this.skew = skew;
            this.timerLateness = lateness;
            return this;
        }

        public Faults build() {
            return new Faults(this);
        }

        private static double between0And1(double probability) {
            if (probability >= 0 && probability <= 1) return probability;
            throw new IllegalArgumentException("the probability is " + probability + "; between 0 and 1");
        }
    }
}
